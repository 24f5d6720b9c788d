// Brings one conversation to a place: first its events, then its base state, so that the place has a conversation at every moment;
// further files apart from that. What another device has written there is taken in before its base state is replaced.
import { hashOf } from "../../input/bytes.js";
import { type CoreMirrorPlan, mirrored, planMirror } from "../../../pkg/threadkeep.js";
import { importFiles } from "../../formats/archive/zip-import.js";
import { type ThreadkeepError, fromCore, settle } from "../../input/errors.js";
import { eventFile, eventIn } from "../../store/directory/names.js";
import { recordChange } from "../../store/inventory.js";
import { asked, timeout } from "../../store/reading.js";
import { openInTurn } from "../../store/turns.js";
import type { Listing, Store, StoredEvent } from "../../store/store.js";
import { type Known, type KnownState, type Memory, hashOfText } from "./known.js";
import { inOrder } from "./order.js";
import { type FileChanges, Overtaken, type Place, PlaceFailure, type Placed, type Spot, spotOf } from "./place.js";
import { eventPages, filePages, idsOf, pathsOf } from "./reading.js";

/** How a conversation stands there. */
export interface Brought {
  /** `"gone"`: it is not stored here. `"held"`: its base state waits until it can be taken in what another device has written. */
  is: "there" | "held" | "gone";
  /** Why it is held, unless the conversation is open here. */
  error?: ThreadkeepError;
}

/** The base state that was there, and the number of event files. */
interface Taken {
  hash: string;
  events: number;
}

const nothing = () => undefined;
/** How often a conversation is brought anew at once if another device is faster. */
const mostTries = 5;

export class Bringer {
  readonly store: Store;
  readonly place: Place;
  readonly known: Memory;

  constructor(store: Store, place: Place, known: Memory) {
    this.store = store;
    this.place = place;
    this.known = known;
  }

  async load(id: string): Promise<Listing | undefined> {
    return asked("load", timeout, () => this.store.load(id));
  }

  /** The base state of a conversation as the place gets it. */
  stateOf({ conversation, baseState }: Listing): Promise<string> {
    return settle(mirrored({ conversation, text: baseState }));
  }

  /**
   * Brings the log and the base state. Reads and writes only what is new since the last time, unless the place has changed, or with
   * `isAnew`. `taken` is what was there when everything was taken in.
   */
  async bring(id: string, isAnew: boolean, taken?: Taken): Promise<Brought> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#bring(id, isAnew || tries > 1, taken);
      } catch (error) {
        if (!(error instanceof Overtaken) || tries === mostTries) throw error;
      }
    }
  }

  async #bring(id: string, isAnew: boolean, taken: Taken | undefined): Promise<Brought> {
    const listing = await this.load(id);
    if (!listing) return { is: "gone" };
    const spot = spotOf(id, listing.baseState, listing.updatedAt);
    const look = await this.place.look(spot);
    const seen = look.state === undefined ? undefined : await hashOfText(look.state);
    const known = this.known.get(id) ?? { states: [], isHeld: false, files: null, whole: null };
    delete known.isDeleted;
    this.known.set(id, known);
    const there = isAnew
      ? undefined
      : known.states.find(({ hash, next }) => hash === seen && (look.length === undefined || look.length === next));
    if (there && (await this.#append(listing, spot, known, there))) return { is: known.isHeld ? "held" : "there" };
    return this.#compare(listing, spot, look.state, seen, known, taken);
  }

  /** Adds what is new to a log of which the beginning is there. Resolves to false if it is another beginning. */
  async #append(listing: Listing, spot: Spot, known: Known, there: KnownState): Promise<boolean> {
    const { conversation: id, length } = listing;
    if (length < there.length) return false;
    const state = known.isHeld ? undefined : await this.stateOf(listing);
    const hash = state === undefined ? there.hash : await hashOfText(state);
    const next: KnownState = { ...there, hash, length, next: there.next + length - there.length };
    if (length === there.length && hash === there.hash) {
      known.states = [there];
      return true;
    }
    await this.#intend(id, known, there, next);
    let last = there.last;
    let number = there.next;
    // The event before tells whether this log goes on with what is there.
    const start = Math.max(0, there.length - 1);
    let pending: Placed[] = [];
    for await (const page of length > there.length ? eventPages(this.store, id, start, length) : none()) {
      const isFirst = page[0]!.index === start && there.length > 0;
      if (isFirst && page[0]!.id !== there.last) return false;
      const events = isFirst ? page.slice(1) : page;
      if (pending.length > 0) await this.place.put(spot, pending, undefined, false, pending[0]!.number);
      pending = [];
      for (const event of events) {
        pending.push({ number: number++, id: event.id, json: await this.#textOf(id, event, last, there.isSameOrder) });
        last = event.id;
      }
    }
    await this.place.put(spot, pending, state, false, there.next + length - there.length - pending.length);
    known.states = [{ ...next, last }];
    return true;
  }

  /** Compares with the names of the files that are there. */
  async #compare(
    listing: Listing,
    spot: Spot,
    stateThere: string | undefined,
    seen: string | undefined,
    known: Known,
    taken: Taken | undefined,
  ): Promise<Brought> {
    const { conversation: id, length } = listing;
    const names = sorted(await this.place.eventFiles(spot));
    const ids = await idsOf(this.store, id, length);
    const [ours, theirs] = [ids.join("\n"), names.join("\n")];
    const plan = await settle(planMirror({ conversation: id, ours, theirs, state: stateThere }));
    const state = await this.stateOf(listing);
    const hash = await hashOfText(state);
    const isOwn = seen === hash || (!known.isHeld && known.states.some((one) => one.hash === seen));
    // Events that cannot be taken in, because they are torn, are no reason to try for ever.
    const wasTaken = taken?.hash === seen && taken?.events === names.length;
    const takesIn = plan.hasState && !wasTaken && (!isOwn || plan.hasMore);
    await this.place.arrange(spot, plan.moves, plan.stale);
    const writes = this.place.canReplaceEvents ? plan.writes : plan.writes.filter(({ number }) => number >= names.length);
    await this.#writeEvents(id, spot, ids, writes, plan.isSameOrder, seen === undefined);
    const now: KnownState = { hash, length, last: ids.at(-1) ?? null, next: plan.next, isSameOrder: plan.isSameOrder };
    if (takesIn) {
      await this.#removeGone(id, spot, known);
      const events = (await this.place.eventFiles(spot)).length;
      const refused = await this.#takeIn(id, spot);
      if (!refused) return this.bring(id, true, { hash: seen!, events });
      known.states = [{ ...now, hash: seen! }];
      known.isHeld = true;
      await this.known.save(id);
      return refused.code === "locked_elsewhere" ? { is: "held" } : { is: "held", error: refused };
    }
    known.isHeld = false;
    await this.#intend(id, known, seen === undefined ? undefined : { ...now, hash: seen }, now);
    await this.place.put(spot, [], state, seen === undefined, plan.next);
    known.states = [now];
    // Without a state nothing could be taken in.
    return plan.hasMore && !plan.hasState ? this.bring(id, true) : { is: "there" };
  }

  /** Writes events of the store, given by their index, with these numbers. */
  async #writeEvents(
    id: string,
    spot: Spot,
    ids: readonly string[],
    writes: CoreMirrorPlan["writes"],
    isSameOrder: boolean,
    isNew: boolean,
  ) {
    for (let begin = 0; begin < writes.length; ) {
      let end = begin + 1;
      while (end < writes.length && writes[end]!.index === writes[end - 1]!.index + 1) end++;
      const run = writes.slice(begin, end);
      let at = 0;
      for await (const page of eventPages(this.store, id, run[0]!.index, run.at(-1)!.index + 1)) {
        const events: Placed[] = [];
        for (const event of page) {
          const { index, number } = run[at++]!;
          events.push({ number, id: event.id, json: await this.#textOf(id, event, ids[index - 1] ?? null, isSameOrder) });
        }
        if (events.length > 0) await this.place.put(spot, events, undefined, isNew, events[0]!.number);
      }
      begin = end;
    }
  }

  /** The text of an event at its place there: behind another event than here, it has to name the one that it follows. */
  async #textOf(conversation: string, { id, json }: StoredEvent, before: string | null, isSameOrder: boolean): Promise<string> {
    return isSameOrder ? json : withParent(conversation, id, json, before);
  }

  /** Takes in what is there, with the conversations of the same family. Resolves to the reason why it cannot be. */
  async #takeIn(id: string, spot: Spot): Promise<ThreadkeepError | undefined> {
    try {
      // A handle of this page that opens meanwhile shall not find the lock.
      const taking = () => importFiles(inOrder(this.place.below(spot.top), false), this.store, {});
      const imported = await openInTurn(this.store, id, taking, nothing);
      const changed = imported.filter(({ outcome }) => outcome !== "up_to_date").map((one) => one.id);
      if (changed.length > 0) recordChange(this.store, { stored: changed });
      return undefined;
    } catch (error) {
      if (error instanceof PlaceFailure) throw error;
      const failure = fromCore(error);
      // The place has failed while it was read.
      if (failure.code === "network") throw new PlaceFailure(this.place.name, failure);
      return failure;
    }
  }

  /** Remembers, before it is written, that this state is one of this mirror. */
  async #intend(id: string, known: Known, before: KnownState | undefined, next: KnownState): Promise<void> {
    known.states = before ? [before, next] : [next];
    await this.known.save(id);
  }

  /** Removes files that are gone here: an import would bring them back, such as a message that has left the inbox. */
  async #removeGone(id: string, spot: Spot, known: Known): Promise<void> {
    const paths = new Set(await pathsOf(this.store, id));
    const gone: FileChanges = Object.keys(known.files ?? {})
      .filter((path) => !paths.has(path))
      .map((path) => [path, null]);
    if (gone.length === 0) return;
    await this.place.putFiles(spot, gone);
    for (const [path] of gone) delete known.files![path];
  }

  /** Brings the further files that differ from those that were brought last. */
  async bringFiles(id: string): Promise<void> {
    const listing = await this.load(id);
    const known = this.known.get(id);
    if (!listing || !known || known.states.length === 0) return;
    const spot = spotOf(id, listing.baseState, listing.updatedAt);
    const paths = await pathsOf(this.store, id);
    const hashes: Record<string, string> = {};
    for await (const page of filePages(this.store, id, paths)) {
      const changes: FileChanges = [];
      for (const [path, content] of page) {
        const hash = await hashOf(content);
        hashes[path] = hash;
        if ((known.files ? known.files[path] : await this.#hashThere(spot, path)) !== hash) changes.push([path, content]);
      }
      if (changes.length > 0) await this.place.putFiles(spot, changes);
    }
    known.files ??= {};
    await this.#removeGone(id, spot, known);
    known.files = hashes;
    known.whole = known.isHeld ? null : [listing.updatedAt, listing.length];
    await this.known.save(id);
  }

  async #hashThere(spot: Spot, path: string): Promise<string | undefined> {
    const content = await this.place.readFile(spot, path);
    return content && hashOf(content as Uint8Array<ArrayBuffer>);
  }

  /** Whether the place has, by what it says without reading files, all that is known to be there. */
  async isThere(id: string, listing: Listing, overview: Map<string, { events: number; state?: string }>): Promise<boolean> {
    const known = this.known.get(id);
    const found = overview.get(spotOf(id, listing.baseState).folder);
    const state = known?.states.length === 1 ? known.states[0]! : undefined;
    if (!found || !state || known!.isHeld || known!.whole?.[0] !== listing.updatedAt || known!.whole[1] !== listing.length) return false;
    return found.events === state.next && (found.state === undefined || (await hashOfText(found.state)) === state.hash);
  }

  /** Whether the place has another number of events than it had. */
  isOdd(id: string, { baseState }: Listing, overview: Map<string, { events: number }>): boolean {
    const found = overview.get(spotOf(id, baseState).folder);
    return found !== undefined && !this.known.get(id)?.states.some(({ next }) => next === found.events);
  }

  /** The number of event files there if it is not the one that it should be: somebody else has written or removed some. */
  async oddFiles(id: string): Promise<number | undefined> {
    const listing = this.place.canReplaceEvents ? await this.load(id) : undefined;
    const state = this.known.get(id)?.states.at(-1);
    if (!listing || !state) return undefined;
    const { length } = await this.place.eventFiles(spotOf(id, listing.baseState));
    return length === state.next ? undefined : length;
  }

  /** By the id of each event there, its number. */
  async numbersThere(spot: Spot): Promise<Map<string, number>> {
    return new Map((await this.place.eventFiles(spot)).map((name) => eventIn(name)!).map(([number, id]) => [id, number]));
  }

  /** The text that an event of the store has there, given the event before it. */
  textThere(event: StoredEvent, conversation: string, before: string | null): Promise<string> {
    return this.#textOf(conversation, event, before, this.known.get(conversation)?.states.at(-1)?.isSameOrder ?? true);
  }
}

/** The text of an event, which names the one that it follows: `before` is that in front of it in its log. */
export function withParent(conversation: string, event: string, text: string, before: string | null): Promise<string> {
  return settle(mirrored({ conversation, text, event, before: before ?? undefined }));
}

/** By their numbers, then by their ids. */
function sorted(names: readonly string[]): string[] {
  const events = names.map((name) => ({ name, event: eventIn(name)! }));
  return events.sort(({ event: [one, a] }, { event: [other, b] }) => one - other || (a < b ? -1 : 1)).map(({ name }) => name);
}

async function* none(): AsyncGenerator<StoredEvent[]> {
  // No event is new.
}

/** The path of an event's file in the folder of its conversation. */
export const eventPath = (number: number, id: string): string => `events/${eventFile(number, id)}`;
