/** @jsxImportSource preact */
// A complete chat: messages and controls.
import type { ComponentChildren } from "preact";
import type { Thread } from "../thread/index.js";
import { Approvals, type ChatModel, Composer, StatusLine } from "./controls/index.js";
import type { ChatLabels } from "./labels.js";
import { MessageList } from "./messages/index.js";
import { ChatProvider, type ChatProviderProps } from "./provider.js";
import { Shortcuts } from "./shortcuts.js";
import type { VisualizerOption } from "./visualizer.js";

export interface ChatViewProps {
  thread: Thread;
  visualizer?: VisualizerOption;
  labels?: Partial<ChatLabels> | undefined;
  /** The event to show first: its message is scrolled to and marked. */
  eventId?: string | null | undefined;
  /** Called with `eventId` if no message shows it. */
  onMissing?: ((eventId: string) => void) | undefined;
  /** The address that shows an event. With it, each message has a button that copies its own. */
  linkOf?: ChatProviderProps["linkOf"];
  /** The models to choose from where one writes. With fewer than two there is no menu. */
  models?: readonly ChatModel[] | undefined;
  /** Called with the name of a model that was chosen, when the conversation has it. */
  onModelChange?: ((name: string) => void) | undefined;
  /** Whether keys other than Escape are shortcuts. Default: true. */
  hasShortcuts?: boolean | undefined;
  /** Shown in place of messages while there are none. */
  empty?: ComponentChildren;
}

/** All of `<threadkeep-chat>` as one component. It never closes the thread. */
export function ChatView({ thread, empty, eventId, onMissing, models, onModelChange, hasShortcuts = true, ...shared }: ChatViewProps) {
  return (
    <ChatProvider thread={thread} {...shared}>
      <MessageList thread={thread} empty={empty} eventId={eventId} onMissing={onMissing}>
        <StatusLine thread={thread} />
        <Approvals thread={thread} />
      </MessageList>
      <Composer thread={thread} models={models} onModelChange={onModelChange} />
      {hasShortcuts && <Shortcuts />}
    </ChatProvider>
  );
}
