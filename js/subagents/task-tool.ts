// Sub-agents: the tool `task`, by which an agent gives a part of its work to another one. The conversation that has it
// loads its code.
import { builtIn } from "../tool/tool.js";
import type { Tool } from "../tool/types.js";
import type { TaskToolOptions } from "./types.js";

/**
 * The SDK's tool `task`: runs a sub-agent in a conversation of its own, and returns its final response. Give it to an agent
 * together with the tools that sub-agents may use. `Conversation.open()` checks the options.
 */
export function taskTool(options: TaskToolOptions = {}): Tool {
  return builtIn({ name: "task", spec: { name: "task_tool_set" }, define: ({ startTasks }) => startTasks(options) });
}
