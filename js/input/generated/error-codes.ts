// Generated from src/error.rs. Change it there, then run `THREADKEEP_WRITE=1 cargo test --locked --test generated`.

/** A stable code that programs can branch on: it never changes its meaning. `docs/errors.md` says what to do about each. */
export type ErrorCode =
  /** The provider refused the key, or the account has no credit. */
  | "llm_auth"
  /** The model's key is stored encrypted and cannot be read; nothing was sent. */
  | "key_locked"
  /** The provider is getting too many requests. */
  | "llm_rate_limit"
  /** The conversation no longer fits the model's context window. */
  | "llm_context_window"
  /** The provider refused the content. */
  | "llm_content_policy"
  /** The provider could not make sense of the request. */
  | "llm_bad_request"
  /** The provider failed or is overloaded, or its answer made no sense. */
  | "llm_unavailable"
  /** No answer came in time, or a stream went silent. */
  | "llm_timeout"
  /** The request did not reach the server, or its answer was cut off. */
  | "network"
  /** The model's server answers, but refuses requests from web pages, or from this one (CORS). */
  | "cors"
  /** The browser reports that it is offline. A run ends with this code only if it does not wait for the network. */
  | "offline"
  /** The agent server refused the key. */
  | "server_auth"
  /** WebAssembly is switched off, or the page's Content-Security-Policy does not allow it. */
  | "wasm_blocked"
  /** The `signal` of a run, an import or an export stopped it. */
  | "aborted"
  /** The browser's storage is full. */
  | "store_quota"
  /**
   * Another tab keeps the database open in another version, a newer version of the app has written it, or a custom
   * store has not answered in time.
   */
  | "store_blocked"
  /**
   * There is no IndexedDB here, or the browser forbids it (a sandboxed frame, blocked site data); or the browser has
   * lost its connection to it, which is `retryable`.
   */
  | "store_unavailable"
  /** The conversation was stored and is gone: the site's data was cleared, or the browser lost its database. */
  | "store_lost"
  /** The stored data cannot be read, or a store broke its contract. */
  | "store_corrupt"
  /** Another tab or handle writes this conversation, or did, and this handle has not taken its place. */
  | "locked_elsewhere"
  /** Only the tab that writes this conversation, or only a conversation that runs here, can do this. */
  | "unsupported"
  /** The archive or file cannot be imported; the message names the entry. */
  | "archive_invalid"
  /** The data stored under this id belongs to another conversation. */
  | "id_mismatch"
  /**
   * An argument is not of the documented form, or there is no such option; the message names it, and the option that
   * was probably meant.
   */
  | "invalid_options"
  /** The conversation's present status does not allow it. While calls wait for the user, `sendMessage` names them. */
  | "invalid_state"
  /** There is no such conversation, event or file. */
  | "not_found"
  /** The workspace is not the conversation's own files, so it has no earlier versions. */
  | "no_history"
  /** A file, or the number of files, is over a limit that the message names. */
  | "too_large"
  /**
   * The user has to allow access to the folder of a workspace or a store, for the first time or again after a reload;
   * or to unlock an encrypted store.
   */
  | "permission_required"
  /**
   * A run has taken all its steps, spent its budget, or used up its attempts at a valid final answer. Only failures
   * that are stored have this code: `run()` resolves.
   */
  | "limit_reached"
  /** Another program has stored the failure under a name that this library does not know. */
  | "unknown"
  /** A defect of this library. */
  | "internal";

/** The codes after which the same call can succeed later with nothing changed. @internal */
export const retryableCodes: readonly ErrorCode[] = [
  "llm_rate_limit",
  "llm_unavailable",
  "llm_timeout",
  "network",
  "offline",
  "store_blocked",
  "locked_elsewhere",
];
