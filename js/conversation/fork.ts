// Copies a conversation.
import { Agent } from "../agent/agent.js";
import { ask } from "../input/errors.js";
import { recordChange } from "../store/inventory.js";
import { readFork, readOptions } from "./options.js";
import type { ConversationSession } from "./session.js";
import type { ForkOptions } from "./types.js";

/** Stores the copy of `Conversation.fork()`, and says with which agent it is opened, and whether that `isNew` to it. @internal */
export async function fork(session: ConversationSession, options: ForkOptions): Promise<{ id: string; agent: Agent; isNew: boolean }> {
  const own = new Agent({ ...session.agent, llm: session.llm, tools: [...session.agent.tools] });
  const { agent, fromEventId, tags, resetMetrics } = readFork(options, own);
  const { id, store } = readOptions({ agent, store: session.store });
  await ask(session.core, "fork", { id, fromEventId, tags, resetMetrics });
  recordChange(store, { stored: [id] });
  return { id, agent, isNew: agent !== own };
}
