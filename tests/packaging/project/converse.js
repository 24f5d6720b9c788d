// What every project of the packaging test does with the installed package: a conversation, and an archive of it, for
// which another wasm is loaded. Written as a user would write it.
import { Agent, Conversation, LLM, memoryStore, tool } from "threadkeep";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => `${a + b}`,
});

export async function converse(baseUrl) {
  const llm = new LLM({ model: "openai/scripted", apiKey: "none", baseUrl });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add] }), store: memoryStore() });
  await conversation.sendMessage("What is 2 + 3?");
  const { status, finalResponse } = await conversation.run();
  const zip = await conversation.exportZip();
  const [{ outcome, eventCount }] = await Conversation.importZip(zip, { store: memoryStore() });
  if (outcome !== "created" || eventCount !== conversation.events.length) throw new Error(`the archive was ${outcome} with ${eventCount} events`);
  await conversation.close();
  return `${status}: ${finalResponse}`;
}
