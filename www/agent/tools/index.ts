// The tools of the agent: this page's own, which need no network except the page's own server, and those of the library for
// files and tasks.

import { applyPatch, fileEditor, glob, grep, listDirectory, taskTool, taskTracker, terminal, type Tool } from "threadkeep";
import type { IconName } from "../../shell/icons.ts";
import { calculate } from "./calculate.ts";
import { callApi } from "./call-api.ts";
import { getTime } from "./get-time.ts";
import { recall, remember } from "./notes.ts";
import { rollDice } from "./roll-dice.ts";
import { sendPayment } from "./send-payment.ts";
import { slowCount } from "./slow-count.ts";

export const pageTools: Tool[] = [getTime, rollDice, calculate, remember, recall, slowCount, sendPayment, callApi];

/** They change only the conversation's own files, so they need no approval. */
const workspaceTools: Tool[] = [fileEditor(), applyPatch(), listDirectory(), glob(), grep(), taskTracker()];

/** A shell inside this page that works on the same files. Its code is loaded when it is first used. */
const shell = terminal();

/** Sub-agents, which start no others. */
const subagents = taskTool({ maxDepth: 1 });

/** The tools of the library that the user has chosen. */
export function chosenTools(chosen: { files: boolean; terminal: boolean; subagents: boolean }): Tool[] {
  return [...(chosen.files ? workspaceTools : []), ...(chosen.terminal ? [shell] : []), ...(chosen.subagents ? [subagents] : [])];
}

/** All tools that a conversation of this page can have. */
export const allTools: Tool[] = [...pageTools, ...workspaceTools, shell, subagents];

const ICONS: Record<string, IconName> = {
  get_time: "clock",
  roll_dice: "dice",
  calculate: "calculator",
  remember: "note",
  recall: "search",
  slow_count: "count",
  send_payment: "payment",
  call_api: "key",
  invoke_skill: "skill",
  file_editor: "edit",
  apply_patch: "edit",
  list_directory: "folder",
  glob: "search",
  grep: "search",
  task_tracker: "tasks",
  terminal: "terminal",
  task: "fork",
};

const TITLES: Record<string, string> = {
  file_editor: "Work on a file",
  apply_patch: "Change files",
  list_directory: "Look into a directory",
  glob: "Look for files",
  grep: "Search in files",
  task_tracker: "List the tasks",
  terminal: "Use the terminal",
  task: "Give a task to a sub-agent",
};

/** The model's summary of a call; null if it gave none and the SDK used the tool's name and arguments instead. */
export function summaryOf(toolName: string, summary: string | undefined): string | null {
  return summary === undefined || summary === "" || summary.startsWith(`${toolName}: {`) ? null : summary;
}

const EDITS: Record<string, string> = { view: "Look at", create: "Create", str_replace: "Change", insert: "Add to", undo_edit: "Undo the last change of" };

/** A title from the arguments, for the library's tools; null for others. */
export function titleWith(toolName: string, { command, path, pattern, description }: Record<string, unknown>): string | null {
  const named = (what: string, value: unknown): string | null => (typeof value === "string" ? `${what} ${value}` : null);
  if (toolName === "file_editor") return named(EDITS[String(command)] ?? "Work on", path);
  if (toolName === "terminal") return named("Run", command);
  if (toolName === "task") return named("Sub-agent:", description);
  if (toolName === "grep" || toolName === "glob") return named("Search for", pattern);
  return null;
}

/** The summary of a call, or otherwise its tool's description. */
export function titleOf({ tool_name: toolName = "tool", summary }: { tool_name?: string; summary?: string }): string {
  return summaryOf(toolName, summary) ?? lookOf(toolName).title;
}

/** The label of a call; a tool that this page does not have (in an imported conversation) is shown by its name. */
export function lookOf(toolName: string): { title: string; icon: IconName } {
  const title = TITLES[toolName] ?? pageTools.find(({ name }) => name === toolName)?.annotations.title;
  const plainName = toolName.charAt(0).toUpperCase() + toolName.slice(1).replaceAll("_", " ");
  return { title: title ?? plainName, icon: ICONS[toolName] ?? "tool" };
}
