// Messages of the user that are stored while the agent is busy, until they are part of the log: seen, edited and taken back.
import type { MessageEvent } from "../events/events.js";
import type { Content } from "../events/types.js";
import type { Image } from "../llm/images.js";
import type { ArgumentsOf, Verbs } from "./verbs.js";

/**
 * The messages of the user that no model has read: sent while the agent worked, or with `pending: "keep"` while calls waited.
 * They are stored already. What has become part of the log is refused with `invalid_state`, an unknown id with `not_found`.
 */
export interface MessageQueue {
  /** In the order in which they will be read. */
  list(): Promise<MessageEvent[]>;
  /**
   * Puts another message in the place of this one, with the same sender and files, and resolves to its event, which has an id of its own,
   * once it is durable. The hook `userPromptSubmit` is asked anew.
   * @throws ThreadkeepError those of `sendMessage()`
   */
  edit(eventId: string, message: string | ReadonlyArray<Content | Image>): Promise<MessageEvent>;
  /** Takes the message back: nobody will read it. Resolves once this is durable. If the agent went on only for it, the run ends. */
  remove(eventId: string): Promise<void>;
}

/** The queue of a handle, whose methods `act` calls where the writer is. @internal */
export function queueOf(
  act: <V extends "queued" | "editQueued" | "removeQueued">(verb: V, ...args: ArgumentsOf<V>) => ReturnType<Verbs[V]>,
): MessageQueue {
  return {
    list: () => act("queued"),
    edit: (id, message) => act("editQueued", id, message),
    remove: (id) => act("removeQueued", id),
  };
}
