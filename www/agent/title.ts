// A title for a conversation on an agent server, which gives its model to nobody: this page asks the model of the settings.

import { Agent, Conversation, memoryStore } from "threadkeep";
import { createLLM } from "./agent.ts";

/** For a conversation that begins with this message. */
export async function titleFor(message: string): Promise<string> {
  const conversation = await Conversation.open({ agent: new Agent({ llm: await createLLM() }), store: memoryStore() });
  try {
    await conversation.sendMessage(message);
    return await conversation.generateTitle();
  } finally {
    await conversation.close();
  }
}
