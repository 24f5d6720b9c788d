// Replays answers of real models that other projects have recorded for their tests, and compares what the library makes of each with a
// reading of its own: text, calls, reasoning, tokens, and what the next request sends back. Nothing of them is kept here: they are read
// from git repositories that somebody has cloned: files with interactions, as VCR and its ports to Python, Ruby and Go write them, and
// folders `__fixtures__` with answers as documents or as one event a line.
//   node benches/recordings.mjs PATH-OF-A-GIT-REPOSITORY…    needs a build; prints the differences by kind
import { execFileSync, spawnSync } from "node:child_process";
import { load } from "js-yaml";
import { Agent, Conversation, LLM, memoryStore, tool } from "../dist/index.js";

const most = 1 << 30;
/** The wire API of an address. */
const apis = [
  { api: "chat", path: /\/chat\/completions$/ },
  { api: "anthropic", path: /\/v1\/messages$/ },
  { api: "responses", path: /\/responses$/ },
];

/** Each recorded answer: { name, api, baseUrl, request, status, body }. */
function* recordingsIn(repository) {
  const git = (...args) => execFileSync("git", ["-C", repository, ...args], { encoding: "utf8", maxBuffer: most });
  const names = git("ls-tree", "-r", "--name-only", "-z", "HEAD").split("\0");
  const files = names.filter((name) => /(cassettes?|testdata|recordings?)\/.*\.ya?ml$|__fixtures__\/.*(\.json|\.chunks\.txt)$/.test(name));
  const input = files.map((name) => `HEAD:${name}\n`).join("");
  const { stdout } = spawnSync("git", ["-C", repository, "cat-file", "--batch"], { input, maxBuffer: most });
  let at = 0;
  for (const name of files) {
    const line = stdout.indexOf(10, at);
    const about = stdout.toString("utf8", at, line);
    at = line + 1;
    // A clone may leave out what is large.
    if (about.endsWith(" missing")) continue;
    const length = Number(about.split(" ")[2]);
    at += length + 1;
    const text = stdout.toString("utf8", line + 1, line + 1 + length);
    yield* name.includes("__fixtures__/") ? answerIn(name, text) : interactionsIn(name, text);
  }
}

function* interactionsIn(name, text) {
  let file;
  try {
    file = load(text);
  } catch {
    return;
  }
  for (const [index, { request, response }] of Object.entries(file?.http_interactions ?? file?.interactions ?? {})) {
    const address = String(request?.uri ?? request?.url).split("?")[0];
    const found = apis.find(({ path }) => path.test(address));
    if (!found || String(request.method).toUpperCase() !== "POST") continue;
    const asked = parsed(request.parsed_body ?? request.body?.string ?? request.body);
    const body = response.parsed_body ?? response.body?.string ?? response.body;
    const status = Number(response.status?.code ?? response.code ?? 200);
    if (!asked || typeof asked.model !== "string" || !Array.isArray(asked.messages ?? asked.input ?? []) || body === undefined) continue;
    const spoken = typeof body === "string" ? body : JSON.stringify(body);
    // Some hide the address.
    const baseUrl = URL.canParse(address) ? address.replace(found.path, "") : "https://recorded.example/v1";
    yield { name: `${name} ${index}`, api: found.api, baseUrl, request: asked, status, body: spoken };
  }
}

/** An answer without its request. */
function* answerIn(name, text) {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const all = name.endsWith(".json") ? [parsed(text)] : lines.map(parsed);
  // Some have the answers of several requests.
  const end = all.findIndex((document) => /^(message_stop|response\.(completed|incomplete|failed))$/.test(document?.type));
  const documents = end < 0 ? all : all.slice(0, end + 1);
  const api = apiOf(documents.find((document) => document && typeof document === "object"));
  if (!api || documents.includes(undefined)) return;
  const events = documents.map((document) => `${document?.type ? `event: ${document.type}\n` : ""}data: ${JSON.stringify(document)}\n\n`);
  const body = name.endsWith(".json") ? text : `${events.join("")}${api === "chat" ? "data: [DONE]\n\n" : ""}`;
  const tools = [...new Set(documents.flatMap((document) => JSON.stringify(document ?? "").match(/(?<="name":")[\w-]{1,64}(?=")/g) ?? []))];
  const request = { model: "recorded", stream: !name.endsWith(".json"), tools: tools.map((name) => ({ name, parameters: {} })) };
  yield { name, api, baseUrl: "https://recorded.example/v1", request, status: 200, body };
}

/** The wire API of a document, by its shape. */
function apiOf({ object, type, choices, output, content } = {}) {
  if (choices || /^chat\.completion/.test(object)) return "chat";
  if (/^response\./.test(type) || (object === "response" && output)) return "responses";
  if (type === "message_start" || (type === "message" && content)) return "anthropic";
}

/** Whether this is an error, or no answer of any wire API. */
const isError = (documents) =>
  documents.length === 0 || documents.some(({ error, type }) => error || type === "error") || !documents.some(apiOf);

function parsed(body) {
  try {
    return typeof body === "string" ? JSON.parse(body) : body;
  } catch {
    return undefined;
  }
}

/** The JSON documents of an answer: one, or those of its events. */
function documentsOf(body) {
  const whole = parsed(body);
  if (whole) return [whole];
  return body.split(/\r?\n/).flatMap((line) => (line.startsWith("data:") ? (parsed(line.slice(5)) ?? []) : []));
}

/** What only its server can read, and misses in the next request: signatures, encrypted reasoning, ids of items. */
function sealedIn(documents, text = new Set()) {
  const look = (value, name) => {
    if (typeof value === "string" && /^(thought_)?signature$|^encrypted_content$|^reasoning_opaque$/.test(name) && value) text.add(value);
    else if (value && typeof value === "object") for (const [each, inner] of Object.entries(value)) look(inner, each);
  };
  // Responses has a new one in each event; the last counts.
  const last = documents.findLast(({ response }) => response?.output?.length > 0);
  for (const document of last ? [last] : documents) look(document, "");
  return text;
}

/** What a person would read in an answer: { text, reasoning, calls, input, output }. */
const readers = {
  chat(documents) {
    const said = { text: "", reasoning: "", calls: [] };
    for (const { choices, x_groq: groq, usage = groq?.usage } of documents) {
      const { message, delta = message } = choices?.[0] ?? {};
      said.text += textOf(delta?.content);
      said.reasoning += delta?.reasoning_content ?? delta?.reasoning ?? "";
      for (const [place, call] of (delta?.tool_calls ?? []).entries()) {
        const known = (said.calls[call.index ?? place] ??= { name: "", arguments: "" });
        known.name ||= call.function?.name ?? "";
        known.arguments += call.function?.arguments ?? "";
      }
      // Some count reasoning beside the answer.
      if (usage)
        Object.assign(said, {
          input: usage.prompt_tokens,
          output: Math.max(usage.completion_tokens, usage.total_tokens - usage.prompt_tokens || 0),
        });
    }
    return said;
  },
  anthropic(documents) {
    const said = { text: [], reasoning: "", calls: [], input: 0 };
    const blocks = new Map();
    for (const event of documents) {
      const message = event.message ?? (event.type === "message" ? event : undefined);
      const usage = message?.usage ?? event.usage;
      for (const [index, block] of (message?.content ?? []).entries()) blocks.set(index, { ...block, json: "" });
      if (event.content_block) blocks.set(event.index, { ...event.content_block, json: "" });
      const block = blocks.get(event.index);
      if (event.delta?.text) block.text = (block.text ?? "") + event.delta.text;
      if (event.delta?.thinking) block.thinking = (block.thinking ?? "") + event.delta.thinking;
      if (event.delta?.partial_json) block.json += event.delta.partial_json;
      const { input_tokens: input, cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage ?? {};
      if (input !== undefined) said.input = Math.max(said.input, input + read + written);
      said.output = usage?.output_tokens ?? said.output;
    }
    for (const { type, text, thinking, name, input, json } of blocks.values()) {
      if (type === "text") said.text.push(text ?? "");
      if (type === "thinking") said.reasoning += thinking ?? "";
      if (type === "tool_use") said.calls.push({ name, arguments: json || JSON.stringify(input) });
    }
    return said;
  },
  responses(documents) {
    const said = { text: [], reasoning: [], calls: [] };
    const { output = [], usage } = documents.map((event) => event.response ?? event).findLast((event) => Array.isArray(event.output)) ?? {};
    const done = documents.flatMap((event) => (event.type === "response.output_item.done" ? event.item : []));
    for (const item of output.length > 0 ? output : done) {
      if (item.type === "message") said.text.push(...item.content.map((part) => textOf([part]).trim()));
      if (item.type === "reasoning") said.reasoning.push(...(item.summary ?? []).map(textOf));
      if (item.type === "function_call") said.calls.push({ name: item.name, arguments: item.arguments });
    }
    return { ...said, input: usage?.input_tokens, output: usage?.output_tokens };
  },
};

const textOf = (content) =>
  typeof content === "string"
    ? content
    : ([content ?? []]
        .flat()
        .map((part) => part.text ?? part.refusal ?? "")
        .join("") ?? "");

/** What the library makes of it: the same, `next`: the request after it, and `error`, its code and message. */
async function played({ api, baseUrl, request, status, body }) {
  const isStream = request.stream === true && !parsed(body);
  const type = isStream ? "text/event-stream" : "application/json";
  const bodies = [];
  const fetch = async (_, init) => {
    bodies.push(JSON.parse(init.body));
    return bodies.length === 1
      ? new Response(body, { status, headers: { "content-type": type } })
      : new Response('{"error":{"message":"That is enough."}}', { status: 400, headers: { "content-type": "application/json" } });
  };
  const given = request.tools ?? [];
  const names = given.map((each) => each.function?.name ?? (each.input_schema || each.parameters ? each.name : undefined));
  const tools = [...new Set(names.filter((name) => /^[\w-]{1,64}$/.test(name ?? "")))].map((name) =>
    tool({ name, description: "Is recorded.", parameters: { type: "object" }, execute: () => "Recorded." }),
  );
  const prefix = api === "anthropic" ? "anthropic" : "openai";
  const llm = new LLM({ model: `${prefix}/${request.model}`, baseUrl, apiKey: "k", apiMode: api, stream: isStream, numRetries: 1, fetch });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools }), store: memoryStore() });
  const run = () =>
    conversation.run().then(
      () => undefined,
      ({ code, message }) => ({ code, message }),
    );
  try {
    await conversation.sendMessage("Go");
    let error = await run();
    const isAsked = bodies.length > 1;
    if (isAsked) error = undefined;
    const events = (await conversation.events.slice()).filter(({ source, kind }) => source === "agent" && kind !== "SystemPromptEvent");
    const calls = events.filter(({ kind }) => kind === "ActionEvent" || kind === "AgentErrorEvent");
    const { accumulated_token_usage: tokens } = Object.values(conversation.stats.usage_to_metrics)[0] ?? {};
    if (!isAsked && !error) {
      await conversation.sendMessage("And?");
      await run();
    }
    return { events, calls, tokens, next: bodies[1], isAsked, error };
  } finally {
    await conversation.close();
  }
}

const same = (one, other) => {
  const [a, b] = [one, other].map((text) => parsed(text) ?? text);
  return JSON.stringify(a) === JSON.stringify(b);
};
const squeezed = (text) => text.replace(/\s+/g, "");

/** The kinds of differences between a recording and what the library makes of it. */
function differences(recording, { events, calls, tokens, next, isAsked, error }) {
  const documents = documentsOf(recording.body);
  const expected = readers[recording.api](documents);
  expected.calls = expected.calls.filter(Boolean);
  const found = [];
  const isExpected = recording.status >= 400 || isError(documents);
  if (error) return isExpected ? [] : [`an error: ${error.code}`];
  // A refusal may be answered by another request.
  if (isExpected) return isAsked ? [] : ["an error that is none"];
  const said = events.map((event) => textOf(event.llm_message?.content ?? event.thought)).join("");
  const texts = [expected.text].flat().filter((text) => text.trim() !== "");
  if (!texts.every((text) => squeezed(said).includes(squeezed(text)))) found.push("text");
  const thought = JSON.stringify(events.map((event) => [event.llm_message ?? {}, event]));
  const isThought = (text) => squeezed(thought).includes(squeezed(JSON.stringify(text).slice(1, -1)));
  if (![expected.reasoning].flat().every(isThought)) found.push("reasoning");
  const made = calls.filter(({ kind }) => kind === "ActionEvent").map(({ tool_call: call }) => call);
  for (const call of expected.calls)
    if (!made.some(({ name, arguments: text }) => name === call.name && same(text, call.arguments || "{}"))) found.push(`call`);
  if (made.length > expected.calls.length) found.push("a call too many");
  const counted = [expected.input, expected.output].map((count) => count || 0);
  if (String(counted) !== String([tokens?.prompt_tokens ?? 0, tokens?.completion_tokens ?? 0])) found.push("tokens");
  if (next) {
    const back = squeezed(JSON.stringify(next.messages ?? next.input));
    const isBack = (text) => back.includes(squeezed(JSON.stringify(text.trim()).slice(1, -1)));
    if (!texts.every(isBack)) found.push("text that is not sent back");
    for (const { id } of made) if (!back.includes(id)) found.push("a call that is not sent back");
    for (const sealed of sealedIn(documents))
      if (!back.includes(JSON.stringify(sealed).slice(1, -1))) found.push("what only its server reads is not sent back");
  } else if (texts.length > 0 || expected.calls.length > 0) found.push("no next request");
  return [...new Set(found)];
}

const kinds = new Map();
let [count, passed] = [0, 0];
for (const repository of process.argv.slice(2)) {
  const [before, passedBefore] = [count, passed];
  for (const recording of recordingsIn(repository)) {
    count++;
    let found;
    try {
      found = differences(recording, await played(recording));
    } catch (error) {
      found = [`the library threw: ${error.code ?? ""} ${error.message.slice(0, 80)}`];
    }
    if (found.length === 0) passed++;
    for (const kind of found) kinds.set(`${recording.api}: ${kind}`, [...(kinds.get(`${recording.api}: ${kind}`) ?? []), recording.name]);
  }
  console.log(`${repository}: ${passed - passedBefore} of ${count - before} recordings without a difference`);
}
for (const [kind, names] of [...kinds].sort(([, a], [, b]) => b.length - a.length)) {
  console.log(`${String(names.length).padStart(5)}  ${kind}`);
  for (const name of names.slice(0, 3)) console.log(`         ${name}`);
}
console.log(`${passed} of ${count} recordings without a difference`);
