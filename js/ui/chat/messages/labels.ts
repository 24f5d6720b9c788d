// The texts of the messages.
export const messageLabels = {
  messages: "Messages",
  jump: "Jump to the latest",
  loadEarlier: "Load earlier messages",
  toBeginning: "To the beginning",
  empty: "Nothing here yet.",
  opening: "Opening…",
  working: "Working",
  user: "You",
  agent: "Agent",
  thinking: "Thinking…",
  thoughts: "Thoughts",
  copy: "Copy",
  copied: "Copied",
  copyNotAllowed: "Not allowed",
  copyCode: "Copy code",
  showMore: (left: string) => `Show more (${left} characters left)`,
  table: "Table",
  formula: "Formula",
  taskDone: "done",
  taskToDo: "to do",
  image: "Attached image",
  imageNotLoaded: (name: string) => `Image not loaded: ${name}`,
  loadImage: "Load",
  loadImageFrom: (host: string) => `Load image from ${host}`,
  imageFailed: "It could not be loaded.",
  imageUnknown: "An image that cannot be shown",
  tool: "Tool",
  /** The label of a tool without a summary by the model. */
  toolTitle,
  /** The label of a call from its arguments; `null` if they say nothing. */
  callTitle,
  callStates: {
    streaming: "being written",
    waiting: "waits for you",
    ready: "not started",
    running: "running",
    interrupted: "not finished",
    done: "done",
    failed: "failed",
    stopped: "stopped",
    "broken-off": "broke off",
    rejected: "skipped",
  },
  arguments: "Arguments",
  result: "Result",
  error: "Error",
  messageToAgent: "Message to the agent",
  noText: "(no text)",
  subagent: (name: string) => `The work of ${name}`,
  subagentUnnamed: "a sub-agent",
  terminal: "Terminal",
  exitCode: (code: number) => `Exit code ${code}`,
  tookTooLong: "Stopped, because it took too long",
  inDirectory: (directory: string) => `in ${directory}`,
  newFile: "New file",
  removedFile: "Removed file",
  changedFile: "Changed file",
  changedLines: "Changed lines",
  line: (number: number) => `Line ${number}`,
  comparing: "Comparing…",
  nothingChanged: "Nothing has changed.",
  emptyFile: "The file is empty.",
  noBreakAtEnd: "There is no line break at the end.",
  tooDifferent: "These versions are too long or too different to be compared here.",
  notCompared: "The comparison could not be loaded. Check the connection, and open this again.",
  moreLines: (count: string) => `${count} more lines are not shown.`,
  tasks: "Tasks",
  noTasks: "There are no tasks.",
  taskStates: { todo: "to do", in_progress: "in progress", done: "done" } as Record<string, string>,
  failure: "The run ended with an error",
  condensed: (count: number) => `Condensed: the model now reads this instead of ${count === 1 ? "1 event" : `${count} events`}`,
  summary: "Summary",
  noSummary: "There is no summary: the model does not see them at all.",
  /** In place of the user, such as after an empty answer: not written for a reader. */
  remark: "A note of this page to the agent",
  unreadable: "An event that cannot be read",
  unknown: (kind: string) => `${kind} (there is no view for it)`,
  // For screen readers.
  agentSays: (text: string) => `Agent: ${text}`,
  toolStarted: (title: string) => `Tool: ${title}.`,
  toolFailed: (title: string) => `${title} failed.`,
  restInMessages: "… The rest is in the messages.",
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

function toolTitle(toolName: string): string {
  return TITLES[toolName] ?? toolName.charAt(0).toUpperCase() + toolName.slice(1).replaceAll("_", " ");
}

const EDITS: Record<string, string> = {
  view: "Look at",
  create: "Create",
  str_replace: "Change",
  insert: "Add to",
  undo_edit: "Undo the last change of",
};

function callTitle(toolName: string, { command, path, pattern, description }: Readonly<Record<string, unknown>>): string | null {
  const named = (what: string, value: unknown): string | null => (typeof value === "string" ? `${what} ${value}` : null);
  if (toolName === "file_editor") return named(EDITS[String(command)] ?? "Work on", path);
  if (toolName === "terminal") return named("Run", command);
  if (toolName === "task") return named("Sub-agent:", description);
  if (toolName === "grep" || toolName === "glob") return named("Search for", pattern);
  return null;
}
