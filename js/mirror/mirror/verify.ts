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
import { PlaceFailure, spotOf } from "./place.js";
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

async function verifyOne(
  bringer: Bringer,
  { conversation, length, baseState, updatedAt }: Listing,
  seen: (more: number, isFurther?: boolean) => void,
  differs: (difference: MirrorDifference) => void,
): Promise<void> {
  const { store, place, known } = bringer;
  const spot = spotOf(conversation, baseState, updatedAt);
  const numbers = await bringer.numbersThere(spot);
  const orderThere = [...numbers].sort(([, one], [, other]) => one - other).map(([id]) => id);
  const beforeThere = new Map(orderThere.map((id, place) => [id, orderThere[place - 1] ?? null]));
  const difference = (path: string, there: unknown, isMended: boolean): MirrorDifference => ({
    conversation,
    path,
    problem: there === undefined ? "missing" : "different",
    isMended,
  });
  let before: string | null = null;
  let isAnew = false;
  /** How many events of the store are there, and those there that are not as they are here, and cannot be written again. */
  let ours = 0;
  const stuck: MirrorDifference[] = [];
  let isOnlyThere = false;
  for await (const page of eventPages(store, conversation, 0, length)) {
    const places = page.map((event, place) => ({ event, before: place > 0 ? page[place - 1]!.id : before }));
    before = page.at(-1)!.id;
    const found = await each(places, async ({ event, before }): Promise<MirrorDifference | undefined> => {
      const { id, index, json: text } = event;
      const number = numbers.get(id);
      if (number !== undefined) ours++;
      const json = await bringer.textThere(event, conversation, before);
      const there = number === undefined ? undefined : await place.readEvent(spot, number, id);
      if (there && isSame(there, bytesOf(json))) return undefined;
      // One that another device has written need not name the event that it follows there.
      const named = (text: string, before: string | null) => withParent(conversation, id, text, before);
      if (there && (await named(textOfBytes(there), beforeThere.get(id) ?? null)) === (await named(text, before))) return undefined;
      const path = eventPath(number ?? index, id);
      if (there && !isObject(bytesOf(json)) && isObject(there)) {
        isOnlyThere = true;
        return { conversation, path, problem: "unreadable here", isMended: false };
      }
      if (number === undefined) isAnew = true;
      else if (place.canReplaceEvents) await place.put(spot, [{ number, id, json }], undefined, false, number);
      const found = difference(path, there, number === undefined || place.canReplaceEvents);
      if (!found.isMended) stuck.push(found);
      return found;
    });
    for (const one of found) if (one) differs(one);
    seen(page.length);
  }
  const { state } = await place.look(spot);
  const hash = state === undefined ? undefined : await hashOfText(state);
  const isOwn = () => known.get(conversation)?.isHeld || known.get(conversation)?.states.some((one) => one.hash === hash);
  // Another tab may have written it meanwhile.
  if (!isOwn()) await known.load();
  if (!isOwn()) {
    isAnew = true;
    differs(difference(baseStateFile, state, true));
  }
  // An event in a store never changes, so the conversation is brought anew, unless some of it is only there.
  if (stuck.length > 0 && !isOnlyThere && ours === numbers.size && !known.get(conversation)?.isHeld) {
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
      differs(difference(path, there, true));
    });
    seen(page.length, true);
  }
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
