/** @jsxImportSource preact */
// Provides the components of a chat with what they share.
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { Thread } from "../thread/index.js";
import { Announcer } from "./announcer.js";
import { type Chat, ChatContext } from "./context.js";
import { type ChatLabels, defaultLabels } from "./labels.js";
import { loadMarkdown } from "./markdown/view.js";
import { type VisualizerOption, visualizerOf } from "./visualizer.js";

export interface ChatProviderProps {
  thread: Thread;
  /** Default: `"default"`. */
  visualizer?: VisualizerOption | undefined;
  /** Texts in place of the English ones. */
  labels?: Partial<ChatLabels> | undefined;
  /** More buttons for a message, beside copying and editing it. */
  messageActions?: Chat["messageActions"];
  /** The page's icon for a tool, an `<svg>` on a grid of 24 units; `undefined` for the default one. */
  toolIcon?: Chat["toolIcon"];
  /** The address at which the page shows this event, see `MessageList`'s `eventId`. With it, a message has a button that copies it. */
  linkOf?: Chat["linkOf"] | undefined;
  children: ComponentChildren;
}

/** Gives the components below it the thread, the texts and the visualizer. */
export function ChatProvider({
  thread,
  visualizer = "default",
  labels,
  messageActions = none,
  toolIcon = none,
  linkOf = none,
  children,
}: ChatProviderProps) {
  const announcer = useMemo(() => new Announcer(), []);
  useEffect(loadMarkdown, []);
  const chat = useMemo<Chat>(() => {
    const list: Chat["list"] = { current: null };
    const field: Chat["field"] = { current: null };
    const texts = { ...defaultLabels, ...labels };
    return {
      thread,
      labels: texts,
      visualizer: visualizerOf(visualizer),
      messageActions,
      toolIcon,
      linkOf,
      announce: (sentence) => announcer.announce(sentence, texts.restInMessages),
      list,
      field,
      giveBack: (text) => field.current?.giveBack(text),
      followEnd: () => list.current?.followEnd(),
      focusMessages: () => list.current?.focus(),
      focusField: () => (matchMedia("(pointer: coarse)").matches ? list : field).current?.focus(),
    };
  }, [thread, visualizer, labels, messageActions, toolIcon, linkOf]);
  return (
    <ChatContext.Provider value={chat}>
      {children}
      <div class="visually-hidden announcements" role="status" aria-live="polite" ref={announcer.setRegion} />
    </ChatContext.Provider>
  );
}

const none = (): undefined => undefined;
