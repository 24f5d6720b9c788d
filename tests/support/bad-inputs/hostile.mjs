// Values that throw at whatever is done with them, wherever a host passes one: what they throw is never what the host gets.
import { storeWith } from "../store-with.mjs";
import { each, hostile, revoked, speechless, unreadable } from "./odd.mjs";

const expected = ["invalid_options"];

/** An array that throws once it is looked into. */
const trapped = () =>
  new Proxy(["x"], {
    get(target, name) {
      if (name === "0" || name === Symbol.iterator) throw new Error("on purpose");
      return Reflect.get(target, name);
    },
  });
const values = () => ({
  hostile: hostile(),
  revoked: revoked(),
  "a revoked array": revoked([]),
  "a revoked function": revoked(() => {}),
  "an array that throws": trapped(),
});
/** The same, where any object or text is taken. */
const fields = () => ({ ...values(), speechless: speechless() });

export function* hostileRows() {
  for (const [what, attempt] of Object.entries(places)) {
    for (const [name, value] of each(values())) yield { name: `${what}: ${name}`, expected, attempt: (world) => attempt(world, value) };
  }
  for (const [what, attempt] of Object.entries(inner)) {
    for (const [name, value] of each(fields())) yield { name: `${what}: ${name}`, expected, attempt: (world) => attempt(world, value) };
  }
}

const opened = (use) => async (world, value) => use(await world.open(), value, world);
const model =
  (name) =>
  ({ library: { LLM } }, value) =>
    new LLM({ model: "x", [name]: value });
const tool =
  (name) =>
  ({ library }, value) =>
    library.tool({ name: "odd", description: "", parameters: { type: "object" }, execute() {}, [name]: value });

/** Values that are passed as an argument. */
const places = {
  "new LLM()": ({ library: { LLM } }, value) => new LLM(value),
  ...Object.fromEntries(
    ["headers", "capabilityOverrides", "fallbacks", "fallbackOn", "baseUrl", "baseURL"].map((name) => [`LLM ${name}`, model(name)]),
  ),
  "new Agent()": ({ library: { Agent } }, value) => new Agent(value),
  "Agent llm": ({ library: { Agent } }, value) => new Agent({ llm: value }),
  "Agent tools": (world, value) => world.agent([], { tools: value }),
  "tool()": ({ library }, value) => library.tool(value),
  ...Object.fromEntries(["name", "description", "annotations"].map((name) => [`tool ${name}`, tool(name)])),
  ...Object.fromEntries(
    [
      "agent",
      "conversationId",
      "store",
      "callbacks",
      "tokenCallbacks",
      "confirmationPolicy",
      "securityAnalyzer",
      "tags",
      "secrets",
      "cipher",
      "offline",
      "stuckDetection",
      "maxBudgetPerRun",
    ].map((name) => [`Conversation.open() ${name}`, (world, value) => world.open([], { [name]: value })]),
  ),
  "indexedDBStore() name": ({ library }, value) => library.indexedDBStore(value),
  "indexedDBStore() options": ({ library }, value) => library.indexedDBStore("odd", value),
  "Conversation.list()": ({ library: { Conversation } }, value) => Conversation.list({ store: value }),
  "Conversation.delete()": ({ library: { Conversation, memoryStore } }, value) => Conversation.delete(value, { store: memoryStore() }),
  "Conversation.importZip()": ({ library: { Conversation, memoryStore } }, value) =>
    Conversation.importZip(value, { store: memoryStore() }),
  "Conversation.importZip() options": ({ library: { Conversation } }, value) => Conversation.importZip(new Blob(), value),
  "Conversation.importJSON()": ({ library: { Conversation, memoryStore } }, value) =>
    Conversation.importJSON(value, { store: memoryStore() }),
  "Conversation.importJSON() options": ({ library: { Conversation } }, value) => Conversation.importJSON("[]", value),
  "new LLMProfileStore()": ({ library: { LLMProfileStore } }, value) => new LLMProfileStore(value),
  "LLMProfileStore.save()": ({ library: { LLMProfileStore } }, value) => new LLMProfileStore("odd").save("odd", value),
  "LLMProfileStore.load()": ({ library: { LLMProfileStore } }, value) => new LLMProfileStore("odd").load("odd", value),
  ...Object.fromEntries(
    [
      "sendMessage",
      "switchLLM",
      "setTags",
      "setConfirmationPolicy",
      "setSecurityAnalyzer",
      "updateSecrets",
      "setAllowedTools",
      "run",
      "exportZip",
    ].map((verb) => [`${verb}()`, opened((conversation, value) => conversation[verb](value))]),
  ),
  "sendMessage() options": opened((conversation, value) => conversation.sendMessage("x", value)),
  "rejectPendingActions() options": opened((conversation, value) => conversation.rejectPendingActions("x", value)),
  "executeTool() options": opened((conversation, value) => conversation.executeTool("think", { thought: "x" }, value)),
};

/** Values that are passed inside another value. */
const inner = {
  "a header": ({ library: { LLM } }, value) => new LLM({ model: "x", headers: { a: value } }),
  "a fallback": ({ library: { LLM } }, value) => new LLM({ model: "x", fallbacks: [value] }),
  "a code to fall back on": ({ library: { LLM } }, value) => new LLM({ model: "x", fallbackOn: [value] }),
  "an ability": ({ library: { LLM } }, value) => new LLM({ model: "x", capabilityOverrides: { supports_vision: value } }),
  "a header that cannot be read": ({ library: { LLM } }) => new LLM({ model: "x", headers: unreadable("a") }),
  "an ability that cannot be read": ({ library: { LLM } }) => new LLM({ model: "x", capabilityOverrides: unreadable("supports_vision") }),
  "a tool": (world, value) => world.agent([], { tools: [value] }),
  "a tag": opened((conversation, value) => conversation.setTags({ a: value })),
  "a tag that cannot be read": opened((conversation) => conversation.setTags(unreadable("a"))),
  "a part of a message": opened((conversation, value) => conversation.sendMessage([value])),
  "the kind of a part": opened((conversation, value) => conversation.sendMessage([{ type: value, text: "x" }])),
  "the text of a part": opened((conversation, value) => conversation.sendMessage([{ type: "text", text: value }])),
  "an image of a message": opened((conversation, value) => conversation.sendMessage([{ type: "image", image_urls: [value] }])),
  "the images of a message": opened((conversation, value) => conversation.sendMessage([{ type: "image", image_urls: value }])),
  "a sender": opened((conversation, value) => conversation.sendMessage("x", { sender: value })),
  "a signal": opened((conversation, value) => conversation.run({ signal: value })),
  "the signal of an export": opened((conversation, value) => conversation.exportZip({ signal: value })),
  "the ids of run()": opened((conversation, value) => conversation.run({ approve: value })),
  "an id of run()": opened((conversation, value) => conversation.run({ approve: [value] })),
  "a threshold of a policy": opened((conversation, value) =>
    conversation.setConfirmationPolicy({ kind: "ConfirmRisky", threshold: value }),
  ),
  "a list of patterns": opened((conversation, value) =>
    conversation.setSecurityAnalyzer({ kind: "PatternSecurityAnalyzer", highPatterns: value }),
  ),
  "a pattern": opened((conversation, value) =>
    conversation.setSecurityAnalyzer({ kind: "PatternSecurityAnalyzer", highPatterns: [value] }),
  ),
  "analyzers of an ensemble": opened((conversation, value) =>
    conversation.setSecurityAnalyzer({ kind: "EnsembleSecurityAnalyzer", analyzers: value }),
  ),
  "patterns that cannot be read": opened((conversation) =>
    conversation.setSecurityAnalyzer(unreadable("highPatterns", { kind: "PatternSecurityAnalyzer" })),
  ),
  "the url of a secret": opened((conversation, value) => conversation.updateSecrets({ A: { url: value } })),
  "the headers of a secret": opened((conversation, value) =>
    conversation.updateSecrets({ A: { url: "https://secrets.test/", headers: value } }),
  ),
  "JSON that throws": ({ library: { Conversation, memoryStore } }, value) =>
    Conversation.importJSON([{ role: "user", content: unreadable("text") }, value], { store: memoryStore() }),
  "JSON whose toJSON throws": ({ library: { Conversation, memoryStore } }) =>
    Conversation.importJSON(
      {
        toJSON() {
          throw new Error("on purpose");
        },
      },
      { store: memoryStore() },
    ),
  "the name of a store": ({ library: { Conversation, memoryStore } }) =>
    Conversation.list({
      store: unreadable("name", storeWith(memoryStore())),
    }),
};
