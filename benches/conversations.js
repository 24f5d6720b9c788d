// Conversations of any length for benches, written through the store's contract.
import { Agent, Conversation, LLM } from "/threadkeep/index.js";

export const agent = new Agent({ llm: new LLM({ model: "openai/none", baseUrl: "/v1" }) });

/** A conversation of this many events: turns of a question, a tool call, its result and an answer. Returns its id. */
export async function conversationOf(length, store) {
  const conversation = await Conversation.open({ agent, store });
  const { id, state } = conversation;
  await conversation.close();
  let parent;
  let call;
  for (let start = 0; start < length; start += 500) {
    const events = [];
    for (let index = start; index < Math.min(start + 500, length); index++) {
      const eventId = crypto.randomUUID();
      const head = { id: eventId, timestamp: "2026-01-31T09:15:02.123456", source: "agent", ...(parent && { parent_id: parent }) };
      const event = [question, action, result, answer][index % 4](head, index, call);
      if (event.kind === "ActionEvent") call = event;
      events.push({ id: eventId, json: JSON.stringify(event) });
      parent = eventId;
    }
    await store.commit(id, {
      expectedLength: start,
      events,
      baseState: JSON.stringify({ ...state, leaf_event_id: parent, head_is_empty: false }),
      files: [],
      at: Date.now(),
      durability: "relaxed",
    });
  }
  return id;
}

const words = "What was asked, done and found, in so many words. ";
const text = (index) => [{ cache_prompt: false, type: "text", text: `${index}: ${words.repeat(8)}` }];
const message = (head, source, role, index) => ({
  ...head, source, llm_message: { role, content: text(index), thinking_blocks: [] },
  ...(role === "assistant" && { llm_response_id: `response-${index}` }), activated_skills: [], extended_content: [], kind: "MessageEvent",
});
const question = (head, index) => message(head, "user", "user", index);
const answer = (head, index) => message(head, "agent", "assistant", index);
const action = (head, index) => ({
  ...head, thought: [], thinking_blocks: [], action: { data: { query: words }, kind: "MCPToolAction" },
  tool_name: "look_up", tool_call_id: `call_${index}`,
  tool_call: { id: `call_${index}`, name: "look_up", arguments: JSON.stringify({ query: words }), origin: "completion" },
  llm_response_id: `response-${index}`, security_risk: "UNKNOWN", summary: "look it up", kind: "ActionEvent",
});
const result = (head, index, call) => ({
  ...head, source: "environment", tool_name: call.tool_name, tool_call_id: call.tool_call_id,
  observation: { content: text(index), is_error: false, tool_name: "look_up", kind: "MCPToolObservation" },
  action_id: call.id, extended_content: [], kind: "ObservationEvent",
});
