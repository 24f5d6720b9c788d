// The library's tools as the chat shows them: their icons, and the labels of the tools and of their calls.
import type { IconName } from "./icons.js";

type Arguments = Readonly<Record<string, unknown>>;

interface Look {
  icon: IconName;
  /** The label of the tool. Default: its name. */
  title?: string;
  /** The label of a call; `null` if its arguments say nothing. Default: that of the tool. */
  call?: (args: Arguments) => string | null;
  /** A call among several small steps, such as "ran a command". Default: that the tool was used. */
  step?: string;
  /** The argument that is shown while the model writes it. */
  written?: (args: Arguments) => unknown;
}

const looks: Readonly<Record<string, Look>> = {
  invoke_skill: { icon: "skill", step: "used a skill" },
  file_editor: {
    icon: "edit",
    title: "Work on a file",
    step: "read a file",
    call: ({ command, path }) => named(own(edits, String(command)) ?? "Work on", path),
    written: ({ file_text, new_str }) => new_str ?? file_text,
  },
  apply_patch: { icon: "edit", title: "Change files", written: ({ patch }) => patch },
  list_directory: { icon: "folder", title: "Look into a directory", step: "looked into a directory" },
  glob: { icon: "search", title: "Look for files", step: "looked for files", call: ({ pattern }) => named("Search for", pattern) },
  grep: { icon: "search", title: "Search in files", step: "searched", call: ({ pattern }) => named("Search for", pattern) },
  task_tracker: { icon: "tasks", title: "List the tasks", step: "listed the tasks" },
  terminal: { icon: "terminal", title: "Use the terminal", step: "ran a command", call: ({ command }) => named("Run", command) },
  task: { icon: "fork", title: "Give a task to a sub-agent", call: ({ description }) => named("Sub-agent:", description) },
};

const edits: Readonly<Record<string, string>> = {
  view: "Look at",
  create: "Create",
  str_replace: "Change",
  insert: "Add to",
  undo_edit: "Undo the last change of",
};

/** A row of a table; a tool of the host may be called "constructor". */
const own = <Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const named = (what: string, value: unknown): string | null => (typeof value === "string" ? `${what} ${value}` : null);

export const toolIcon = (toolName: string): IconName => own(looks, toolName)?.icon ?? "tool";

export const toolTitle = (toolName: string): string =>
  own(looks, toolName)?.title ?? toolName.charAt(0).toUpperCase() + toolName.slice(1).replaceAll("_", " ");

export const stepOf = (toolName: string): string => own(looks, toolName)?.step ?? `used ${toolName.replaceAll("_", " ")}`;

/** The text that this call writes, as far as it is known: a file, or a change of files. */
export function writtenText(toolName: string, args: Arguments): string | null {
  const text = own(looks, toolName)?.written?.(args);
  return typeof text === "string" && text !== "" ? text : null;
}

export const callTitle = (toolName: string, args: Arguments): string | null => own(looks, toolName)?.call?.(args) ?? null;
