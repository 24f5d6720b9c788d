// A conversation in which tools and the model do all they can to let secrets out. Runs in Node and in pages.
import { ScriptedModel } from "../support/model/script.mjs";
import { found, shapes, ways } from "./shapes.mjs";

const names = Object.keys(shapes);
const pieceLength = 3;
const argumentsLength = 200;

/**
 * Opens a conversation in `store`, lets everybody talk, and returns every text that came out, by place: arrays of
 * strings. `library` is the package.
 */
export async function plant(library, store) {
  const { Agent, Conversation, LLM, tool } = library;
  const places = { events: [], deltas: [], progress: [], errors: [], console: [], "other tools": [], requests: [], results: [] };
  const restore = [listenToConsole(places.console), answerLookups()];
  const given = {};
  const leak = tool({
    name: "leak",
    description: "Lets a secret out.",
    parameters: { type: "object", properties: { name: { type: "string" }, how: { type: "string" } } },
    async execute({ name, how }, context) {
      const value = await context.secret(name);
      given[name] = value;
      if (how === "throw") throw new Error(`cannot use ${value}, ${JSON.stringify(value)}`);
      if (how === "parts") return { content: pieces(`<${value}>`, 7).map((text) => ({ type: "text", text })) };
      if (how === "image") return { content: [{ type: "image", image_urls: [`https://host/?k=${encodeURIComponent(value)}`] }] };
      if (how === "object") return { [value]: value, deep: [{ value }] };
      if (how === "error") return { content: [{ type: "text", text: value }], isError: true };
      if (how === "progress") {
        context.progress(`using ${value}`);
        for (const piece of pieces(value, 5)) context.progress(piece);
        return "done";
      }
      return ways[how](value);
    },
  });
  const other = tool({
    name: "other",
    description: "Has no business with secrets.",
    parameters: { type: "object" },
    execute: (args) => (places["other tools"].push(JSON.stringify(args), ...stringsOf(args)), "ok"),
  });
  const hows = [...Object.keys(ways), "throw", "parts", "image", "object", "error", "progress"];
  const everything = names
    .map(
      (name) =>
        `${name}: ${Object.values(ways)
          .map((way) => way(shapes[name]))
          .join(" ")}`,
    )
    .join("\n");
  const answers = [
    { calls: names.flatMap((name) => hows.map((how) => ({ name: "leak", arguments: { name, how }, pieces: argumentsLength }))) },
    {
      text: everything,
      reasoning: everything,
      pieces: pieceLength,
      calls: [
        ...names.map((name) => ({ text: `say ${shapes[name]}`, json: JSON.stringify({ v: shapes[name] }), [shapes[name]]: 1 })),
        `{"object":${shapes.OBJECT},"array":${shapes.ARRAY},"number":${shapes.DIGITS}}`,
        `{"cut":"${shapes.PLAIN}`,
      ]
        .map((args) => ({ name: "other", arguments: args, pieces: argumentsLength }))
        .concat({ name: shapes.PLAIN }),
    },
    { text: everything, reasoning: everything, pieces: pieceLength },
    { status: 400, body: { error: { message: `refused: ${everything}` } } },
  ];
  const model = new ScriptedModel(answers);
  const fetch = (url, options) => (places.requests.push(options.body), model.fetch(url, options));
  try {
    const llm = new LLM({ model: "openai/scripted", baseUrl: "https://model.invalid/v1", apiKey: "sk-model", numRetries: 1, fetch });
    let content = "";
    let reasoning = "";
    const conversation = await Conversation.open({
      agent: new Agent({ llm, tools: [leak, other], toolConcurrencyLimit: 4 }),
      store,
      callbacks: [(event) => places.events.push(JSON.stringify(event), ...stringsOf(event))],
      tokenCallbacks: [
        (live) => {
          if (live.kind === "ToolProgressEvent") return void places.progress.push(live.text);
          content += live.content ?? "";
          reasoning += live.reasoning_content ?? "";
          places.deltas.push(JSON.stringify(live));
        },
      ],
      secrets: sources(),
    });
    await conversation.sendMessage("Go.");
    const { finalResponse } = await conversation.run();
    places.results.push(finalResponse);
    await conversation.sendMessage("Go on.");
    const error = await conversation.run().then(
      () => ({}),
      (error) => error,
    );
    places.errors.push(`${error.message}\n${error.stack}\n${JSON.stringify(error)}\n${String(error.cause)}`);
    places.deltas.push(content, reasoning);
    places.progress.push(places.progress.join(""));
    for (const name of names) {
      for (const how of ["plain", "throw", "parts"]) {
        const observation = await conversation.executeTool("leak", { name, how });
        places.results.push(JSON.stringify(observation), ...stringsOf(observation));
      }
    }
    const zip = await conversation.exportZip();
    places.archive = await entries(new Uint8Array(await zip.arrayBuffer()));
    places.state = [JSON.stringify(conversation.state)];
    await conversation.close();
    return { id: conversation.id, code: error.code, given, places };
  } finally {
    for (const undo of restore) undo();
  }
}

/** `place: shape (spelling)` for everything that is somewhere. */
export function leaks(places) {
  return [
    ...new Set(Object.entries(places).flatMap(([place, texts]) => texts.flatMap((text) => found(text).map((hit) => `${place}: ${hit}`)))),
  ];
}

/** By turns as values, functions, asynchronous functions, and to be fetched. */
function sources() {
  return Object.fromEntries(
    names.map((name, index) => {
      const value = shapes[name];
      return [
        name,
        [
          value,
          () => value,
          async () => value,
          { url: `https://vault.invalid/${name}`, headers: { Authorization: "Bearer vault-pass-0123456789" } },
        ][index % 4],
      ];
    }),
  );
}

function answerLookups() {
  const original = globalThis.fetch;
  globalThis.fetch = async (url, options) => {
    const { hostname, pathname } = new URL(url);
    if (hostname !== "vault.invalid") return original(url, options);
    const isAllowed = new Headers(options.headers).get("authorization") === "Bearer vault-pass-0123456789";
    return new Response(isAllowed ? shapes[pathname.slice(1)] : "who are you?", { status: isAllowed ? 200 : 401 });
  };
  return () => (globalThis.fetch = original);
}

function listenToConsole(lines) {
  const levels = ["log", "info", "warn", "error", "debug"];
  const originals = levels.map((level) => console[level]);
  for (const level of levels) console[level] = (...words) => lines.push(words.map(String).join(" "));
  return () => levels.forEach((level, index) => (console[level] = originals[index]));
}

function pieces(text, length) {
  const points = [...text];
  return Array.from({ length: Math.ceil(points.length / length) }, (_, i) => points.slice(i * length, (i + 1) * length).join(""));
}

/** Every string in a value, names included. */
function stringsOf(value) {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...stringsOf(inner)]);
}

/** The contents of a zip of our own, whose sizes stand in its central directory. */
export async function entries(zip) {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const signature = (at) => view.getUint32(at, true);
  let end = zip.length - 22;
  while (signature(end) !== 0x06054b50) end -= 1;
  const texts = [];
  for (let at = view.getUint32(end + 16, true); signature(at) === 0x02014b50; ) {
    const [packed, name, extra, comment, local] = [
      view.getUint32(at + 20, true),
      view.getUint16(at + 28, true),
      view.getUint16(at + 30, true),
      view.getUint16(at + 32, true),
      view.getUint32(at + 42, true),
    ];
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const bytes = zip.subarray(start, start + packed);
    const plain =
      view.getUint16(at + 10, true) === 8
        ? new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")))
        : new Response(bytes);
    texts.push(await plain.text());
    at += 46 + name + extra + comment;
  }
  return texts;
}
