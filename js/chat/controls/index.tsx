/** @jsxImportSource preact */
// The controls of a chat: what the user writes, decides and does with a message.
import type { Thread, UIMessage } from "../../thread/index.js";

/** The field in which the user writes, with its attachments and buttons. */
export function Composer(_props: { thread: Thread }): null {
  return null;
}

/** The calls that wait for the user. Shown at the end of the messages. */
export function Approvals(_props: { thread: Thread }): null {
  return null;
}

/** A failed request that is made again, and failures of actions. Shown after the messages. */
export function StatusLine(_props: { thread: Thread }): null {
  return null;
}

/** The actions of a message: copy, edit, answer again, other branches. */
export function MessageActions(_props: { thread: Thread; message: UIMessage }): null {
  return null;
}
