// The tool `task_tracker`: a list of tasks, in the conversation's file `TASKS.json`. The SDK's is `tools/task_tracker/`.
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput } from "../tool/types.js";
import { present } from "./definition.js";
import { strip } from "./text.js";

interface Task {
  title: string;
  notes: string;
  status: "todo" | "in_progress" | "done";
}

interface TaskTrackerArguments {
  command?: "view" | "plan";
  task_list?: Array<{ title: string; notes?: string; status?: Task["status"] }>;
}

const file = "TASKS.json";
const icons = { todo: "⏳", in_progress: "🔄", done: "✅" } as const;

const description = `Keeps a list of tasks, which the user can see too.

* \`view\` shows the list. Look at it before you change it.
* \`plan\` replaces the complete list with \`task_list\`.

Use it for work of several steps, for several requests in one message, and when the user asks for a plan. Do without it for questions and for changes that take one step.

Each task has a title, optional notes and a status: "todo", "in_progress" or "done". Set a task to "in_progress" before you begin it, and have only one such task at a time. Set it to "done" as soon as it is really finished: not while tests fail, errors are open or parts are missing. Add tasks that turn up on the way, and remove those that are no longer needed.`;

const parameters = {
  type: "object",
  properties: {
    command: { type: "string", enum: ["view", "plan"], description: "`view` shows the list (the default), `plan` replaces it." },
    task_list: {
      type: "array",
      description: "For `plan`: all tasks, in their order.",
      items: {
        type: "object",
        properties: {
          title: { type: "string", description: "A short title." },
          notes: { type: "string", description: "Details." },
          status: { type: "string", enum: ["todo", "in_progress", "done"], description: "The status; `todo` by default." },
        },
        required: ["title"],
      },
    },
  },
} as const;

export function define(): BuiltInDefinition {
  return {
    description,
    parameters,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    replay: "safe",
    className: "TaskTracker",
    action: ({ command, task_list }: TaskTrackerArguments) =>
      present({ command: command ?? "view", task_list: (task_list ?? []).map(complete) }),
    execute,
  };
}

async function execute({ command = "view", task_list }: TaskTrackerArguments, { files }: BuiltInContext): Promise<BuiltInOutput> {
  if (command === "plan") {
    const tasks = (task_list ?? []).map(complete);
    files.write(file, stored(tasks));
    return { content: `Stored. Tasks in the list: ${tasks.length}.`, fields: present({ command, task_list: tasks }) };
  }
  const tasks = parse(await files.read(file));
  const content = tasks.length > 0 ? listed(tasks) : "The list has no tasks. `plan` fills it.";
  return { content, fields: present({ command, task_list: tasks }) };
}

/** A task with all of its fields, in their order. */
function complete({ title, notes, status }: { title: string; notes?: string; status?: Task["status"] }): { [name in keyof Task]: string } {
  return { title, notes: notes ?? "", status: status ?? "todo" };
}

function listed(tasks: ReadonlyArray<{ [name in keyof Task]: string }>): string {
  const lines = tasks.map(({ title, notes, status }, index) => {
    const icon = icons[status as Task["status"]];
    return `${index + 1}. ${icon} ${title}\n${notes ? `   ${notes}\n` : ""}\n`;
  });
  return strip(`# Tasks\n\n${lines.join("")}`);
}

/** The list as Python writes it: ASCII, indented by two spaces. */
function stored(tasks: readonly unknown[]): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(tasks, null, 2).replace(/[^ -~\n]/g, escaped);
}

/** The stored list; empty if it is missing or damaged, as in the SDK. */
function parse(content: Uint8Array | undefined): Array<{ [name in keyof Task]: string }> {
  if (!content) return [];
  try {
    const tasks: unknown = JSON.parse(new TextDecoder().decode(content));
    return Array.isArray(tasks) && tasks.every(isTask) ? tasks.map(complete) : [];
  } catch {
    return [];
  }
}

function isTask(value: unknown): value is Task {
  if (typeof value !== "object" || value === null) return false;
  const { title, notes = "", status = "todo" } = value as { [name: string]: unknown };
  return typeof title === "string" && typeof notes === "string" && typeof status === "string" && Object.hasOwn(icons, status);
}
