// The JSON Schema of a tool, as the log has it.
import type { Conversation } from "threadkeep";
import { objectIn, type Schema } from "./fields.js";

/** A branch that begins before the first event has its own list of tools, but that of the same agent. */
const firstEvents = 5;

/** The schema of the tool's arguments; `null` if the log has none, such as for a tool that a server has offered later. */
export async function schemaOf(conversation: Conversation, toolName: string): Promise<Schema | null> {
  const events = await conversation.events.slice(0, firstEvents);
  for (const event of events) {
    if (event.kind !== "SystemPromptEvent") continue;
    for (const { mcp_tool: given } of event.tools) {
      const tool = objectIn(given);
      if (tool?.["name"] === toolName) return objectIn(tool["inputSchema"]);
    }
  }
  return null;
}
