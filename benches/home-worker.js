// A worker as the home of the conversations of smooth.bench.js, with a model that makes so many calls.
import { Agent, LLM, indexedDBStore, serveConversations, tool } from "/threadkeep/index.js";
import { callingFetch, found } from "./scripted-fetch.mjs";

export const agentThatCalls = (calls) =>
  new Agent({
    llm: new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch: callingFetch(calls), numRetries: 1 }),
    tools: [
      tool({
        name: "look_up",
        description: "Looks something up.",
        parameters: { type: "object", properties: { query: { type: "string" } } },
        execute: () => found,
      }),
    ],
  });

if ("WorkerGlobalScope" in globalThis)
  serveConversations(({ data: { name, calls } }) => ({ agent: agentThatCalls(calls), store: indexedDBStore(name), stuckDetection: false }));
