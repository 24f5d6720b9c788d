// The options, the state and the results of mirrors.
import type { Progress } from "../formats/types.js";
import type { ThreadkeepError } from "../input/errors.js";
import type { Store } from "../store/store.js";

/**
 * A place for files that the host gives: a WebDAV server, an S3-like store, a server of the app. Paths have slashes between their
 * parts, and none at the beginning. A function that rejects is called again later; what it throws is the `cause` of the state's error.
 */
export interface MirrorFiles {
  /**
   * Tells this place apart from others: mirrors with the same store and the same name work in one tab at a time, and remember what is
   * there from page to page. Without a name, each mirror works for itself, and a new page compares everything anew.
   */
  name?: string | undefined;
  /** The paths of all files whose paths begin with this text, which is empty or ends with a slash, in any order. */
  list(prefix: string): Promise<string[]>;
  /** The content of a file, or `undefined` if it does not exist. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Makes or replaces a file, with the folders that it needs: completely, or not at all. Resolves once it is stored. */
  write(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes a file; does nothing if it does not exist. */
  remove(path: string): Promise<void>;
}

/** The options of `mirror()`. */
export interface MirrorOptions {
  /** Called with the state whenever it has changed. */
  onChange?: ((state: MirrorState) => void) | undefined;
  /** Closes the mirror. */
  signal?: AbortSignal | undefined;
  /**
   * With `"follow"`, a conversation that is deleted here while a mirror is open is deleted there, too. What is missing here for any
   * other reason stays there. Default: `"keep"`.
   */
  deletions?: "keep" | "follow" | undefined;
}

/** The state of a mirror. */
export interface MirrorState {
  /**
   * `"up_to_date"`: everything is there. `"behind"`: something is being written, or about to be. `"waiting"`: everything is there but
   * the base states of `waitingFor`. `"failed"`: the place or the store has failed, or refused something, and it is tried again later.
   * `"closed"`: by `close()` or the signal.
   */
  status: "up_to_date" | "behind" | "waiting" | "failed" | "closed";
  /** How many conversations are not completely there. */
  conversations: number;
  /** How many events of them are missing there. */
  events: number;
  /**
   * The ids of conversations with which another device has gone on in this place, and which are open here: what is new there is taken
   * in, and HEAD and settings of this device are written, once they are closed. Their events are written meanwhile.
   */
  waitingFor: string[];
  /** The last failure that is not over, or `null`. */
  error: ThreadkeepError | null;
  /** When everything was there last, in milliseconds since the Unix epoch; `null` if that was never so since `mirror()` was called. */
  doneAt: number | null;
}

/** A file that differed from the one here. */
export interface MirrorDifference {
  /** The conversation's id. */
  conversation: string;
  /** The path of the file in the conversation's directory. */
  path: string;
  /** `"missing"` or `"different"` there; or `"unreadable here"`: the store has no JSON object there, and the mirror has one. */
  problem: "missing" | "different" | "unreadable here";
  /** Whether it was written again. What is unreadable here is not, nor an event in a store that has events which are not here. */
  isMended: boolean;
}

/** The result of `verify()`. */
export interface MirrorReport {
  /** How many conversations, and how many files of them: each event and each base state is one. */
  conversations: number;
  files: number;
  /** The files that were not as they are here. */
  differences: MirrorDifference[];
}

/** The options of `verify()`. */
export interface MirrorVerifyOptions {
  /** `done` and `total` in files, of which a conversation has one for each event; those that are not events count when they are read. */
  onProgress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A mirror that works until it is closed. */
export interface Mirror {
  /** The present state: an object that does not change. */
  readonly state: MirrorState;
  /**
   * Resolves once all that was stored when it was called is there, and all that was there is taken in, except for conversations that
   * are open here. Tries at once what has failed.
   * @throws ThreadkeepError the failure, if one is not over after that; `invalid_state` if the mirror is closed meanwhile
   */
  catchUp(): Promise<void>;
  /**
   * Reads everything on both sides, compares the bytes, and writes again what is missing or different there.
   * @throws ThreadkeepError as `catchUp()`; `aborted`
   */
  verify(options?: MirrorVerifyOptions): Promise<MirrorReport>;
  /** Ends it: a file that is being written is completed. What is missing there is written by the next mirror. */
  close(): void;
}

/** The options of `restoreMirror()`. */
export interface RestoreOptions {
  /** Where it is stored. Default: `indexedDBStore()`. */
  store?: Store | undefined;
  /** `done` and `total` in files; `total` grows to the number of all files while the place is listed. */
  onProgress?: ((progress: Progress) => void) | undefined;
  signal?: AbortSignal | undefined;
}
