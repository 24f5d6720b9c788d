// A conversation as a user interface shows it: messages with parts, the state of each call, and what the user can decide.
import type {
  ActionEvent,
  Branch,
  Content,
  Conversation,
  ConversationEvent,
  ConversationInfo,
  ConversationOptions,
  ConversationWarning,
  ErrorCode,
  ExecutionStatus,
  FileContent,
  Image,
  JSONValue,
  MessageEvent,
  RunResult,
  SecurityRisk,
  ThreadkeepError,
  WaitingEvent,
} from "threadkeep";

/**
 * Why a text is not complete. `"stopped"`: by the user. `"broken_off"`: the server, the network or the page failed. `"length"`: it
 * reached its limit, or the end of the context; an empty text has used up the limit by thoughts. `"content_filter"`: the provider's
 * filter has ended it. `"incomplete"`: the provider says no more than that.
 */
export type CutReason = "stopped" | "broken_off" | "length" | "content_filter" | "incomplete";
/**
 * Text of a message. `"streaming"`: more of it is coming. `"incomplete"`: it was stopped, broke off or was cut by its provider, and this
 * is what was shown of it.
 */
export interface TextPart {
  type: "text";
  text: string;
  state: "streaming" | "incomplete" | "done";
  /** Of an incomplete text, if it is known. After `"length"` and `"incomplete"`, `resume()` lets the model go on. */
  reason?: CutReason;
  /** The sources that the answer names, if it does. Where its text has numbers, they count these from 1. */
  sources?: readonly Source[];
}
/** A source that an answer names. */
export interface Source {
  /** An `http:` or `https:` URL. */
  url: string;
  /** As the server gives it: not to be trusted more than any text of a model. */
  title: string | null;
}
/** Reasoning that the model shows. */
export interface ReasoningPart {
  type: "reasoning";
  text: string;
  state: "streaming" | "done";
}
export interface ImagePart {
  type: "image";
  /** An `http(s):` or `data:` URL. */
  url: string;
}
/**
 * The stage of a call:
 * - `"streaming"`: the model is still writing its arguments
 * - `"waiting"`: the user has to approve or reject it
 * - `"ready"`: approved or allowed, and not started: a paused run, or one that is about to start it
 * - `"running"`
 * - `"interrupted"`: the page died while it ran, so nobody knows whether it took effect; `resume()` decides, or asks
 * - `"done"`, `"error"`, `"rejected"`: it has a result
 */
export type ToolState = "streaming" | "waiting" | "ready" | "running" | "interrupted" | "done" | "error" | "rejected";

/** A call of a tool, with its result. */
export interface ToolPart {
  type: "tool";
  /** The provider's id of the call: the same while it streams and when it is stored, except for servers that send no id of their own. */
  toolCallId: string;
  toolName: string;
  /** The id of the `ActionEvent`, which approvals name; `null` while the call is streaming. */
  actionId: string | null;
  state: ToolState;
  /**
   * The arguments; `undefined` if they are no JSON. While they are streaming, those that have come: a text that is not complete is
   * there as far as it goes, any other value once it is complete.
   */
  args: JSONValue | undefined;
  /**
   * The arguments as JSON, without what the library adds to every tool; as the model wrote them if they are no JSON, and while they
   * are streaming: then each text begins with the one before it.
   */
  argsText: string;
  /** The purpose of the call, in the model's words. */
  summary: string | null;
  /** The risk: as the security analyzer rated it, otherwise as the model did. */
  risk: SecurityRisk;
  /**
   * The value that the tool has returned: an object or a list as such, if that is what a tool of the host or of an MCP server has returned,
   * otherwise the text of the result. `undefined` without a result, and for a failure.
   */
  value: JSONValue | undefined;
  /** The result as text and images; `null` without one. */
  output: readonly Content[] | null;
  /** The result's own fields (`observation` without its content); `null` without one. */
  result: { readonly [field: string]: JSONValue } | null;
  /** The reason of a rejection or the message of a failure. */
  error: string | null;
  /** The last words of `ToolContext.progress()`. */
  progress: string | null;
  /**
   * The messages of the sub-agent that this call has started or continued: as this page hears them, and after a reload as they
   * are stored, without those of its own sub-agents. Empty for other calls, and after a reload in a thread of `threadOf()`.
   */
  subagent: readonly UIMessage[];
  /** The arguments as the model wrote them, if the user has changed them since; otherwise `null`. */
  original: { args: JSONValue | undefined; argsText: string } | null;
}
/** A failure that ended a run. */
export interface ErrorPart {
  type: "error";
  /** As in `ThreadkeepError`, so that one `switch` serves both; `"unknown"` if another program has stored a name of its own. */
  code: ErrorCode;
  /** The name under which it is stored: that of the SDK's exception, such as `"LLMAuthenticationError"`, or a code. */
  storedCode: string;
  text: string;
}
/** Something that happened to the conversation, for a line between messages. */
export interface NoticePart {
  type: "notice";
  /** `"server"`: the model's server has used a tool of its own, such as a search, whose name `text` begins with. */
  notice: "condensation" | "pause" | "interrupt" | "hook" | "server" | "unreadable" | "other";
  text: string;
  event: ConversationEvent;
  /** The messages that a summary has replaced for the model, with those of their parts that are loaded and replaced. Otherwise empty. */
  forgotten: readonly UIMessage[];
}
export type MessagePart = TextPart | ReasoningPart | ImagePart | ToolPart | ErrorPart | NoticePart;

/** A file that the user has attached to a message. It may have been changed or removed in the workspace since. */
export interface UIAttachment {
  /** Relative to the workspace: `conversation.workspace.read(path)` reads it. */
  path: string;
  /** The name that the user knows. */
  name: string;
  /** As the page that has sent it knew it; it says nothing about the content. */
  mediaType: string;
  /** Bytes, when it was sent. */
  size: number;
  /** How much of its text the message does not have, and why, in sentences; `null` if it has all. */
  note: string | null;
}

/** The versions of a message that was edited or answered again, such as for "2 of 3". */
export interface MessageVersions {
  /** The place of this one in `ids`. */
  index: number;
  /** All versions, in the order in which they were begun: `showVersion(ids[index - 1])` goes to the one before. */
  ids: readonly string[];
}

/**
 * A message of the active branch. All answers of the agent between two messages of the user are one message. An object
 * stays the same until something in it changes, so a view may compare by identity.
 */
export interface UIMessage {
  /** The id of its first event: the same while it streams, when it is stored, and after a reload. */
  id: string;
  role: "user" | "assistant";
  parts: readonly MessagePart[];
  /** `"queued"`: sent while the agent works, stored, and not read by the model yet; `editMessage()` and `removeMessage()` change it. */
  state: "queued" | "streaming" | "done";
  /** The ids of its events, in order. */
  eventIds: readonly string[];
  /** `null` while nothing of it is stored. */
  createdAt: Date | null;
  /** Who sent it, in a conversation with several senders. */
  sender: string | null;
  /** The skills that its words have activated, by their names. */
  skills: readonly string[];
  /** The files that came with it. Empty for messages of the agent. */
  attachments: readonly UIAttachment[];
  /** `null` if there is only this one, and until the versions are read. */
  versions: MessageVersions | null;
}

/** A call that waits for the user. */
export interface Approval {
  actionId: string;
  toolCallId: string;
  toolName: string;
  args: JSONValue | undefined;
  summary: string | null;
  risk: SecurityRisk;
  /** `"approval"`: it has not run. `"interrupted"`: it may have run before the page died. */
  why: "approval" | "interrupted";
  /** Whether `alwaysAllow()` concerns it: it waits for its own sake, and would not if its tool were allowed. Offer it only then. */
  canAlwaysAllow: boolean;
  action: ActionEvent;
}

/** Everything that a view of a conversation needs. A new object whenever something changes, otherwise the same one. */
export interface ThreadSnapshot {
  /**
   * `"opening"`: nothing else is known yet, but perhaps the `messages` and the `title` that were shown last, from IndexedDB, if they
   * are still true. `"failed"`: see `error`. `"closed"`: after `close()`.
   */
  phase: "opening" | "open" | "failed" | "closed";
  conversationId: string | null;
  /** For everything that has no field here: the handle of `opened()`, always the same. `null` until it is open. */
  conversation: Conversation | null;
  /**
   * `"follower"`: the loop runs elsewhere, where every action of this thread is passed on to. When that ends, this page may take its
   * place, or it is `"free"`. See `Conversation.access`.
   */
  access: Conversation["access"] | null;
  /** Where the loop runs: see `Conversation.home`. `null` until it is open. */
  home: "here" | "tab" | "worker" | "server" | null;
  /**
   * Whether an action of this thread waits for somebody who has not answered for some seconds, such as a tab that the browser has
   * frozen; or nobody is there to answer, and this page does not take the place by itself. `conversation.takeOver()` goes on here.
   */
  isSilent: boolean;
  status: ExecutionStatus;
  /** Whether a run is under way, here or elsewhere. */
  isRunning: boolean;
  /** A request that failed and is made again: which attempt, in how many seconds, and why. */
  waiting: WaitingEvent | null;
  /** Whether a model writes a summary of earlier messages, in a run or for `condense()`. On an agent server nobody knows. */
  isCondensing: boolean;
  messages: readonly UIMessage[];
  /** Whether there are older messages, which `loadEarlier()` adds. */
  hasEarlier: boolean;
  /** The messages behind the last one on other branches, while nothing follows it here: ids for `showVersion()`. */
  continuations: readonly string[];
  /** The calls that wait for the user, the riskiest first. */
  approvals: readonly Approval[];
  /** `tags.title`, or the beginning of the first message; `null` without both. */
  title: string | null;
  /** The failure of the last action, or of opening; `null` after the next one that works. */
  error: ThreadkeepError | null;
  warnings: readonly ConversationWarning[];
}

export interface ThreadOptions extends Omit<ConversationOptions, "resume"> {
  /** How many events are read at once, from the end. Default: 200. */
  pageSize?: number | undefined;
  /**
   * Whether a run goes on by itself if the page that ran it was closed, reloaded or killed in the middle. It approves nothing,
   * and a run that the user has stopped stays stopped. Without it (`"again"` says the same), and until then, what was shown of
   * the last answer is an `"incomplete"` text; `"keep"`: it is kept in the log, and the run does not go on. Default: false.
   */
  resume?: boolean | "again" | "keep" | undefined;
}

/**
 * A conversation with a snapshot for views. `subscribe` and `getSnapshot` fit React's `useSyncExternalStore`; Vue, Svelte
 * and Solid have a line for it each. Its functions need no `this`. A failure of any of them is also in `snapshot.error`.
 */
export interface Thread {
  /** Calls `listener` after every change, at most once a frame while text streams. Returns a function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Its `conversationId` is known at once, also for a new conversation. */
  getSnapshot(): ThreadSnapshot & { conversationId: string };
  /**
   * Resolves when it is open, to a handle that lasts as long as the thread: when this page takes over from another tab, the same
   * one becomes the writer, and subscriptions and watches go on. @throws ThreadkeepError as `Conversation.open()`
   */
  opened(): Promise<Conversation>;
  /** Sends a message and runs the agent. Resolves when the message is durable; the run goes on. `pending` as in `sendMessage()`. */
  send(
    message: string | ReadonlyArray<Content | Image | FileContent>,
    options?: { pending?: "reject" | "keep" | undefined },
  ): Promise<MessageEvent>;
  /** Lets the agent go on, without approving anything: does nothing while calls wait for the user. `Conversation.run()` approves them. */
  resume(): Promise<RunResult>;
  /** Stops now. */
  stop(): Promise<void>;
  /** Stops after the current step. */
  pause(): Promise<void>;
  /** Makes the request that waits at once. */
  retryNow(): void;
  /** Approves these calls, or all that wait, and runs. */
  approve(actionIds?: readonly string[]): Promise<RunResult>;
  /** Rejects these calls, or all that wait; runs if none is left. */
  reject(reason?: string, actionIds?: readonly string[]): Promise<RunResult | null>;
  /** Changes the arguments of a call that waits. */
  editAction(actionId: string, args: JSONValue): Promise<ActionEvent>;
  /**
   * Allows this tool in this conversation from now on, and approves its calls that wait, except those for which the tool itself
   * demands approval: see `Approval.canAlwaysAllow`. @throws ThreadkeepError `invalid_options` if that are all that wait
   */
  alwaysAllow(toolName: string): Promise<RunResult | null>;
  /** Answers the last message again, on a new branch. */
  regenerate(): Promise<RunResult>;
  /**
   * Sends a message in place of this one of the user, on a new branch, and runs the agent. One that is `"queued"` is replaced where
   * it waits.
   */
  editMessage(messageId: string, message: string | ReadonlyArray<Content | Image | FileContent>): Promise<MessageEvent>;
  /** Takes a `"queued"` message back, durably. @throws ThreadkeepError `invalid_state` if it is part of the log already */
  removeMessage(messageId: string): Promise<void>;
  /** The branches beside the active one. */
  branches(): Promise<Branch[]>;
  navigateTo(eventId: string | null): Promise<void>;
  /** Goes to this version of a message, by its id in `UIMessage.versions`: to the newest branch that has it. */
  showVersion(versionId: string): Promise<void>;
  /** Adds older messages; with `all`, all of them in one go. Resolves to whether there are more. */
  loadEarlier(options?: { all?: boolean | undefined }): Promise<boolean>;
  /** Gives the conversation up. If another thread of this page has the same id open, it continues there. */
  close(): Promise<void>;
}

/** Objects that have not changed stay the same. */
export interface ConversationListSnapshot {
  /** `"loading"`: nothing is known yet. `"failed"`: see `error`; `conversations` are those from before. */
  phase: "loading" | "ready" | "failed";
  conversations: readonly ConversationInfo[];
  error: ThreadkeepError | null;
}

/** A list of conversations that stays up to date while somebody subscribes. Its functions need no `this`. */
export interface ConversationList {
  subscribe(listener: () => void): () => void;
  getSnapshot(): ConversationListSnapshot;
  /** Reads the list now. Never rejects; a failure is in the snapshot. */
  refresh(): Promise<void>;
}
