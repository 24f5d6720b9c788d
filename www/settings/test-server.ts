// Tries out an MCP server of the settings.

import { Agent, Conversation, LLM, type MCPServer, type MCPServerState, memoryStore } from "threadkeep";

const PATIENCE = 20_000;

/** Connects an MCP server as a conversation would, and lets go of it. Resolves to its state, `null` if it has none in time. */
export async function testServer(name: string, server: MCPServer): Promise<MCPServerState | null> {
  const llm = new LLM({ model: "openai/none", baseUrl: "/v1" });
  const conversation = await Conversation.open({ agent: new Agent({ llm, mcpServers: { [name]: server } }), store: memoryStore() });
  try {
    return await new Promise((resolve) => {
      const look = (): void => {
        const state = conversation.mcp?.servers[0];
        if (state !== undefined && state.state !== "connecting") resolve(state);
      };
      conversation.subscribe(look);
      setTimeout(() => resolve(null), PATIENCE);
      look();
    });
  } finally {
    await conversation.close();
  }
}
