// Conversations of any length for benches, written through the store's public interface.
import { Agent, Conversation, LLM } from "/threadkeep/index.js";
import { rows } from "./events.js";

export const agent = new Agent({ llm: new LLM({ model: "openai/none", baseUrl: "/v1" }) });

/**
 * Creates a conversation with this many events: turns of a question, a tool call, its result and an answer. With
 * `condensed`, as in `events.js`. Returns its id.
 */
export async function conversationOf(length, store, condensed) {
  const conversation = await Conversation.open({ agent, store });
  const { id, state } = conversation;
  await conversation.close();
  let made;
  for (let start = 0; start < length; start += 500) {
    made = rows(start, Math.min(start + 500, length), made, condensed);
    await store.commit(id, {
      expectedLength: start,
      events: made.rows,
      baseState: JSON.stringify({ ...state, leaf_event_id: made.parent, head_is_empty: false }),
      files: [],
      at: Date.now(),
      durability: "relaxed",
    });
  }
  return id;
}
