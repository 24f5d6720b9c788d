/** @jsxImportSource preact */
// The list of messages.
import type { ComponentChildren } from "preact";
import type { Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";

export interface MessageListProps {
  thread: Thread;
  /** Shown in place of messages while there are none. */
  empty?: ComponentChildren;
  /** Shown after the messages, and scrolled with them: `<StatusLine>` and `<Approvals>`. */
  children?: ComponentChildren;
}

export function MessageList({ thread, empty, children }: MessageListProps) {
  const { labels } = useChat();
  const { messages } = useSnapshot(thread);
  return (
    <div class="main">
      <div class="scroller" part="scroller" tabIndex={0} role="log" aria-live="off" aria-label={labels.messages}>
        <div class="column">
          {messages.length === 0 ? empty : null}
          <div class="items" />
          <div class="next">{children}</div>
        </div>
      </div>
    </div>
  );
}
