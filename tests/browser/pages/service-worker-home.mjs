// A service worker as the home of conversations. It may not load parts, so it has the entry that is one file.
import { Agent, LLM, serveConversations, tool } from "/threadkeep/static.js";
import { toolsFor } from "/pages/worker-home-tools.mjs";
import { ScriptedModel } from "/support/model/script.mjs";

addEventListener("install", () => skipWaiting());
serveConversations(({ data: { replies = [] } }) => {
  const { fetch } = new ScriptedModel(replies, { checks: false });
  const llm = new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch, numRetries: 1 });
  return { agent: new Agent({ llm, tools: toolsFor(tool) }) };
});
