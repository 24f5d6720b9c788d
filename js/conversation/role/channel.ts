// The messages between the handles of one conversation: the writer answers what the others ask, and passes on live events. They
// speak over a channel of this conversation, which exists only while there is a follower.
import type { ExecutionStatus, LiveEvent, WaitingEvent } from "../../events/events.js";
import { newId } from "../../input/arguments.js";
import type { ErrorCode } from "../../input/errors.js";
import type { Store } from "../../store/store.js";
import type { ToolContext } from "../../tool/types.js";
import { scopeOf } from "../../store/turns.js";
import type { Verb } from "../verbs.js";

/** Where a writer runs, for those who are not there. */
export type Elsewhere = "tab" | "worker" | "server";

/** A message of a follower. `from` is the handle. */
export type FromFollower = { from: string } & (
  | { hello: true }
  | {
      /** The writer that is to carry it out. All hear it, also one that has begun to write and does not know the earlier calls yet. */
      to: string;
      /** The number of a call; each handle counts its own. */
      call: number;
      verb: Verb;
      args: unknown[];
      /** Whether an earlier writer may have carried it out. */
      isAgain: boolean;
      /** All calls up to this number have their answers. */
      settled: number;
      /** Whether the last argument has a signal, which cannot be sent. */
      signal: "none" | "open" | "aborted";
    }
  | { abort: number }
  /** The tools that its page can run now: since when the user looks at it, or `null` while it is hidden. A lock tells of its end. */
  | { tools: readonly string[]; looked: number | null }
  /** The progress of a call of the writer, and its end: the JSON of the result, or the message of the error. */
  | { says: string; about: number }
  | { ran: number; json: string }
  | { ran: number; failed: string }
  | { gone: true }
);

/** A message of the writer, the handle `by`, which has written `since` that time. */
export type FromWriter = { by: string } & (
  | { here: Elsewhere; since: number }
  /** The answer to `hello`, with what was shown so far of an answer that is under way: the id of its event, and its text. */
  | { to: string; welcome: Elsewhere; since: number; answer: [id: string, text: string] | undefined; shown: Shown }
  | { to: string; result: number; value: unknown }
  | { to: string; result: number; error: SentError }
  /** Runs a tool in the page of this handle, and stops that. */
  | { to: string; perform: number; tool: string; args: string; context: PageContext }
  | { to: string; stop: number }
  /** It is about to end, and stops the run of this call for that. */
  | { to: string; left: number }
  /** Live events that do not come from a commit. */
  | { live: LiveEvent[]; shown: Shown }
  /** Something was stored; the events and the state are read from the store. */
  | { committed: true; shown: Shown }
);

/** The part of the context of a tool that can be sent. */
export type PageContext = Pick<ToolContext, "toolCallId" | "conversationId" | "idempotencyKey">;

/** The properties of the writer that are not stored. */
export interface Shown {
  /** JSON */
  limits: string;
  waiting: WaitingEvent | null;
  /** Whether a summary is being written; a server does not say. */
  isCondensing?: boolean;
  /** The status, where it is another one than the log says. */
  status?: ExecutionStatus;
}

export interface SentError {
  code: ErrorCode;
  message: string;
  retryable: boolean;
  status: number | undefined;
}

/** A message without its sender. */
export type Unsigned<Message, Sender extends string> = Message extends unknown ? Omit<Message, Sender> : never;

/** The lock that a follower holds as long as its page can run tools. */
export const lockOfPage = (follower: string): string => `threadkeep-tools:${follower}`;

/** The names of stores without a name, which are in this page only. */
const unnamed = new WeakMap<object, string>();

/** A channel of this conversation; `undefined` where there are none. */
export function channelOf(store: Store, id: string): BroadcastChannel | undefined {
  if (typeof BroadcastChannel !== "function") return undefined;
  const scope = scopeOf(store);
  if (typeof scope === "object" && !unnamed.has(scope as object)) unnamed.set(scope as object, `#${newId()}`);
  const name = typeof scope === "object" ? unnamed.get(scope as object) : scope;
  const channel = new BroadcastChannel(`threadkeep-conversation:${name}:${id}`);
  // In Node it would keep the process alive.
  (channel as { unref?(): void }).unref?.();
  return channel;
}
