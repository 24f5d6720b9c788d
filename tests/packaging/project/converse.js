// What every project of the packaging test does with the installed package: a conversation, an archive of it, and models
// of other wire APIs, for each of which a chunk of the wasm is loaded. Written as a user would write it.
import { Agent, Conversation, LLM, memoryStore, tool } from "threadkeep";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => `${a + b}`,
});

/** Models inside the page, one for each further wire API. */
const otherModels = [
  {
    apiMode: "responses",
    answer: { id: "resp_1", status: "completed", output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "Here." }] }] },
  },
  {
    apiMode: "anthropic",
    answer: { id: "msg_1", type: "message", role: "assistant", stop_reason: "end_turn", content: [{ type: "text", text: "Here." }], usage: { input_tokens: 1, output_tokens: 1 } },
  },
  {
    nativeToolCalling: false,
    answer: { id: "chatcmpl-1", choices: [{ message: { role: "assistant", content: "Here." }, finish_reason: "stop" }] },
  },
].map(({ answer, ...options }) => ({ model: "openai/page", baseUrl: "https://page.invalid/v1", stream: false, fetch: async () => Response.json(answer), ...options }));

export async function converse(baseUrl) {
  const llm = new LLM({ model: "openai/scripted", apiKey: "none", baseUrl });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add] }), store: memoryStore() });
  await conversation.sendMessage("What is 2 + 3?");
  const { status, finalResponse } = await conversation.run();
  const zip = await conversation.exportZip();
  const [{ outcome, eventCount }] = await Conversation.importZip(zip, { store: memoryStore() });
  if (outcome !== "created" || eventCount !== conversation.events.length) throw new Error(`the archive was ${outcome} with ${eventCount} events`);
  if ((await conversation.toMessages("chat")).length < 4) throw new Error("the messages were not told");
  await conversation.close();
  for (const options of otherModels) {
    const other = await Conversation.open({ agent: new Agent({ llm: new LLM(options) }), store: memoryStore() });
    await other.sendMessage("Are you there?");
    const { finalResponse } = await other.run();
    if (finalResponse !== "Here.") throw new Error(`${JSON.stringify(options)} answered ${finalResponse}`);
    await other.close();
  }
  return `${status}: ${finalResponse}`;
}
