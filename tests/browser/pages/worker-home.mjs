// A worker as the home of conversations: tests give it the replies of the model with `data`.
import { Agent, LLM, indexedDBStore, memoryStore, serveConversations, tool } from "/threadkeep/index.js";
import { toolsFor } from "./worker-home-tools.mjs";
import { ScriptedModel } from "/support/model/script.mjs";

serveConversations(({ conversationId, data: { replies = [], otherStore, refuses, ...options } }) => {
  if (refuses) throw new Error(`not ${conversationId}`);
  const model = new ScriptedModel(replies, { checks: false });
  const llm = new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch: model.fetch, numRetries: 1 });
  return { agent: new Agent({ llm, tools: toolsFor(tool) }), store: otherStore ? memoryStore() : indexedDBStore(), ...options };
});
