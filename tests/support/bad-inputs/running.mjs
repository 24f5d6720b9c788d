// Bad inputs that come while an agent runs: from its tools, and from the way to its model.
import { cyclic, each, hostile, lone, reasons, speechless, unreadable } from "./odd.mjs";

/** Every failure of a tool becomes a result that the model reads. */
const ok = ["ok"];

export function* runningRows() {
  yield* results();
  yield* keys();
  yield* headers();
  yield* urls();
  yield* fetches();
  yield* answers();
}

function* results() {
  const text = (value) => ({ content: [{ type: "text", text: value }] });
  const values = {
    nothing: undefined,
    null: null,
    NaN,
    empty: "",
    lone,
    zero: "a\0b",
    symbol: Symbol("odd"),
    bigint: 7n,
    "a bigint inside": { a: 7n },
    function: () => {},
    cyclic: cyclic(),
    hostile: hostile(),
    speechless: speechless(),
    unreadable: unreadable("a"),
    "an unreadable content": unreadable("content"),
    map: new Map([[1, 2]]),
    date: new Date(NaN),
    bare: Object.create(null),
    "a huge text": "größer".repeat(500_000),
    "a huge array": Array(100_000).fill(7),
    deep: deep(5000),
    "odd toJSON": { toJSON: () => undefined },
    "content of no text": text(7),
    "content with half of a pair": text(lone),
    "empty text": text(""),
    "no content": { content: [] },
    "an odd error mark": { ...text("x"), isError: "yes" },
    "an image without URLs": { content: [{ type: "image" }] },
    "an image with odd URLs": { content: [{ type: "image", image_urls: [7, null] }] },
    "a hostile part": { content: [hostile()] },
    "an endless promise that was settled": Promise.resolve(Promise.resolve("x")),
    "a thenable that throws": {
      then() {
        throw new Error("on purpose");
      },
    },
    "a thenable that rejects with nothing": { then: (_, reject) => reject() },
  };
  for (const [name, value] of each(values))
    yield { name: `a tool that returns ${name}`, expected: ok, attempt: (world) => world.callTool({ execute: () => value }) };
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `a tool that throws ${name}`,
      expected: ok,
      attempt: (world) =>
        world.callTool({
          execute() {
            throw reason;
          },
        }),
    };
    yield {
      name: `a tool that rejects with ${name}`,
      expected: ok,
      attempt: (world) => world.callTool({ execute: () => Promise.reject(reason) }),
    };
  }
  for (const [name, value] of each({
    nothing: undefined,
    symbol: Symbol("odd"),
    hostile: hostile(),
    speechless: speechless(),
    lone,
    huge: "x".repeat(1_000_000),
  })) {
    yield {
      name: `a tool with progress(${name})`,
      expected: ok,
      attempt: (world) =>
        world.callTool({
          execute(_, { progress }) {
            progress(value);
            return "x";
          },
        }),
    };
  }
  yield {
    name: "a tool with progress() after its end",
    expected: ok,
    attempt: async (world) => {
      let late;
      await world.callTool({ execute: (_, { progress }) => ((late = progress), "x") });
      late("too late");
    },
  };
}

function deep(levels) {
  let value = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

/** Opened, sent a message, run with these options of the model; and the message after a failure is answered. */
function run(options) {
  return async (world) => {
    const conversation = await world.open([], { agent: world.agent([], { llm: world.llm([], options) }) });
    await conversation.sendMessage("Please.");
    try {
      await conversation.run();
    } finally {
      const events = await conversation.events.slice();
      await conversation.close();
      const told = JSON.stringify(events);
      // biome-ignore lint/correctness/noUnsafeFinally: a key in the log is worse than the failure of the run.
      if (told.includes("sk-planted")) throw new Error(`the key is in the log: ${told}`);
    }
  };
}

function* keys() {
  const bad = ["llm_auth", "invalid_options"];
  for (const value of ["sk-planted\nx", "sk-planted→", "sk-planted\0", `sk-planted${lone}`]) {
    yield { name: `an API key with ${JSON.stringify(value.slice(10))}`, expected: bad, attempt: run({ apiKey: value, fetch: undefined }) };
    yield {
      name: `a function that gives an API key with ${JSON.stringify(value.slice(10))}`,
      expected: bad,
      attempt: run({ apiKey: () => value }),
    };
  }
  for (const value of ["sk-planted ", "", " ", "é"])
    yield { name: `an API key ${JSON.stringify(value)}`, expected: ["ok", ...bad], attempt: run({ apiKey: value }) };
  for (const [name, value] of each({
    nothing: undefined,
    null: null,
    number: 7,
    symbol: Symbol("odd"),
    object: {},
    hostile: hostile(),
    speechless: speechless(),
    array: ["x"],
  })) {
    yield { name: `a function that gives the API key ${name}`, expected: bad, attempt: run({ apiKey: () => value }) };
  }
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `a function for the API key that throws ${name}`,
      expected: bad,
      attempt: run({
        apiKey() {
          throw reason;
        },
      }),
    };
    yield {
      name: `a function for the API key that rejects with ${name}`,
      expected: bad,
      attempt: run({ apiKey: () => Promise.reject(reason) }),
    };
  }
  yield {
    name: "a function for the API key that never answers, and interrupt()",
    expected: ok,
    attempt: async (world) => {
      let asked;
      const isAsked = new Promise((resolve) => (asked = resolve));
      const apiKey = () => (asked(), new Promise(() => {}));
      const conversation = await world.open([], { agent: world.agent([], { llm: world.llm([], { apiKey }) }) });
      await conversation.sendMessage("Please.");
      const ended = conversation.run();
      await isAsked;
      await conversation.interrupt();
      if ((await ended).status !== "paused") throw new Error("it is not paused");
    },
  };
}

function* headers() {
  const values = {
    "a line break": { a: "x\ny" },
    "a character beyond": { a: "→" },
    "a zero": { a: "x\0" },
    "half of a pair": { a: lone },
    "a name with a space": { "a b": "x" },
    "no name": { "": "x" },
    "a name beyond": { "→": "x" },
  };
  for (const [name, value] of each(values)) {
    yield { name: `headers with ${name}`, expected: ["invalid_options"], attempt: run({ headers: value }) };
    yield {
      name: `headers with ${name}, for the page's fetch`,
      expected: ["invalid_options"],
      attempt: run({ headers: value, fetch: undefined }),
    };
  }
  yield { name: "headers that are inherited", expected: ok, attempt: run({ headers: Object.create({ a: "b" }) }) };
}

function* urls() {
  const values = [
    "",
    " ",
    "http://",
    "http://[",
    "http://a b/",
    "http://x:99999/v1",
    "javascript:alert(1)",
    "ftp://model.test/v1",
    "file:///etc/passwd",
    "data:text/plain,x",
    "blob:x",
    lone,
    "http://user:sk-planted@model.test/v1",
    `http://model.test/${"x".repeat(100_000)}`,
    "http://model.test/\n",
    "//",
    "?",
    "#",
    "\\\\model.test",
  ];
  for (const value of values) {
    const expected = ["invalid_options", "network", "ok", "llm_bad_request", "llm_unavailable"];
    yield { name: `baseUrl ${JSON.stringify(value.slice(0, 30))}`, expected, attempt: run({ baseUrl: value }) };
  }
  for (const value of [
    "http://[",
    "javascript:alert(1)",
    "ftp://127.0.0.1/v1",
    lone,
    "http://user:sk-planted@127.0.0.1:1/v1",
    "http://127.0.0.1:1/v1",
  ]) {
    yield {
      name: `baseUrl ${JSON.stringify(value)}, for the page's fetch`,
      expected: ["invalid_options", "network"],
      attempt: run({ baseUrl: value, fetch: undefined }),
    };
  }
}

function* fetches() {
  const bad = ["network", "llm_unavailable", "offline"];
  for (const [name, reason] of each(reasons)) {
    yield {
      name: `a fetch that throws ${name}`,
      expected: bad,
      attempt: run({
        fetch() {
          throw reason;
        },
      }),
    };
    yield { name: `a fetch that rejects with ${name}`, expected: bad, attempt: run({ fetch: () => Promise.reject(reason) }) };
  }
  const response = (fields) => ({ status: 200, headers: {}, text: () => "", ...fields });
  const values = {
    nothing: undefined,
    null: null,
    text: "x",
    number: 7,
    object: {},
    hostile: hostile(),
    speechless: speechless(),
    symbol: Symbol("odd"),
    "a status of text": { status: "200" },
    "a status beyond": { status: 2 ** 40 },
    "hostile headers": response({ headers: hostile() }),
    "a body that is no stream": response({ body: 7 }),
    "a hostile body": response({ body: hostile() }),
    "a text that throws": response({
      text() {
        throw new Error("on purpose");
      },
    }),
    "a text of nothing": response({ text: () => undefined }),
    "a text of symbols": response({ text: () => Symbol("odd") }),
    "a reader of nothing": response({ body: { getReader: () => undefined } }),
    "a reader that gives nothing": response({ body: { getReader: () => ({ read: () => undefined, cancel: () => undefined }) } }),
    "a reader that gives numbers": response({
      body: {
        getReader: () => ({
          read: async () => ({ done: false, value: 7 }),
          cancel() {
            throw new Error("on purpose");
          },
        }),
      },
    }),
    "a reader that ends at once": response({ body: { getReader: () => ({ read: async () => ({ done: true }), cancel: async () => {} }) } }),
    "an unreadable status": unreadable("status"),
  };
  for (const [name, value] of each(values)) {
    yield { name: `a fetch that gives ${name}`, expected: bad, attempt: run({ fetch: () => value }) };
    yield { name: `a fetch that resolves to ${name}`, expected: bad, attempt: run({ fetch: async () => value }) };
  }
  for (const [name, options] of each({ stream: { stream: true }, whole: { stream: false } })) {
    yield {
      name: `a fetch that never answers (${name}), and a time-out`,
      expected: ["llm_timeout"],
      attempt: run({ ...options, timeout: 0.05, fetch: () => new Promise(() => {}) }),
    };
  }
}

function* answers() {
  const bad = ["llm_unavailable", "network", "llm_bad_request", "llm_content_policy", "llm_rate_limit", "llm_auth", "llm_context_window"];
  const bodies = [
    "",
    " ",
    "null",
    "7",
    '"x"',
    "[]",
    "{}",
    '{"choices":null}',
    '{"choices":[]}',
    '{"choices":[null]}',
    '{"choices":[{"message":7}]}',
    '{"choices":[{"message":{"role":"assistant","content":{"a":1}}}]}',
    "<html>",
    "data: x\n\n",
    "data: {}\n\n",
    "data: [DONE]\n\n",
    `data: ${"x".repeat(100_000)}`,
    '{"error":{"message":"no"}}',
    '{"error":7}',
    '{"error":null}',
    "\ufeff{}",
    "\0\0\0",
    "[".repeat(100_000),
  ];
  for (const [index, body] of bodies.entries()) {
    for (const status of [200, 400, 500]) {
      // Of some an empty answer can be made, and three of those are as many as anybody wants.
      yield {
        name: `an answer ${status} ${JSON.stringify(body.slice(0, 40))} (${index})`,
        expected: [...bad, "ok"],
        attempt: run({ fetch: async () => new Response(body, { status }) }),
      };
    }
  }
  for (const status of [204, 205, 304, 401, 402, 403, 404, 408, 409, 413, 418, 429, 451, 501, 503, 529, 599]) {
    yield {
      name: `an answer of status ${status}`,
      expected: [...bad, "llm_timeout"],
      attempt: run({ fetch: async () => new Response(null, { status }) }),
    };
  }
  const calls = {
    "a name of no tool": { name: "nothing", arguments: {} },
    "an empty name": { name: "", arguments: {} },
    "no JSON": { name: "think", arguments: "{" },
    "arguments of text": { name: "think", arguments: '"x"' },
    "arguments of null": { name: "think", arguments: "null" },
    "arguments of no bytes": { name: "think", arguments: "" },
    "half of a pair": { name: "think", arguments: '{"thought":"\\ud83d"}' },
    "deep arguments": { name: "think", arguments: `{"thought":${"[".repeat(5000)}${"]".repeat(5000)}}` },
    "a prototype": { name: "think", arguments: '{"__proto__":{"a":1},"thought":"x"}' },
    "an id of nothing": { id: "", name: "think", arguments: { thought: "x" } },
    "a number beyond": { name: "think", arguments: '{"thought":1e999}' },
    "the name of a property": { name: "__proto__", arguments: {} },
  };
  for (const [name, call] of each(calls)) {
    // A call without a name cannot be answered.
    yield {
      name: `a call with ${name}`,
      expected: ["ok", "llm_unavailable"],
      attempt: async (world) => {
        const conversation = await world.open([{ calls: [call] }, { calls: [call, call] }]);
        await conversation.sendMessage("Please.");
        const { status } = await conversation.run();
        if (status !== "finished") throw new Error(status);
      },
    };
  }
}
