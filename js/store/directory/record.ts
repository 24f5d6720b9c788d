// The record of a conversation's last commit, in a file beside the layout: what the layout does not say, and all that the
// commit writes. It is replaced before anything else is written, so that the next one can complete a commit that was cut off.
import { bytesOf, textOfBytes, type Bytes } from "../../input/bytes.js";
import { type Directory, contentOf, fileIn, removeIn, writeIn } from "./disk.js";

/** The commit, without contents: they follow in the file, in this order. */
export interface Steps {
  /** The further files: path, length or `null` to remove it, and the stamp that it had before. */
  files: Array<[path: string, bytes: number | null, before: string | null]>;
  /** The event files that are removed, the first of the log first. */
  cut: string[];
  /** The length of the log before the events. */
  from: number;
  events: Array<[id: string, bytes: number]>;
  /** The length of the base state. */
  base: number | null;
}

export interface Head {
  version: 1;
  /** A random text for each commit. */
  mark: string;
  /** The mark of the commit before. */
  previous: string | null;
  createdAt: number;
  updatedAt: number;
  writer: number;
  /** The length of the log after the commit. */
  length: number;
  /** The ids of its last events, so that these are found without listing all of them. Absent in records of earlier versions. */
  recent?: string[];
  /** The hash of the base state after the commit, and before it. */
  base: string | null;
  was: string | null;
  /** The stamp of Python's lock file: it differs once Python has appended. */
  lock: string | null;
  /** Whether the conversation was deleted: the rest of its directory is to be removed. */
  isOver?: true;
  /** Absent once the commit is known to be complete. */
  steps?: Steps;
}

const file = "commit";
/** The length of the head in decimal digits, and a line feed. */
const prefix = 10;
/** How much is read at first: enough for the heads of most commits. */
const firstRead = 8192;

/** The head of the record, or `undefined` if there is none that can be read. */
export async function readHead(own: Directory): Promise<Head | undefined> {
  const stored = await fileIn(own, file);
  if (!stored) return undefined;
  let bytes = await contentOf(stored.slice(0, firstRead));
  const length = headLength(bytes);
  if (prefix + length > bytes.length) bytes = await contentOf(stored.slice(0, prefix + length));
  try {
    const head = JSON.parse(textOfBytes(bytes.subarray(prefix, prefix + length)));
    return head?.version === 1 && typeof head.mark === "string" ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The contents of all steps, in their order. */
export async function readContents(own: Directory, { steps }: Head): Promise<Bytes[]> {
  const stored = await fileIn(own, file);
  if (!stored || !steps) return [];
  let at = prefix + headLength(await contentOf(stored.slice(0, prefix)));
  const lengths = [...steps.files.map(([, bytes]) => bytes ?? 0), ...steps.events.map(([, bytes]) => bytes), steps.base ?? 0];
  const contents: Bytes[] = [];
  for (const length of lengths) {
    contents.push(await contentOf(stored.slice(at, at + length)));
    at += length;
  }
  return contents;
}

export async function writeRecord(own: Directory, head: Head, contents: readonly Bytes[]): Promise<void> {
  const bytes = bytesOf(JSON.stringify(head));
  const length = bytesOf(`${String(bytes.length).padStart(prefix - 1, "0")}\n`);
  await writeIn(own, file, new Blob([length, bytes, ...contents]));
}

export function removeRecord(own: Directory): Promise<void> {
  return removeIn(own, file);
}

/** When the record was last written, in milliseconds since the Unix epoch. */
export async function recordedAt(own: Directory): Promise<number | undefined> {
  return (await fileIn(own, file))?.lastModified;
}

function headLength(bytes: Bytes): number {
  return Number(textOfBytes(bytes.subarray(0, prefix))) || 0;
}
