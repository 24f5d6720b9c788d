// The chat of the first page: the element, two tools, and a model that is a short script. The conversation has the same id
// at each visit, and a run that a reload has cut off goes on.
import { Agent, LLM, tool } from "threadkeep";
import "threadkeep/chat";
import { scriptedModel } from "threadkeep/testing";

const suggestions = ["Roll the dice", "Pay Ann 20 euros", "Count to thirty"];

const rollDice = tool({
  name: "roll_dice",
  description: "Rolls a die with six sides.",
  parameters: { type: "object", properties: {} },
  annotations: { title: "Roll dice", readOnlyHint: true },
  execute: () => ({ rolled: 1 + Math.floor(Math.random() * 6) }),
});
const sendPayment = tool({
  name: "send_payment",
  description: "Pretends to pay somebody.",
  parameters: { type: "object", properties: { to: { type: "string" }, euros: { type: "number" } }, required: ["to", "euros"] },
  annotations: { title: "Send payment", destructiveHint: true },
  execute: ({ to, euros }) => `${euros} play euros are on their way to ${to}.`,
});

/** The answer of the script to the last message of a request. */
function answerTo({ body: { messages }, lastText }) {
  const natural = { pieces: 5, pace: 30 };
  if (messages.at(-1).role === "tool")
    return { ...natural, text: /rolled/.test(lastText) ? `It is a **${lastText.match(/\d/)}**.` : `Done. ${lastText}` };
  if (/dice|die|roll/i.test(lastText)) return { calls: [{ name: "roll_dice", arguments: {} }] };
  if (/pay|euro/i.test(lastText))
    return {
      ...natural,
      text: "You are asked before anything is paid.",
      calls: [{ name: "send_payment", arguments: { to: "Ann", euros: 20 } }],
    };
  if (/count/i.test(lastText)) return { pieces: 4, pace: 250, text: Array.from({ length: 30 }, (_, i) => i + 1).join(", ") };
  return {
    ...natural,
    text: `I am a script of three rules. Say "${suggestions.join('", "')}", or connect a real model: [Models](https://github.com/threadkeep/threadkeep/blob/main/docs/models.md).`,
  };
}

const model = scriptedModel();
const answer = (request) => (model.add(answer), answerTo(request));
model.add(answer);
const agent = new Agent({ llm: new LLM({ model: "openai/scripted", fetch: model.fetch }), tools: [rollDice, sendPayment] });

let chat;

/** Opens the conversation in the element, with a button for each suggestion. */
export function show(element, beside) {
  chat = element;
  const key = "threadkeep-first-page";
  const id = localStorage.getItem(key) ?? crypto.randomUUID();
  localStorage.setItem(key, id);
  chat.setAttribute("conversation-id", id);
  chat.options = { agent, resume: true };
  const buttons = suggestions.map((text) =>
    Object.assign(document.createElement("button"), { type: "button", textContent: text, onclick: () => void chat.thread?.send(text) }),
  );
  beside.replaceChildren(...buttons);
}

/** Closes the conversation, because the reader goes to another page. */
export function leave() {
  if (chat) chat.options = null;
}
