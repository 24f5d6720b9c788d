/** @jsxImportSource preact */
// A complete chat: messages and controls.
import type { ComponentChildren } from "preact";
import type { Thread } from "../thread/index.js";
import { Approvals, Composer, StatusLine } from "./controls/index.js";
import type { ChatLabels } from "./labels.js";
import { MessageList } from "./messages/index.js";
import { ChatProvider } from "./provider.js";
import type { VisualizerOption } from "./visualizer.js";

export interface ChatViewProps {
  thread: Thread;
  visualizer?: VisualizerOption;
  labels?: Partial<ChatLabels> | undefined;
  /** Shown in place of messages while there are none. */
  empty?: ComponentChildren;
}

/** All of `<threadkeep-chat>` as one component. It never closes the thread. */
export function ChatView({ thread, empty, ...shared }: ChatViewProps) {
  return (
    <ChatProvider thread={thread} {...shared}>
      <MessageList thread={thread} empty={empty}>
        <StatusLine thread={thread} />
        <Approvals thread={thread} />
      </MessageList>
      <Composer thread={thread} />
    </ChatProvider>
  );
}
