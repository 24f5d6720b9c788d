// Messages of the user that are stored while the agent is busy, until they are part of the log: seen, edited and taken back.
import type { MessageEvent } from "../events/events.js";
import type { Content } from "../events/types.js";
import { ask, textOf } from "../input/errors.js";
import { contentOf, type Image } from "../llm/images.js";
import type { ConversationSession } from "./session.js";

/**
 * The messages of the user that no model has read: sent while the agent worked, or with `pending: "keep"` while calls waited.
 * They are stored already. What has become part of the log is refused with `invalid_state`, an unknown id with `not_found`, and
 * everything with `locked_elsewhere` in a follower, whose list is empty.
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

/** @internal */
export function queueOf(session: ConversationSession): MessageQueue {
  const beside = async (...request: string[]) => JSON.parse(await ask(session.core, "beside", request));
  return {
    list: () => beside("queued"),
    edit: async (id, message) => beside("edit", textOf(id), await contentOf(message, session.llm)),
    remove: async (id) => beside("remove", textOf(id)),
  };
}
