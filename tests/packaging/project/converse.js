// Run by every project of the packaging test with the installed package: a conversation, an archive of it, an agent with a
// context, a terminal, models of other wire APIs, a plugin and a server, for each of which a chunk of the wasm is loaded. Written as a user would write it.
import {
  Agent,
  Conversation,
  LLM,
  agentServer,
  indexedDBStore,
  loadPlugin,
  memoryStore,
  search,
  terminal,
  tool,
  updateSearchIndex,
} from "threadkeep";

const add = tool({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  execute: ({ a, b }) => `${a + b}`,
});

/** Options of an agent whose code is loaded with them. */
const context = {
  agentContext: { systemMessageSuffix: "Be brief." },
  condenser: { kind: "LLMSummarizingCondenser" },
  critic: { kind: "PassCritic" },
};

/** Further wire APIs, and tools in text. */
const otherModels = [{ apiMode: "responses" }, { apiMode: "anthropic" }, { nativeToolCalling: false }];

export async function converse(baseUrl) {
  const llm = new LLM({ model: "openai/scripted", apiKey: "none", baseUrl });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [add, terminal()] }), store: memoryStore() });
  const { content } = await conversation.executeTool("terminal", { command: "echo 2 3 > sum.txt; awk '{ print $1 + $2 }' sum.txt" });
  if (content[0].text !== "5") throw new Error(`the terminal said ${content[0].text}`);
  await conversation.sendMessage("What is 2 + 3?");
  const { status, finalResponse } = await conversation.run();
  const zip = await conversation.exportZip();
  const [{ outcome, eventCount }] = await Conversation.importZip(zip, { store: memoryStore() });
  if (outcome !== "created" || eventCount !== conversation.events.length)
    throw new Error(`the archive was ${outcome} with ${eventCount} events`);
  if ((await conversation.toMessages("chat")).length < 4) throw new Error("the messages were not told");
  if ((await conversation.branches()).length !== 0) throw new Error("there are other branches");
  await conversation.close();
  for (const options of otherModels) {
    const llm = new LLM({ model: "openai/other", apiKey: "none", baseUrl, ...options });
    const other = await Conversation.open({ agent: new Agent({ llm, ...context }), store: memoryStore() });
    await other.sendMessage("Are you there?");
    const { finalResponse } = await other.run();
    if (finalResponse !== "Here.") throw new Error(`${JSON.stringify(options)} answered ${finalResponse}`);
    await other.close();
  }
  // The index of a database is made by a worker.
  const store = globalThis.indexedDB ? indexedDBStore("searched") : memoryStore();
  const sought = await Conversation.open({ agent: new Agent({ llm }), store });
  await sought.sendMessage("The quokka sleeps.");
  await sought.close();
  await updateSearchIndex({ store });
  const { hits } = await search("quokka", { store });
  if (hits[0]?.excerpt !== "The quokka sleeps.") throw new Error(`the search found ${JSON.stringify(hits)}`);
  const plugin = await loadPlugin({ "skills/tides/SKILL.md": "---\nname: tides\ndescription: Knows the tides\n---\nTwice a day." });
  if (plugin.skills[0]?.name !== "tides") throw new Error(`the plugin has the skills ${JSON.stringify(plugin.skills)}`);
  // Nothing runs there; what speaks to a server is loaded all the same.
  const home = agentServer({ host: "http://127.0.0.1:9", workingDir: "/" });
  const code = await Conversation.open({ agent: new Agent({ llm }), store: memoryStore(), home }).catch((error) => error.code);
  if (code !== "network") throw new Error(`without a server, opening gave ${code}`);
  return `${status}: ${finalResponse}`;
}
