// Bad inputs to what is made before a conversation is opened: models, tools, agents, stores.
import { cyclic, each, hostile, lone, noArray, noFunction, noNumber, noObject, noString, speechless, unreadable } from "./odd.mjs";

const invalid = ["invalid_options"];
const either = ["invalid_options", "ok"];

export function* constructorRows() {
  yield* models();
  yield* tools();
  yield* agents();
  yield* stores();
}

function* models() {
  const make =
    (options) =>
    ({ library: { LLM } }) =>
      new LLM(options);
  for (const [name, value] of each({ ...noObject, nothing: undefined, array: [], hostile: hostile() }))
    yield { name: `new LLM(${name})`, expected: invalid, attempt: make(value) };
  for (const key of ["model", "baseUrl", "usageId", "apiKey"]) {
    for (const [name, value] of each(noString)) {
      // A key may be a function, and what it gives is looked at when it is asked.
      const expected = key === "apiKey" && ["function", "hostile"].includes(name) ? ["ok"] : invalid;
      yield { name: `LLM ${key}: ${name}`, expected, attempt: make({ model: "x", [key]: value }) };
    }
    yield { name: `LLM ${key} that cannot be read`, expected: invalid, attempt: make(unreadable(key, { model: "x" })) };
  }
  for (const key of ["temperature", "topP", "maxOutputTokens", "numRetries", "timeout", "inputCostPerToken", "outputCostPerToken"]) {
    for (const [name, value] of each(noNumber))
      yield { name: `LLM ${key}: ${name}`, expected: invalid, attempt: make({ model: "x", [key]: value }) };
  }
  for (const key of ["maxOutputTokens", "numRetries"]) {
    for (const value of [1.5, 2 ** 40]) yield { name: `LLM ${key}: ${value}`, expected: either, attempt: run({ [key]: value }) };
  }
  for (const [name, value] of each(noFunction))
    yield { name: `LLM fetch: ${name}`, expected: invalid, attempt: make({ model: "x", fetch: value }) };
  for (const key of ["reasoningEffort", "reasoningSummary"]) {
    for (const value of ["", "high ", 7, null])
      yield { name: `LLM ${key}: ${value}`, expected: invalid, attempt: make({ model: "x", [key]: value }) };
  }
  for (const value of ["", " ", "\n"])
    yield { name: `LLM model: ${JSON.stringify(value)}`, expected: invalid, attempt: make({ model: value }) };
  for (const [name, value] of each({
    ...noObject,
    array: ["x"],
    hostile: hostile(),
    number: { a: 7 },
    unreadable: unreadable("a"),
    symbol: { a: Symbol("odd") },
  })) {
    yield { name: `LLM headers: ${name}`, expected: invalid, attempt: make({ model: "x", headers: value }) };
  }
}

/** Made, opened, and run. */
function run(options) {
  return async (world) => {
    const conversation = await world.open([], { agent: world.agent([], { llm: world.llm([], options) }) });
    await conversation.sendMessage("Please.");
    await conversation.run();
  };
}

function* tools() {
  const plain = { name: "odd", description: "Is odd.", parameters: { type: "object" }, execute: () => "x" };
  const make =
    (options) =>
    ({ library: { tool } }) =>
      tool(options);
  for (const [name, value] of each({ ...noObject, nothing: undefined, hostile: hostile() }))
    yield { name: `tool(${name})`, expected: invalid, attempt: make(value) };
  for (const key of ["name", "description"]) {
    for (const [name, value] of each({ ...noString, nothing: undefined }))
      yield { name: `tool ${key}: ${name}`, expected: invalid, attempt: make({ ...plain, [key]: value }) };
  }
  for (const value of ["", "a b", "ä", "a".repeat(65), lone, "a\n"])
    yield { name: `tool name: ${JSON.stringify(value.slice(0, 9))}`, expected: invalid, attempt: make({ ...plain, name: value }) };
  for (const [name, value] of each({ ...noFunction, nothing: undefined }))
    yield { name: `tool execute: ${name}`, expected: invalid, attempt: make({ ...plain, execute: value }) };
  for (const [name, value] of each({ text: "x", null: null, number: 7, object: {} }))
    yield { name: `tool replay: ${name}`, expected: invalid, attempt: make({ ...plain, replay: value }) };
  for (const key of Object.keys(plain))
    yield { name: `tool whose ${key} cannot be read`, expected: invalid, attempt: make(unreadable(key, plain)) };

  const schemas = {
    ...noObject,
    nothing: undefined,
    "of a text": { type: "string" },
    cyclic: cyclic(),
    bigint: { type: "object", minProperties: 1n },
    hostile: hostile(),
    unreadable: unreadable("type"),
    "unreadable inside": { type: "object", properties: unreadable("a") },
    "odd toJSON": { type: "object", toJSON: () => undefined },
    array: [],
    "standard without an inside": { "~standard": null },
    "standard without schema": { "~standard": { version: 1, vendor: "x", validate: () => ({ value: 1 }) } },
    "standard whose schema throws": standard(() => {
      throw new Error("on purpose");
    }),
    "standard whose schema is of a text": standard(() => ({ type: "string" })),
  };
  for (const [name, value] of each(schemas))
    yield { name: `tool parameters: ${name}`, expected: invalid, attempt: make({ ...plain, parameters: value }) };

  // Validators differ on these; the model gets an error if a call cannot be checked.
  const doubtful = {
    "an unknown type": { type: "object", properties: { a: { type: "nonsense" } } },
    "a reference to nowhere": { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
    "a circle of references": { type: "object", properties: { a: { $ref: "#/properties/a" } } },
    "a bad pattern": { type: "object", properties: { a: { pattern: "(" } } },
    "odd keywords": { type: "object", required: 7, properties: null, additionalProperties: "no" },
    "a lone surrogate": { type: "object", properties: { [lone]: { description: lone } } },
    "a class": new (class {
      type = "object";
    })(),
    depth: deep(2000),
  };
  for (const [name, parameters] of each(doubtful)) {
    yield {
      name: `tool parameters with ${name}`,
      expected: either,
      attempt: (world) => world.callTool({ parameters, execute: () => "x" }, { a: "b" }),
    };
  }
  const validations = {
    throws: () => {
      throw new Error("on purpose");
    },
    "rejects with nothing": () => Promise.reject(),
    "gives nothing": () => undefined,
    "gives odd issues": () => ({ issues: [7, { message: Symbol("odd"), path: 7 }] }),
    "gives a hostile value": () => ({ value: hostile() }),
  };
  for (const [name, validate] of each(validations)) {
    yield {
      name: `tool whose schema's validate ${name}`,
      expected: ["ok"],
      attempt: (world) => world.callTool({ parameters: standard(() => ({ type: "object" }), validate), execute: () => "x" }),
    };
  }
  for (const [name, annotations] of each({
    text: "x",
    null: null,
    number: 7,
    "odd hints": { readOnlyHint: "yes", title: 7 },
    hostile: hostile(),
    unreadable: unreadable("title"),
    symbol: { title: Symbol("odd") },
    array: [1],
  })) {
    yield { name: `tool annotations: ${name}`, expected: either, attempt: (world) => world.callTool({ annotations, execute: () => "x" }) };
  }
}

function standard(input, validate = (value) => ({ value })) {
  return { "~standard": { version: 1, vendor: "odd", validate, jsonSchema: { input } } };
}

function deep(levels) {
  let schema = { type: "object" };
  for (let i = 0; i < levels; i++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

function* agents() {
  const make = (options) => (world) => new world.library.Agent({ llm: world.llm(), ...options });
  for (const [name, value] of each({ ...noObject, nothing: undefined, object: {}, hostile: hostile() }))
    yield { name: `new Agent(${name})`, expected: invalid, attempt: ({ library: { Agent } }) => new Agent(value) };
  for (const [name, value] of each({ ...noObject, object: { options: { model: "x" } }, hostile: hostile() }))
    yield { name: `Agent llm: ${name}`, expected: invalid, attempt: make({ llm: value }) };
  for (const [name, value] of each({
    ...noArray,
    "of nothing": [undefined],
    "of hostile": [hostile()],
    "of names": ["a"],
    "of objects": [{ name: "x" }],
  }))
    yield { name: `Agent tools: ${name}`, expected: invalid, attempt: make({ tools: value }) };
  for (const [name, value] of each(noString))
    yield { name: `Agent systemPrompt: ${name}`, expected: invalid, attempt: make({ systemPrompt: value }) };
  for (const [name, value] of each({ ...noNumber, zero: 0, half: 0.5 }))
    yield { name: `Agent toolConcurrencyLimit: ${name}`, expected: invalid, attempt: make({ toolConcurrencyLimit: value }) };
  yield {
    name: "Agent whose tools cannot be read",
    expected: invalid,
    attempt: ({ library: { Agent } }) => new Agent(unreadable("tools")),
  };
  // A tool of the host's own making, not by tool().
  const own = { name: "own", description: "x", parameters: { type: "object" }, annotations: {}, execute: () => "x" };
  const broken = {
    "a bad name": { name: "a b" },
    "no description": { description: undefined },
    "no parameters": { parameters: undefined },
    "cyclic parameters": { parameters: cyclic() },
    "no annotations": { annotations: undefined },
    "an odd replay": { replay: "perhaps" },
    "the name of a tool that is there": { name: "finish" },
  };
  for (const [name, fields] of each(broken)) {
    yield {
      name: `Agent with a tool with ${name}`,
      expected: either,
      attempt: (world) => world.open([], { agent: world.agent([], { tools: [{ ...own, ...fields }] }) }),
    };
  }
  yield {
    name: "Agent with the same tool twice",
    expected: invalid,
    attempt: (world) => world.open([], { agent: world.agent([], { tools: [own, own] }) }),
  };
  const skill = { name: "a", content: "b" };
  const contexts = {
    ...noObject,
    hostile: hostile(),
    unreadable: unreadable("skills"),
    "hostile skills": { skills: hostile() },
    "a hostile skill": { skills: [hostile()] },
    "an unreadable skill": { skills: [unreadable("content", skill)] },
    "hostile keywords": { skills: [{ ...skill, trigger: { type: "keyword", keywords: hostile() } }] },
    "a hostile trigger": { skills: [{ ...skill, trigger: hostile() }] },
    "hostile metadata": { skills: [{ ...skill, metadata: hostile() }] },
    "a symbol as suffix": { userMessageSuffix: Symbol("odd") },
    "hostile resources": { skills: [{ ...skill, resources: hostile() }] },
    "a hostile date": { currentDatetime: hostile() },
    "an invalid date": { currentDatetime: new Date(NaN) },
  };
  for (const [name, agentContext] of each(contexts)) {
    yield {
      name: `Agent agentContext: ${name}`,
      expected: invalid,
      attempt: (world) => world.open([], { agent: world.agent([], { agentContext }) }),
    };
  }
  for (const [name, text] of each({ empty: "", lone, huge: "x".repeat(2_000_000) })) {
    yield {
      name: `a skill whose text is ${name}`,
      expected: either,
      attempt: async (world) => {
        const agentContext = {
          skills: [{ name: text || "a", content: text, trigger: { type: "keyword", keywords: [text, "please"] } }],
          userMessageSuffix: text,
          memoryContext: text,
        };
        const conversation = await world.open([], { agent: world.agent([], { agentContext }) });
        await conversation.sendMessage("Please.");
        await conversation.run();
      },
    };
  }
  for (const [name, source] of each({
    ...noObject,
    hostile: hostile(),
    "a hostile text": { "a/SKILL.md": hostile() },
    lone,
    "an unreadable text": unreadable("a/SKILL.md"),
  })) {
    yield { name: `loadSkills(${name})`, expected: [...invalid, "network"], attempt: ({ library }) => library.loadSkills(source) };
  }
  for (const [name, systemPrompt] of each({ empty: "", blank: " \n", lone, huge: "x".repeat(2_000_000) })) {
    yield {
      name: `a system prompt that is ${name}`,
      expected: either,
      attempt: async (world) => {
        const conversation = await world.open([], { agent: world.agent([], { systemPrompt }) });
        await conversation.sendMessage("Please.");
        await conversation.run();
      },
    };
  }
}

function* stores() {
  for (const [name, value] of each({ ...noString, empty: "", nothing: null }))
    yield { name: `indexedDBStore(${name})`, expected: invalid, attempt: ({ library }) => library.indexedDBStore(value) };
  for (const [name, value] of each({
    text: "x",
    number: 7,
    object: { durability: "perhaps" },
    symbol: { durability: Symbol("odd") },
    unreadable: unreadable("durability"),
    hostile: hostile(),
  })) {
    yield {
      name: `indexedDBStore with options ${name}`,
      expected: ["text", "number"].includes(name) ? either : invalid,
      attempt: ({ library }) => library.indexedDBStore("odd", value),
    };
  }
  const calls = {
    load: [7],
    events: [{}, "x", hostile()],
    indexOf: [null, speechless()],
    commit: ["x", hostile()],
    files: [Symbol("odd")],
    readFile: [undefined, 7n],
    delete: [hostile()],
  };
  for (const [method, given] of each(calls))
    yield { name: `${method}() of a store`, expected: invalid, attempt: ({ library }) => library.memoryStore()[method](...given) };
  const id = "00000000-0000-4000-8000-000000000000";
  for (const [name, value] of each({
    nothing: undefined,
    null: null,
    number: 7,
    object: {},
    hostile: hostile(),
    "odd events": { expectedLength: 0, at: 0, durability: "strict", events: [{ id: 7 }], files: [] },
    "an odd length": { expectedLength: -1, at: 0, durability: "strict", events: [], files: [] },
  })) {
    yield {
      name: `commit(${name}) to a store`,
      expected: ["invalid_options", "store_corrupt"],
      attempt: ({ library }) => library.memoryStore().commit(id, value),
    };
  }
}
