// A conversation of the library in this process, with tools in JavaScript and a scripted model that checks what it is sent.
import { Agent, Conversation, LLM, tool } from "../../dist/index.js";
import { createModel } from "./model.mjs";

/** The user's question when the SDK resumes (`QUESTION` in resuming.py). */
export const question = "What did you do so far?";

export const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  annotations: { readOnlyHint: true },
  execute: ({ a, b }) => a + b,
});

export const note = tool({
  name: "note",
  description: "Keeps a note.",
  parameters: {
    type: "object",
    properties: { text: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
    required: ["text"],
  },
  execute: ({ text }) => `Noted: ${text}`,
});

/** A call of `add`. */
export const sum = (a, b) => ({ name: "add", arguments: { a, b } });

/** A reply that ends the run with this message. */
export const finish = (message = "Done.") => ({ calls: [{ name: "finish", arguments: { message } }] });

/** An image of one pixel. */
export const pixel =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A model with this script, on a port of its own until the test ends. */
export async function scripted(t, script, options) {
  const model = createModel(script, options);
  const server = await model.listen();
  t.after(() => server.close());
  return Object.assign(model, { baseUrl: server.baseUrl });
}

/** Opens or creates a conversation in which `model` answers; it is closed when the test ends. */
export async function open(t, { model, store, conversationId, tools = [add, note], llm = {}, agent: more = {}, ...options }) {
  const settings = {
    model: "openai/gpt-4o",
    baseUrl: model.baseUrl,
    apiKey: "sk-scripted",
    usageId: "agent",
    numRetries: 1,
    timeout: 20,
    ...llm,
  };
  const agent = new Agent({ llm: new LLM(settings), tools, ...more });
  const conversation = await Conversation.open({ agent, store, ...(conversationId && { conversationId }), ...options });
  t.after(() => conversation.close());
  return conversation;
}

/** Sends a message and runs until the agent has nothing more to do. */
export async function say(conversation, message) {
  await conversation.sendMessage(message);
  return conversation.run();
}

/** All events. */
export async function eventsOf(conversation) {
  const events = [];
  for await (const event of conversation.events) events.push(event);
  return events;
}
