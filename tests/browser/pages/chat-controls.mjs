// The page of ui/chat/controls.test.mjs and others: <threadkeep-chat> with the real library and a scripted model. The id of the conversation
// is in the hash; the query may have `policy` (always), `model` and `files`.
import { Agent, LLM, fileEditor, memoryWorkspace, taskTool, tool } from "/threadkeep/index.js";
import "/threadkeep/chat.js";

const query = new URLSearchParams(location.search);
const risks = { transfer_money: "HIGH", roll_dice: "LOW", hang: "MEDIUM" };

const transferMoney = tool({
  name: "transfer_money",
  description: "Transfers money.",
  parameters: {
    type: "object",
    properties: { to: { type: "string" }, amount: { type: "number", minimum: 0 } },
    required: ["to", "amount"],
  },
  annotations: { destructiveHint: true },
  execute: ({ to, amount }) => `${amount} for ${to}`,
});
const rollDice = tool({
  name: "roll_dice",
  description: "Rolls dice.",
  parameters: { type: "object", properties: { count: { type: "number" } } },
  annotations: { destructiveHint: true },
  execute: ({ count = 1 }) => `${count} rolled`,
});
const bookTrip = tool({
  name: "book_trip",
  description: "Books a trip.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "string", title: "Destination", description: "A city\u202e or an airport" },
      seats: { type: "integer", minimum: 1 },
      class: { enum: ["economy", "business"] },
      window: { type: "boolean" },
      notes: { anyOf: [{ type: "string" }, { type: "null" }] },
      stops: { type: "array", items: { type: "string" } },
      contact: { $ref: "#/$defs/Contact" },
      pin: { type: "string", format: "password" },
      budget: { type: ["number", "string"] },
    },
    required: ["to", "seats"],
    $defs: { Contact: { type: "object", properties: { name: { type: "string" }, mail: { type: "string" } }, required: ["name"] } },
  },
  annotations: { destructiveHint: true },
  execute: (args) => `Booked ${JSON.stringify(args)}`,
});
/** It ends when it is stopped, or with the page. */
const hang = tool({
  name: "hang",
  description: "Takes very long.",
  parameters: { type: "object", properties: {} },
  replay: "ask",
  execute: (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped")))),
});

const chat = document.createElement("threadkeep-chat");
if (location.hash) chat.setAttribute("conversation-id", location.hash.slice(1));
chat.addEventListener("conversation-open", ({ detail }) => (location.hash = detail.conversationId));
chat.options = {
  agent: new Agent({
    llm: new LLM({ model: query.get("model") ?? "openai/gpt-4o", baseUrl: "/v1", apiKey: "none" }),
    tools: [transferMoney, rollDice, bookTrip, hang, taskTool(), ...(query.has("files") ? [fileEditor()] : [])],
  }),
  // Its own files need no approval.
  ...(!query.has("files") && { workspace: memoryWorkspace() }),
  securityAnalyzer: { securityRisk: ({ tool_name: name }) => risks[name] ?? "UNKNOWN" },
  confirmationPolicy:
    query.get("policy") === "always" ? { kind: "AlwaysConfirm" } : { kind: "ConfirmRisky", threshold: "HIGH", confirmUnknown: false },
};
if (query.has("models"))
  chat.models = [
    { name: "Large", llm: new LLM({ model: "openai/gpt-4o", baseUrl: "/v1", apiKey: "none" }) },
    { name: "Small", llm: async () => new LLM({ model: "openai/gpt-4o-mini", baseUrl: "/v1", apiKey: "none" }) },
    {
      name: "Broken",
      llm: () => {
        throw new Error("the key was not given");
      },
    },
  ];
window.changes = [];
chat.addEventListener("model-change", ({ detail }) => window.changes.push(detail.name));
if (query.has("german")) chat.labels = { send: "Senden", composer: "Nachricht schreiben" };
document.querySelector("main").append(chat);

/** The first element of the chat that matches, and all. */
window.one = (selector) => chat.shadowRoot.querySelector(selector);
window.all = (selector) => [...chat.shadowRoot.querySelectorAll(selector)];
window.focused = () => chat.shadowRoot.activeElement;
window.nameOf = (button) => button?.getAttribute("aria-label") ?? button?.textContent;
window.button = (name) => all("button").find((each) => each.checkVisibility() && nameOf(each) === name);
window.chat = chat;
