// The event files of a conversation.
import { textOfBytes } from "../../input/bytes.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { StoredEvent } from "../store.js";
import { type Directory, each, entriesOf, fileIn, readIn } from "./disk.js";
import { eventFile, eventIn } from "./names.js";

/** The ids of the events as the SDK finds them: the log ends before the first number that no file has. */
export async function idsIn(events: Directory | undefined): Promise<string[]> {
  const byIndex = new Map<number, string>();
  for (const [name] of events ? await entriesOf(events) : []) {
    const event = eventIn(name);
    // Of two files with the same number, the later name counts, in whatever order they are listed.
    if (event && event[1] > (byIndex.get(event[0]) ?? "")) byIndex.set(...event);
  }
  const ids: string[] = [];
  for (let id = byIndex.get(0); id !== undefined; id = byIndex.get(ids.length)) ids.push(id);
  return ids;
}

/** The events with these ids, from the index `start`. @throws ThreadkeepError `store_corrupt` if one of their files is gone. */
export function readEvents(events: Directory | undefined, ids: readonly string[], start: number): Promise<StoredEvent[]> {
  return each(ids, async (id, place) => {
    const index = start + place;
    const name = eventFile(index, id);
    const bytes = events && (await readIn(events, name));
    if (!bytes) throw new ThreadkeepError("store_corrupt", `the file ${name} of a conversation is gone from its folder`);
    return { index, id, json: textOfBytes(bytes) };
  });
}

/** When the first event was stored, in milliseconds since the Unix epoch. */
export async function begunAt(events: Directory | undefined, ids: readonly string[]): Promise<number | undefined> {
  if (!events || ids.length === 0) return undefined;
  return (await fileIn(events, eventFile(0, ids[0]!)))?.lastModified;
}
