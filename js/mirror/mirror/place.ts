// A place to which conversations are mirrored, as the mirror needs it: a store, or files that the host reads and writes.
import type { CoreMirrorPlan } from "../../../pkg/threadkeep.js";
import type { Bytes } from "../../input/bytes.js";
import { type ErrorCode, ThreadkeepError, fieldOf, isA, textOf } from "../../input/errors.js";
import { retryableCodes } from "../../input/generated/error-codes.js";
import { ancestorsOf, hexOf, subagentsFolder } from "../../store/directory/names.js";

/** Where a conversation lies. */
export interface Spot {
  /** Its id, with dashes. */
  id: string;
  /** Its folder, and that of the conversation at the top above it. */
  folder: string;
  top: string;
  /** When it was changed last, in milliseconds since the Unix epoch. */
  at: number;
}

/** An event as it is written there. */
export interface Placed {
  number: number;
  id: string;
  json: string;
}

/** The knowledge about a conversation there without reading its events. */
export interface Look {
  /** Its base state; `undefined` if it does not exist. */
  state: string | undefined;
  /** The number of its events, where that is known. */
  length: number | undefined;
}

/** Files of a conversation by their paths in its folder; `null` for one to be removed. */
export type FileChanges = Array<[path: string, content: Bytes | null]>;

/** Its methods reject with `PlaceFailure`, with `Overtaken`, or, for a conversation that is open there, with `locked_elsewhere`. */
export interface Place {
  readonly name: string | undefined;
  /** Whether an event that is there can be written again. */
  readonly canReplaceEvents: boolean;
  /** The folders of all conversations that are there, with the number of their events and, where it costs nothing more, their states. */
  overview(): Promise<Map<string, { events: number; state?: string }>>;
  look(spot: Spot): Promise<Look>;
  /** The names of the event files. */
  eventFiles(spot: Spot): Promise<string[]>;
  /** Writes events again with other numbers, then removes files of events. */
  arrange(spot: Spot, moves: CoreMirrorPlan["moves"], stale: readonly string[]): Promise<void>;
  /**
   * Writes events, in this order, and then replaces the base state, if one is given. `isNew`: there is no base state yet. `length` is
   * the number of events that are there.
   */
  put(spot: Spot, events: readonly Placed[], state: string | undefined, isNew: boolean, length: number): Promise<void>;
  putFiles(spot: Spot, files: FileChanges): Promise<void>;
  readEvent(spot: Spot, number: number, id: string): Promise<Bytes | undefined>;
  readFile(spot: Spot, path: string): Promise<Bytes | undefined>;
  /**
   * Removes the conversation and those of its sub-agents, in each first the base state, so that there is none any more when the log is
   * incomplete.
   */
  remove(spot: Spot): Promise<void>;
  /** Removes only this conversation, so that it can be brought anew; a place that can replace events does not need it. */
  discard?(spot: Spot): Promise<void>;
  /** The folders of the conversations at the top. */
  tops(): Promise<string[]>;
  /** All files below a folder, by their paths from the top, with functions that read them. */
  below(folder: string): AsyncIterable<[path: string, read: () => Promise<Blob>]>;
}

/** The place has failed, not what is mirrored. */
export class PlaceFailure extends Error {
  readonly error: ThreadkeepError;

  constructor(place: string | undefined, thrown: unknown) {
    super(textOf(thrown));
    this.error = isA(thrown, ThreadkeepError) ? thrown : failureOf(place, thrown);
  }
}

/** Somebody else has written to a conversation there since it was looked at. */
export class Overtaken extends ThreadkeepError {
  constructor(conversation: string) {
    super("locked_elsewhere", `conversation ${conversation} was changed at the place of the mirror while it was brought there; try again`);
  }
}

export function spotOf(id: string, baseState: string, at = 0): Spot {
  const hex = hexOf(id);
  const names = [...ancestorsOf(baseState, hex), hex];
  return { id, folder: names.join(`/${subagentsFolder}/`), top: names[0]!, at };
}

function failureOf(place: string | undefined, thrown: unknown): ThreadkeepError {
  // The host may throw errors of the library, of a second copy of it as well.
  const given = fieldOf(thrown, "code");
  const code = [...retryableCodes, "permission_required", "store_quota"].find((known) => known === given) as ErrorCode | undefined;
  const where = place === undefined ? "the place of the mirror" : `the place ${JSON.stringify(place)} of the mirror`;
  return new ThreadkeepError(code ?? "network", `${where} has failed: ${textOf(thrown)}; it is tried again later`, { cause: thrown });
}
