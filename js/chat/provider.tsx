/** @jsxImportSource preact */
// Provides the components of a chat with what they share.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Thread } from "../thread/index.js";
import { type Chat, ChatContext } from "./context.js";
import { type ChatLabels, defaultLabels } from "./labels.js";
import { type VisualizerOption, visualizerOf } from "./visualizer.js";

export interface ChatProviderProps {
  thread: Thread;
  /** Default: `"default"`. */
  visualizer?: VisualizerOption;
  /** Texts in place of the English ones. */
  labels?: Partial<ChatLabels> | undefined;
  children: ComponentChildren;
}

export function ChatProvider({ thread, visualizer = "default", labels, children }: ChatProviderProps) {
  const chat = useMemo<Chat>(
    () => ({
      thread,
      labels: { ...defaultLabels, ...labels },
      visualizer: visualizerOf(visualizer) ?? {},
      announce: () => {},
      followEnd: () => {},
      focusMessages: () => {},
    }),
    [thread, visualizer, labels],
  );
  return <ChatContext.Provider value={chat}>{children}</ChatContext.Provider>;
}
