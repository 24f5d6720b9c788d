// Loads what runs of an open conversation may need later, so that they find it without a network. The wasm loads its own parts, and
// that of a tool comes when the tool is defined.
import type { readOptions } from "./options.js";
import type { ConversationState } from "../events/events.js";
import type { LLM } from "../llm/llm.js";

/** Resolves when all of it is loaded, or could not be. */
export async function loadAhead({ agent, workspace }: ReturnType<typeof readOptions>, state: ConversationState): Promise<void> {
  const has = (name: string) => agent.tools.some((tool) => tool.name === name);
  const hasServers = agent.mcpServers !== undefined;
  const parts: Array<false | undefined | Promise<unknown>> = [
    import("../llm/images/read.js"),
    (agent.tools.length > 0 || hasServers) && import("../workspace/home.js"),
    hasServers && import("../tool/core.js"),
    ...(workspace ? [import("../workspace/memory.js"), import("../workspace/opfs.js"), import("../workspace/folder.js")] : []),
    asksForKey(agent.llm) && import("../secrets/keys.js"),
    // That of a function is loaded already.
    state.security_analyzer && import("../control/security/index.js"),
    has("inspect_image_with_vision") && import("./side-calls/requests.js"),
    has("task") && import("../agent/skills/context.js"),
  ];
  await Promise.allSettled(parts);
}

/** Whether the key of this model, or of one that takes its place, comes from a function. */
function asksForKey({ options: { apiKey, fallbacks = [] } }: LLM): boolean {
  return typeof apiKey === "function" || fallbacks.some(asksForKey);
}
