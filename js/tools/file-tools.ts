// The tools that work on files, and the task list. Their code is loaded when a conversation that has them is opened.
import { builtIn } from "../tool/tool.js";
import type { BuiltInDefinition, Tool, ToolPlace } from "../tool/types.js";
import { part } from "../wasm/wasm.js";

const loaded = (name: string, load: () => Promise<{ define(place: ToolPlace): BuiltInDefinition }>): Tool =>
  builtIn({ name, spec: { name }, define: async (place) => (await part(load())).define(place) });

/** Views, creates and edits text files: the SDK's `file_editor`. */
export const fileEditor = (): Tool => loaded("file_editor", () => import("./file-editor.js"));

/** Keeps a list of tasks: the SDK's `task_tracker`. The list is the conversation's file `TASKS.json`. */
export const taskTracker = (): Tool => loaded("task_tracker", () => import("./task-tracker.js"));

/** Finds files by a regular expression: the SDK's `grep`. */
export const grep = (): Tool => loaded("grep", () => import("./grep.js"));

/** Finds files by a pattern of their paths: the SDK's `glob`. */
export const glob = (): Tool => loaded("glob", () => import("./glob.js"));

/** Lists the entries of a directory: the SDK's `list_directory`. */
export const listDirectory = (): Tool => loaded("list_directory", () => import("./list-directory.js"));

/** Changes several files by a patch: the SDK's `apply_patch`. */
export const applyPatch = (): Tool => loaded("apply_patch", () => import("./apply-patch.js"));
