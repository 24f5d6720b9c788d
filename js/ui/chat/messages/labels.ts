// The texts of the messages.
import { callTitle, stepOf, toolTitle } from "../built-in-tools.js";

export const messageLabels = {
  messages: "Messages",
  jump: "Jump to the latest",
  loadEarlier: "Load earlier messages",
  toBeginning: "To the beginning",
  empty: "Nothing here yet.",
  opening: "Opening…",
  // What the agent is doing, at the end of the messages.
  working: "Working",
  asking: "Asking the model",
  writing: "Writing",
  runs: (calls: readonly string[]) => (calls.length === 1 ? `Running: ${calls[0]}` : `Running ${calls.length} calls`),
  condensing: "Summarizing earlier messages",
  serverWorks: "Waiting for the agent server",
  user: "You",
  agent: "Agent",
  /** Under a message that is sent while the agent works. */
  queued: "Waiting: the agent has not read this yet.",
  /** Before the names of the skills that a message has activated. */
  skillsUsed: (count: number) => (count === 1 ? "Skill used:" : "Skills used:"),
  thinking: "Thinking…",
  thoughts: "Thoughts",
  /** Beside both, from the first second on, if this page has seen the model think. */
  thoughtFor: (seconds: number) => (seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`),
  /** Where the user has paused or stopped the agent. */
  paused: "Paused",
  stopped: "Stopped",
  /** Under an answer that broke off, if nothing else says so. */
  cutOff: "This answer was cut off.",
  /** In its place where the provider has said why, by `TextPart.reason`. */
  cutOffBy: {
    length: "This answer was cut off: it reached the limit of its length.",
    content_filter: "This answer was cut off by the provider’s content filter.",
    incomplete: "The provider did not complete this answer.",
  } as Record<string, string>,
  /** Of an answer that has no text. */
  onlyThoughts: "The limit of this answer was used up by thoughts, before it said anything.",
  /** Over the links of an answer. */
  sources: (count: number) => (count === 1 ? "Source" : `${count} sources`),
  /** Before the name of a tool that the model’s server has used by itself, and what for. */
  serverDid: (what: string) => `The server has used ${what}`,
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
  attachedFiles: "Attached files",
  openFile: (name: string, size: string) => `Open ${name}, ${size}`,
  saveFile: "Save",
  saveFileName: (name: string) => `Save ${name}`,
  savedFile: (name: string) => `${name} is saved with your downloads.`,
  fileGone: (name: string) => `${name} is no longer in the workspace.`,
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
  /** The line of several small steps in a row, which opens to show them. */
  steps: (count: number, what: readonly string[]) => `${count} steps: ${what.join(", ")}`,
  /** In it, for thoughts. */
  stepThought: "thought",
  /** In it, for a call of this tool. */
  stepOf,
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
  /** After the state of a call that is being written. */
  writtenSoFar: (characters: string) => `${characters} characters`,
  arguments: "Arguments",
  originalArguments: "Arguments before you changed them",
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
  /** Over the messages that a summary has replaced. */
  forgotten: "What the model no longer sees",
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
