// The Responses API of the fake model: what makes a request one that the provider takes, and the wire form of a reply.
import { pdfViolations } from "./checks.mjs";
import { cut } from "./pieces.mjs";

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/;
const parameters = new Set([
  "model",
  "input",
  "instructions",
  "tools",
  "tool_choice",
  "stream",
  "store",
  "include",
  "reasoning",
  "max_output_tokens",
  "temperature",
  "top_p",
  "prompt_cache_key",
  "prompt_cache_retention",
  "background",
]);

/** Sentences on what is wrong with the body of a request that is an object; an empty list for a good one. */
export function responsesViolations(body) {
  const found = [];
  for (const key of Object.keys(body)) if (!parameters.has(key)) found.push(`unknown parameter ${key}`);
  if (body.store !== false && body.background !== true) found.push("the provider is asked to keep the answer");
  if (body.max_output_tokens < 16) found.push("max_output_tokens is below the least");
  if (body.instructions === "") found.push("instructions are empty");
  return [...found, ...toolViolations(body.tools), ...itemViolations(body)];
}

function toolViolations(tools = [{ type: "function", name: "none", parameters: { type: "object" } }]) {
  if (!Array.isArray(tools) || tools.length === 0) return ["tools is not a list with something in it"];
  const names = tools.map(({ name }) => name);
  return tools.flatMap((tool, i) => {
    const found = [];
    if (tool.type !== "function") found.push(`tools[${i}] is not of type function`);
    if (!namePattern.test(tool.name ?? "")) found.push(`tools[${i}] has a bad name: ${JSON.stringify(tool.name)}`);
    if (names.indexOf(tool.name) !== i) found.push(`tools[${i}] repeats the name ${tool.name}`);
    if (tool.parameters?.type !== "object") found.push(`tools[${i}] has parameters that are no object schema`);
    return found;
  });
}

function itemViolations({ input, store }) {
  if (!Array.isArray(input) || input.length === 0) return ["input is not a list with something in it"];
  const found = [];
  const ids = new Set();
  const called = new Set();
  const open = new Set();
  for (const [i, item] of input.entries()) {
    const at = `input[${i}]`;
    const next = input[i + 1];
    if (item.id !== undefined) {
      if (ids.has(item.id)) found.push(`${at} repeats the id ${item.id}`);
      ids.add(item.id);
    }
    if (item.type === "message") {
      if (open.size > 0) found.push(`${at} (${item.role}) comes before an answer to ${[...open].join(", ")}`);
      found.push(
        ...contentViolations(
          `${at}.content`,
          item.content,
          item.role === "assistant" ? ["output_text"] : ["input_text", "input_image", "input_file"],
        ),
      );
    } else if (item.type === "reasoning") {
      if (!/^rs/.test(item.id ?? "")) found.push(`${at} has the id ${item.id}`);
      if (store === false && !item.encrypted_content) found.push(`${at} is not kept, and not encrypted`);
      if (!(next?.type === "function_call" || (next?.type === "message" && next.role === "assistant")))
        found.push(`${at} is followed by nothing`);
    } else if (item.type === "function_call") {
      if (item.id !== undefined && !/^fc/.test(item.id)) found.push(`${at} has the id ${item.id}`);
      if (!(item.call_id?.length <= 64)) found.push(`${at} has the call_id ${item.call_id}`);
      if (called.has(item.call_id)) found.push(`${at} repeats the call_id ${item.call_id}`);
      called.add(item.call_id);
      open.add(item.call_id);
      if (!namePattern.test(item.name ?? "")) found.push(`${at} has a bad name: ${JSON.stringify(item.name)}`);
      if (typeof item.arguments !== "string") found.push(`${at} has arguments that are no string`);
    } else if (item.type === "function_call_output") {
      if (!open.delete(item.call_id)) found.push(`${at} answers ${JSON.stringify(item.call_id)}, which is not an open call`);
      if (typeof item.output !== "string") found.push(...contentViolations(`${at}.output`, item.output, ["input_text", "input_image"]));
    } else found.push(`${at} is of type ${JSON.stringify(item.type)}`);
  }
  if (open.size > 0) found.push(`no answer to ${[...open].join(", ")}`);
  if (input.at(-1).role === "assistant") found.push("the last item is the assistant's own");
  return found;
}

function contentViolations(at, content, types) {
  if (!Array.isArray(content) || content.length === 0) return [`${at} is not a list with something in it`];
  return content.flatMap((part, i) => {
    if (!types.includes(part.type)) return [`${at}[${i}] is of type ${JSON.stringify(part.type)}`];
    if (part.type === "input_file") return pdfViolations(`${at}[${i}]`, part.file_data, part.filename);
    if (part.type === "input_image") return /^(https?:|data:image\/)/.test(part.image_url ?? "") ? [] : [`${at}[${i}] has no image`];
    return typeof part.text === "string" && part.text !== "" ? [] : [`${at}[${i}] has no text`];
  });
}

/** The body of an answer to a request that did not ask for a stream. */
export function response(reply, request) {
  const status = reply.finish === "length" ? "incomplete" : "completed";
  return {
    ...begun(request, status),
    output: itemsOf(reply, request),
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    usage: usageOf(reply, request),
  };
}

/** The server-sent events of a streamed answer, in the order OpenAI sends them. */
export function responseEvents(reply, request) {
  const events = [];
  const push = (type, fields) => events.push({ type, sequence_number: events.length, ...fields });
  push("response.created", { response: begun(request, "in_progress") });
  push("response.in_progress", { response: begun(request, "in_progress") });
  for (const [index, item] of itemsOf(reply, request).entries()) {
    const at = { output_index: index, item_id: item.id };
    push("response.output_item.added", { output_index: index, item: { ...item, status: "in_progress", ...emptied[item.type] } });
    const pieces = (kind, text, fields = {}) => {
      for (const piece of cut(text, reply.pieces)) push(`response.${kind}.delta`, { ...at, ...fields, delta: piece });
    };
    if (item.type === "reasoning") {
      for (const [summary_index, part] of item.summary.entries()) {
        push("response.reasoning_summary_part.added", { ...at, summary_index, part: { type: "summary_text", text: "" } });
        pieces("reasoning_summary_text", part.text, { summary_index });
      }
    } else if (item.type === "message") {
      push("response.content_part.added", { ...at, content_index: 0, part: { type: "output_text", annotations: [], text: "" } });
      pieces("output_text", item.content[0].text, { content_index: 0 });
    } else {
      pieces("function_call_arguments", item.arguments);
      push("response.function_call_arguments.done", { ...at, arguments: item.arguments });
    }
    push("response.output_item.done", { output_index: index, item });
  }
  const complete = response(reply, request);
  push(`response.${complete.status}`, { response: complete });
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

const emptied = { reasoning: { summary: [] }, message: { content: [] }, function_call: { arguments: "" } };

function itemsOf({ text, reasoning, calls = [] }, { index }) {
  const items = [];
  if (reasoning !== undefined) {
    items.push({
      type: "reasoning",
      id: `rs_${index + 1}`,
      summary: [{ type: "summary_text", text: reasoning }],
      encrypted_content: `ZW5jcnlwdGVk${index}`,
    });
  }
  if (text !== undefined) {
    items.push({
      type: "message",
      id: `msg_${index + 1}`,
      status: "completed",
      role: "assistant",
      content: [{ type: "output_text", annotations: [], text }],
    });
  }
  for (const [position, { id, name, arguments: args }] of calls.entries()) {
    const number = `${index + 1}_${position + 1}`;
    const text = typeof args === "string" ? args : JSON.stringify(args ?? {});
    items.push({ type: "function_call", id: `fc_${number}`, status: "completed", arguments: text, call_id: id ?? `call_${number}`, name });
  }
  return items;
}

function begun({ body, index }, status) {
  return {
    id: `resp_${index + 1}`,
    object: "response",
    created_at: 1_700_000_000 + index,
    status,
    error: null,
    model: body.model,
    output: [],
    store: false,
    usage: null,
  };
}

/** Counts of about four bytes per token, `null` where the script wants none; given in the words of Chat Completions. */
function usageOf(reply, { body }) {
  if (reply.usage === null) return null;
  const counts = reply.usage ?? {
    prompt_tokens: Math.ceil(JSON.stringify(body.input).length / 4),
    completion_tokens: Math.ceil(JSON.stringify([reply.text, reply.calls]).length / 4),
  };
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: read, completion_tokens_details: written } = counts;
  return {
    input_tokens: input,
    input_tokens_details: read ?? { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: written ?? { reasoning_tokens: 0 },
    total_tokens: input + output,
  };
}
