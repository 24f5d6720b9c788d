// Anthropic Messages of the fake model: what makes a request one that the provider takes, and the wire form of a reply.
import { dataViolations } from "./checks.mjs";
import { cut } from "./pieces.mjs";

const namePattern = /^[a-zA-Z0-9_-]{1,128}$/;
const idPattern = /^[a-zA-Z0-9_-]+$/;
const parameters = new Set([
  "model",
  "max_tokens",
  "system",
  "messages",
  "tools",
  "thinking",
  "output_config",
  "temperature",
  "top_p",
  "stream",
]);

/** Sentences on what is wrong with the body of a request that is an object; an empty list for a good one. */
export function anthropicViolations(body) {
  const found = [];
  for (const key of Object.keys(body)) if (!parameters.has(key)) found.push(`unknown parameter ${key}`);
  if (!(body.max_tokens >= 1)) found.push("max_tokens is missing");
  const { type, budget_tokens: budget } = body.thinking ?? {};
  if (type === "enabled" && !(budget >= 1024 && budget < body.max_tokens))
    found.push(`a thinking budget of ${budget} with ${body.max_tokens} tokens`);
  const marks = [...(body.system ?? []), ...body.messages.flatMap(({ content }) => content)].filter((block) => block.cache_control).length;
  if (marks > 4) found.push(`${marks} marks for caching`);
  if (!body.tools && body.messages.some(({ content }) => content.some(({ type }) => type === "tool_use"))) found.push("calls and no tools");
  return [...found, ...toolViolations(body.tools), ...blockViolations("system", body.system ?? [], ["text"]), ...turnViolations(body)];
}

function toolViolations(tools = []) {
  const names = tools.map(({ name }) => name);
  return tools.flatMap((tool, i) => {
    const found = [];
    if (!namePattern.test(tool.name ?? "")) found.push(`tools[${i}] has a bad name: ${JSON.stringify(tool.name)}`);
    if (names.indexOf(tool.name) !== i) found.push(`tools[${i}] repeats the name ${tool.name}`);
    if (tool.input_schema?.type !== "object") found.push(`tools[${i}] has an input_schema that is no object schema`);
    return found;
  });
}

function turnViolations({ messages, thinking }) {
  const found = [];
  const called = new Set();
  let open = new Set();
  for (const [i, { role, content }] of messages.entries()) {
    const at = `messages[${i}]`;
    if (role !== (i % 2 === 0 ? "user" : "assistant")) found.push(`${at} has the role ${role}`);
    found.push(
      ...blockViolations(
        at,
        content,
        role === "user" ? ["text", "image", "document", "tool_result"] : ["text", "thinking", "redacted_thinking", "tool_use"],
      ),
    );
    for (const [place, { type, tool_use_id: id }] of content.entries()) {
      if (type !== "tool_result") continue;
      if (!open.delete(id)) found.push(`${at} answers ${JSON.stringify(id)}, which is not an open call`);
      if (place > 0 && content[place - 1].type !== "tool_result") found.push(`${at} has a result behind something else`);
    }
    if (open.size > 0) found.push(`${at} comes before an answer to ${[...open].join(", ")}`);
    open = new Set(content.filter(({ type }) => type === "tool_use").map(({ id }) => id));
    for (const id of open) {
      if (called.has(id)) found.push(`${at} repeats the id ${id}`);
      called.add(id);
    }
  }
  if (messages.at(-1)?.role !== "user") found.push("the last message is the assistant's own");
  // Where the calls begin that are being answered.
  const begun = messages.findLastIndex(({ role, content }) => role === "user" && content[0]?.type !== "tool_result") + 1;
  const first = messages[begun]?.content[0]?.type;
  if (thinking?.type === "enabled" && first && !first.endsWith("thinking")) found.push(`expected thinking, but found ${first}`);
  if (!thinking && first?.endsWith("thinking")) found.push("thoughts, and thinking is disabled");
  return found;
}

function blockViolations(at, blocks, types) {
  if (!Array.isArray(blocks) || blocks.length === 0) return [`${at} is not a list with something in it`];
  return blocks.flatMap((block, i) => {
    const here = `${at}[${i}]`;
    if (!types.includes(block.type)) return [`${here} is of type ${JSON.stringify(block.type)}`];
    if (block.type === "text") return /\S/.test(block.text ?? "") ? [] : [`${here} has no text`];
    if (block.type === "image") return block.source?.data || /^https:/.test(block.source?.url ?? "") ? [] : [`${here} has no image`];
    if (block.type === "document") {
      const { type, media_type, data } = block.source ?? {};
      const isPdf = type === "base64" && media_type === "application/pdf";
      return isPdf ? dataViolations(here, data, ["pdf"]) : [`${here} is a document of ${JSON.stringify([type, media_type])}`];
    }
    if (block.type === "thinking") return block.signature ? [] : [`${here} has no signature`];
    if (block.type === "redacted_thinking") return block.data ? [] : [`${here} has no data`];
    const id = block.id ?? block.tool_use_id;
    const found = idPattern.test(id ?? "") ? [] : [`${here} has a bad id: ${JSON.stringify(id)}`];
    if (block.type === "tool_use" && Object.prototype.toString.call(block.input) !== "[object Object]")
      found.push(`${here} has an input that is no object`);
    if (Array.isArray(block.content) && block.content.length > 0)
      found.push(...blockViolations(`${here}.content`, block.content, ["text", "image"]));
    return found;
  });
}

/** The body of an answer to a request that did not ask for a stream. */
export function message(reply, request) {
  return { ...begun(request), content: blocksOf(reply, request), stop_reason: stopOf(reply), usage: usageOf(reply, request) };
}

/** The server-sent events of a streamed answer, in the order Anthropic sends them. */
export function messageEvents(reply, request) {
  const complete = message(reply, request);
  const events = [
    { type: "message_start", message: { ...begun(request), usage: { ...complete.usage, output_tokens: 1 } } },
    { type: "ping" },
  ];
  for (const [index, block] of complete.content.entries()) {
    const [start, deltas] = pieces(block, reply.pieces);
    events.push({ type: "content_block_start", index, content_block: start });
    events.push(...deltas.map((delta) => ({ type: "content_block_delta", index, delta })), { type: "content_block_stop", index });
  }
  events.push(
    {
      type: "message_delta",
      delta: { stop_reason: complete.stop_reason, stop_sequence: null },
      usage: { output_tokens: complete.usage.output_tokens },
    },
    { type: "message_stop" },
  );
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** The start of a block, and its deltas. */
function pieces(block, length) {
  if (block.type === "text") return [{ ...block, text: "" }, cut(block.text, length).map((text) => ({ type: "text_delta", text }))];
  if (block.type === "tool_use")
    return [
      { ...block, input: {} },
      cut(JSON.stringify(block.input), length).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ];
  if (block.type !== "thinking") return [block, []];
  const { signature } = block;
  return [
    { type: "thinking", thinking: "", signature: "" },
    [...cut(block.thinking, length).map((thinking) => ({ type: "thinking_delta", thinking })), { type: "signature_delta", signature }],
  ];
}

function blocksOf({ text, reasoning, redacted, calls = [] }, { index }) {
  const blocks = [];
  if (redacted !== undefined) blocks.push({ type: "redacted_thinking", data: redacted });
  if (reasoning !== undefined) blocks.push({ type: "thinking", thinking: reasoning, signature: `c2lnbmVk${index}` });
  if (text !== undefined) blocks.push({ type: "text", text });
  for (const [position, { id, name, arguments: input = {} }] of calls.entries())
    blocks.push({ type: "tool_use", id: id ?? `toolu_${index + 1}_${position + 1}`, name, input });
  return blocks;
}

function stopOf({ finish, calls }) {
  return finish ?? (calls?.length ? "tool_use" : "end_turn");
}

function begun({ body, index }) {
  return {
    id: `msg_${String(index + 1).padStart(20, "0")}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** Counts of about four bytes per token; zeros for a server that counts nothing. */
function usageOf(reply, { body }) {
  if (reply.usage === null) return { input_tokens: 0, output_tokens: 0 };
  const input = Math.ceil(JSON.stringify(body.messages).length / 4);
  const output = Math.ceil(JSON.stringify([reply.text, reply.reasoning, reply.calls]).length / 4);
  return { input_tokens: input, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: output };
}
