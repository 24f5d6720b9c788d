// Conversations with MCP servers and a scripted model.
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

/** Opens a conversation whose agent has these servers. */
export async function opened(mcpServers, { script = [], store = memoryStore(), agent: more = {}, ...options } = {}) {
  const model = createModel(script);
  const llm = new LLM({ model: "openai/gpt-4o", baseUrl: "http://model.test/v1", fetch: model.fetch });
  const agent = new Agent({ llm, mcpServers, ...more });
  const live = [];
  const conversation = await Conversation.open({ agent, store, tokenCallbacks: [(event) => live.push(event)], ...options });
  return { conversation, model, store, live };
}

/** Resolves as soon as `is` is true for the state of a server. */
export function reached(conversation, name, is) {
  return new Promise((resolve) => {
    const look = () => {
      const server = conversation.mcp.servers.find((server) => server.name === name);
      if (!is(server)) return;
      stop();
      resolve(server);
    };
    const stop = conversation.subscribe(({ kind }) => kind === "MCPServerEvent" && look());
    look();
  });
}

export const connected = (conversation, name) => reached(conversation, name, ({ state }) => state === "connected");

/** The text of an observation. */
export const textOf = ({ content }) => content.map((part) => part.text ?? part.image_urls[0]).join("\n");
