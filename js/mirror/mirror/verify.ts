// Compares everything that a mirror has with what is stored here, byte by byte, and writes again what differs.
import { bytesOf, textOfBytes } from "../../input/bytes.js";
import { listener, untilAborted } from "../../formats/archive/watching.js";
import { optionsOf } from "../../input/errors.js";
import { each } from "../../store/directory/disk.js";
import { baseStateFile } from "../../store/directory/names.js";
import { asked, timeout } from "../../store/reading.js";
import type { Listing } from "../../store/store.js";
import type { MirrorDifference, MirrorReport, MirrorVerifyOptions } from "../types.js";
import { type Bringer, eventPath, withParent } from "./conversation.js";
import { hashOfText } from "./known.js";
import { PlaceFailure, type Spot, spotOf } from "./place.js";
import { eventPages, filePages, pathsOf } from "./reading.js";

export async function verify(bringer: Bringer, options: MirrorVerifyOptions): Promise<MirrorReport> {
  const { onProgress, signal } = optionsOf("verify()", options, "onProgress signal");
  const report = listener(onProgress, "files");
  return untilAborted(signal, "verification", async () => {
    try {
      const listings = await asked("list", timeout, () => bringer.store.list());
      let total = listings.reduce((sum, { length }) => sum + length + 1, 0);
      const found: MirrorReport = { conversations: 0, files: 0, differences: [] };
      const seen = (more: number, isFurther = false) => {
        signal?.throwIfAborted();
        found.files += more;
        if (isFurther) total += more;
        report(found.files, Math.max(total, found.files));
      };
      for (const listing of listings) await verifyOne(bringer, listing, seen, (difference) => found.differences.push(difference));
      found.conversations = listings.length;
      return found;
    } catch (error) {
      throw error instanceof PlaceFailure ? error.error : error;
    }
  });
}

type Seen = (more: number, isFurther?: boolean) => void;
type Differs = (difference: MirrorDifference) => void;

async function verifyOne(bringer: Bringer, listing: Listing, seen: Seen, differs: Differs): Promise<void> {
  const { store, place, known } = bringer;
  const { conversation, baseState, updatedAt } = listing;
  const spot = spotOf(conversation, baseState, updatedAt);
  const { isIncomplete, stuck, hasMore } = await verifyEvents(bringer, listing, spot, seen, differs);
  let isAnew = isIncomplete;
  const { state } = await place.look(spot);
  const hash = state === undefined ? undefined : await hashOfText(state);
  const isOwn = () => known.get(conversation)?.isHeld || known.get(conversation)?.states.some((one) => one.hash === hash);
  // Another tab may have written it meanwhile.
  if (!isOwn()) await known.load();
  if (!isOwn()) {
    isAnew = true;
    differs(differenceOf(conversation, baseStateFile, state, true));
  }
  if (stuck.length > 0 && !hasMore && !known.get(conversation)?.isHeld) {
    await place.discard?.(spot);
    for (const one of stuck) one.isMended = true;
    isAnew = true;
  }
  if (isAnew) await bringer.bring(conversation, true);
  seen(1);
  for await (const page of filePages(store, conversation, await pathsOf(store, conversation))) {
    await each(page, async ([path, content]) => {
      const there = await place.readFile(spot, path);
      if (there && isSame(there, content)) return;
      await place.putFiles(spot, [[path, content]]);
      differs(differenceOf(conversation, path, there, true));
    });
    seen(page.length, true);
  }
}

/** How the events of a conversation stand there, once those that can be written again have been. */
interface Compared {
  /** Whether one is missing there. */
  isIncomplete: boolean;
  /** Those that differ, and cannot be written again: an event in a store never changes. */
  stuck: MirrorDifference[];
  /** Whether something of it is only there: an event, or one that is not readable here. */
  hasMore: boolean;
}

async function verifyEvents(
  bringer: Bringer,
  { conversation, length }: Listing,
  spot: Spot,
  seen: Seen,
  differs: Differs,
): Promise<Compared> {
  const { store, place } = bringer;
  const numbers = await bringer.numbersThere(spot);
  const order = [...numbers].sort(([, one], [, other]) => one - other).map(([id]) => id);
  const beforeThere = new Map(order.map((id, place) => [id, order[place - 1] ?? null]));
  const compared: Compared = { isIncomplete: false, stuck: [], hasMore: false };
  let before: string | null = null;
  let both = 0;
  for await (const page of eventPages(store, conversation, 0, length)) {
    const places = page.map((event, place) => ({ event, before: place > 0 ? page[place - 1]!.id : before }));
    before = page.at(-1)!.id;
    const found = await each(places, async ({ event, before }): Promise<MirrorDifference | undefined> => {
      const { id, index } = event;
      const number = numbers.get(id);
      if (number === undefined) {
        compared.isIncomplete = true;
        return differenceOf(conversation, eventPath(index, id), undefined, true);
      }
      both++;
      const json = await bringer.textThere(event, conversation, before);
      const there = await place.readEvent(spot, number, id);
      if (there && isSame(there, bytesOf(json))) return undefined;
      // One that another device has written need not name the event that it follows there.
      const named = (text: string, before: string | null) => withParent(conversation, id, text, before);
      if (there && (await named(textOfBytes(there), beforeThere.get(id)!)) === (await named(event.json, before))) return undefined;
      const path = eventPath(number, id);
      if (there && !isObject(bytesOf(json)) && isObject(there)) {
        compared.hasMore = true;
        return { conversation, path, problem: "unreadable here", isMended: false };
      }
      const difference = differenceOf(conversation, path, there, place.canReplaceEvents);
      if (place.canReplaceEvents) await place.put(spot, [{ number, id, json }], undefined, false, number);
      else compared.stuck.push(difference);
      return difference;
    });
    for (const one of found) if (one) differs(one);
    seen(page.length);
  }
  if (both < numbers.size) compared.hasMore = true;
  return compared;
}

function differenceOf(conversation: string, path: string, there: unknown, isMended: boolean): MirrorDifference {
  return { conversation, path, problem: there === undefined ? "missing" : "different", isMended };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, place) => byte === other[place]);
}

function isObject(json: Uint8Array): boolean {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(json));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
