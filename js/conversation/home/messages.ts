// The messages between a page and a worker that is the home of its conversations. A page has a port of its own to each worker; what
// handles say to each other goes another way, as between tabs.
import type { SentError } from "../role/channel.js";

/** The first message to a worker, which comes with the port. */
export interface Greeting {
  threadkeep: "page";
  /** The name of a lock that the page holds as long as it lives. The worker holds the same with `:worker` behind it. */
  lock: string;
}

/** A message of a page. `call` is its number, for the answer. */
export type FromPage = { call: number } & (
  | {
      /** Opens this conversation, or takes note that one more handle shows it. */
      open: string;
      data: unknown;
    }
  | {
      /** The handle of this call of `open` is closed. */
      close: number;
    }
  | {
      /** Calls a method whose arguments go to this worker only. */
      of: string;
      verb: "switchLLM" | "updateSecrets";
      value: unknown;
    }
);

/** A message of the worker. */
export type FromWorker =
  | {
      /** It answers, and holds its lock, if there are locks. */
      ready: true;
    }
  /** The answer to `open` is the name of the store. */
  | { call: number; value: unknown }
  /** Why it cannot be the home of this conversation, which then runs in the page. */
  | { call: number; unavailable: string }
  | { call: number; error: SentError };
