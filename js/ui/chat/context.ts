// The values that all components of a chat share.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useLayoutEffect, useReducer } from "preact/hooks";
import type { Thread, ThreadSnapshot, UIMessage } from "../thread/index.js";
import { type ChatLabels, defaultLabels } from "./labels.js";
import type { ConversationVisualizer } from "./visualizer.js";

export interface Chat {
  thread: Thread;
  labels: ChatLabels;
  /** `null` if no messages are shown. */
  visualizer: ConversationVisualizer | null;
  /** More buttons of the page for a message. */
  messageActions: (message: UIMessage) => ComponentChildren;
  /** The address that shows this event, for a button that copies it; `null` or `undefined`: there is no button. */
  linkOf: (eventId: string) => string | null | undefined;
  /** Tells screen readers a sentence. Sentences of the same moment are read together. */
  announce(sentence: string): void;
  /** The page's icon for a tool, an `<svg>` on a grid of 24 units; `undefined` for the default one. */
  toolIcon: (toolName: string) => ComponentChildren;
  /** The list of messages registers itself here. */
  list: { current: { followEnd(): void; focus(): void; grown(): void } | null };
  /** The field to write in registers itself here. */
  field: { current: { giveBack(text: string): void; focus(): void } | null };
  /** Puts a text that was sent back into the field, before what is there, and moves the focus to it. */
  giveBack(text: string): void;
  /** Scrolls to the end and follows it, for example because the user has sent a message. */
  followEnd(): void;
  /** Moves the focus to the messages. */
  focusMessages(): void;
  /** Moves the focus to the field after an act of the user; on a phone to the messages, because a keyboard would cover them. */
  focusField(): void;
}

export const ChatContext = createContext<Chat | null>(null);

/** The values that the components in a `<ChatProvider>` share. @throws Error outside of one */
export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error("this component belongs into <ChatProvider>");
  return chat;
}

/** The texts of the chat, or the English ones outside of a chat. */
export const useLabels = (): ChatLabels => useContext(ChatContext)?.labels ?? defaultLabels;

/** The snapshot of a thread; the component is rendered again when it changes. */
export function useSnapshot(thread: Thread): ThreadSnapshot {
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const snapshot = thread.getSnapshot();
  useLayoutEffect(() => {
    // It may have changed since it was rendered.
    if (thread.getSnapshot() !== snapshot) render();
    return thread.subscribe(() => render());
  }, [thread]);
  return snapshot;
}
