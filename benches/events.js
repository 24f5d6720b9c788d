// Generated events as the library stores them: turns of a question, a tool call, its result and an answer.

/**
 * The events `start..end` of such a log; `before` is the last return value of an earlier call. With `condensed`, a multiple
 * of 4, the last of each so many events is a condensation that forgets all before it.
 */
export function rows(start, end, before, condensed) {
  const rows = [];
  let { parent, call, view = [] } = before ?? {};
  for (let index = start; index < end; index++) {
    const id = crypto.randomUUID();
    const head = { id, timestamp: "2026-01-31T09:15:02.123456", source: "agent", ...(parent && { parent_id: parent }) };
    const isCondensation = condensed && index % condensed === condensed - 1;
    const event = isCondensation ? condensation(head, index, view) : [question, action, result, answer][index % 4](head, index, call);
    if (event.kind === "ActionEvent") call = event;
    if (isCondensation) view = [`${id}-summary`];
    else if (condensed) view.push(id);
    rows.push({ id, json: JSON.stringify(event) });
    parent = id;
  }
  return { rows, parent, call, view };
}

const words = "What was asked, done and found, in so many words. ";
const text = (index) => [{ cache_prompt: false, type: "text", text: `${index}: ${words.repeat(8)}` }];
const message = (head, source, role, index) => ({
  ...head,
  source,
  llm_message: { role, content: text(index), thinking_blocks: [] },
  ...(role === "assistant" && { llm_response_id: `response-${index}` }),
  activated_skills: [],
  extended_content: [],
  kind: "MessageEvent",
});
const question = (head, index) => message(head, "user", "user", index);
const answer = (head, index) => message(head, "agent", "assistant", index);
const action = (head, index) => ({
  ...head,
  thought: [],
  thinking_blocks: [],
  action: { data: { query: words }, kind: "MCPToolAction" },
  tool_name: "look_up",
  tool_call_id: `call_${index}`,
  tool_call: { id: `call_${index}`, name: "look_up", arguments: JSON.stringify({ query: words }), origin: "completion" },
  llm_response_id: `response-${index}`,
  security_risk: "UNKNOWN",
  summary: "look it up",
  kind: "ActionEvent",
});
const condensation = (head, index, forgotten) => ({
  ...head,
  source: "environment",
  forgotten_event_ids: forgotten,
  summary: words,
  summary_offset: 0,
  llm_response_id: `response-${index}`,
  kind: "Condensation",
});
const result = (head, index, call) => ({
  ...head,
  source: "environment",
  tool_name: call.tool_name,
  tool_call_id: call.tool_call_id,
  observation: { content: text(index), is_error: false, tool_name: "look_up", kind: "MCPToolObservation" },
  action_id: call.id,
  extended_content: [],
  kind: "ObservationEvent",
});
