// A mirror at work: hears of changes, brings them to the place, and tries again what has failed.
import { ThreadkeepError, fromCore } from "../../input/errors.js";
import { type Change, type Member, join, lockOfWriter } from "../../store/changes.js";
import { asked, timeout } from "../../store/reading.js";
import { hexOf } from "../../store/directory/names.js";
import { sealings } from "../../store/sealing.js";
import { type Store, coreStore, storeMethods } from "../../store/store.js";
import type { Mirror, MirrorFiles, MirrorReport, MirrorState, MirrorVerifyOptions } from "../types.js";
import { Bringer } from "./conversation.js";
import { FilesPlace } from "./files-place.js";
import { Memory } from "./known.js";
import { type Place, PlaceFailure } from "./place.js";
import { StorePlace } from "./store-place.js";
import { Tabs } from "./tabs.js";
import { verify } from "./verify.js";

interface Given {
  onChange: ((state: MirrorState) => void) | undefined;
  signal: AbortSignal | undefined;
  /** Whether deletions follow. */
  follows: boolean;
}

/** After the last commit this many milliseconds pass until files are compared: no store says which of them have changed. */
const quiet = 1_000;
/** The same, as a multiple of the time that comparing took. */
const share = 10;
/** The pauses after failures, in milliseconds. */
const [shortest, longest] = [1_000, 60_000];

export async function begin(store: Store, to: Store | MirrorFiles, given: Given): Promise<Mirror> {
  if (!globalThis.crypto?.subtle)
    throw new ThreadkeepError("store_unavailable", "a mirror needs a secure context, which this page is not: serve it over https");
  await coreStore(store);
  return new Mirroring(store, placeOf(to), given);
}

export function placeOf(to: Store | MirrorFiles): Place {
  const isStore = storeMethods.every((method) => typeof (to as Store)[method] === "function");
  return isStore ? new StorePlace(to as Store) : new FilesPlace(to as MirrorFiles);
}

class Mirroring implements Mirror {
  state: MirrorState = { status: "behind", conversations: 0, events: 0, waitingFor: [], error: null, doneAt: null };
  readonly #bringer: Bringer;
  readonly #given: Given;
  readonly #member: Member;
  readonly #tabs: Tabs;
  /** The conversations whose log has changed, with whether they are compared anew. */
  readonly #due = new Map<string, boolean>();
  /** Those whose files may have changed, with the time at which they are compared. */
  readonly #filesDue = new Map<string, number>();
  readonly #held = new Map<string, ThreadkeepError | undefined>();
  /** Those that could not be brought, although the place works. */
  readonly #refused = new Map<string, ThreadkeepError>();
  /** How many events of a conversation are missing there. */
  readonly #missing = new Map<string, number>();
  /** Numbers of files that remained odd after a comparison. */
  readonly #odd = new Map<string, number>();
  readonly #deleted = new Set<string>();
  /** Whether what earlier pages have left was read, and compared with the place. */
  #isLoaded = false;
  #isCompared = false;
  #isClosed = false;
  #error: ThreadkeepError | null = null;
  #failures = 0;
  /** Whether the next round tries again what has failed because time has passed. */
  #isRetry = false;
  #filesTook = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The work under way. */
  #work: Promise<unknown> = Promise.resolve();
  #isWaiting = false;

  constructor(store: Store, place: Place, given: Given) {
    this.#given = given;
    const names: [string, string] | undefined = store.name !== undefined && place.name !== undefined ? [store.name, place.name] : undefined;
    // Its memory names files, which a store that seals its rows does not show.
    this.#bringer = new Bringer(store, place, new Memory(sealings.has(store) ? undefined : names));
    this.#member = join(store, (change) => this.#hear(change));
    this.#tabs = new Tabs(names && JSON.stringify(names), {
      lead: (isLeader) => {
        this.#isLoaded = this.#isCompared = false;
        if (isLeader) this.#soon();
        else clearTimeout(this.#timer);
      },
      shown: (state) => this.#show(state),
      state: () => this.state,
      catchUp: () => this.#catchUp(),
    });
    globalThis.addEventListener?.("online", this.#soon);
    given.signal?.addEventListener("abort", this.#end);
    if (given.signal?.aborted) this.close();
  }

  async catchUp(): Promise<void> {
    this.#check();
    await this.#tabs.catchUp();
  }

  async verify(options: MirrorVerifyOptions = {}): Promise<MirrorReport> {
    this.#check();
    if (!this.#tabs.isLeader) await this.#tabs.catchUp();
    return this.#inTurn(async () => {
      // Something that nobody has brought yet does not differ by mistake.
      await this.#round(true);
      if (this.#error) throw this.#error;
      return verify(this.#bringer, options);
    });
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#member.leave();
    this.#tabs.close();
    globalThis.removeEventListener?.("online", this.#soon);
    this.#given.signal?.removeEventListener("abort", this.#end);
    this.#show({ ...this.state, status: "closed" });
  }

  readonly #end = () => this.close();

  #check(): void {
    if (this.#isClosed) throw new ThreadkeepError("invalid_state", "the mirror is closed; call mirror() again");
  }

  #hear({ id, word, isOver, isDeleted }: Change): void {
    if (word || !this.#tabs.isLeader) return;
    if (isDeleted) {
      if (this.#given.follows) this.#deleted.add(id);
    } else this.#due.set(id, (this.#due.get(id) ?? false) || (isOver === true && this.#held.has(id)));
    void this.#count(id);
    this.#soon();
  }

  /** Notes how many events of a conversation are missing there. */
  async #count(id: string): Promise<void> {
    const length = (await this.#bringer.load(id).catch(() => undefined))?.length ?? 0;
    if (!this.#due.has(id)) return;
    const there = this.#bringer.known.get(id)?.states.at(-1)?.length ?? 0;
    this.#missing.set(id, Math.max(0, length - there));
    this.#tell();
  }

  /** Works as soon as the work under way has ended. */
  readonly #soon = (): void => {
    if (this.#isWaiting || this.#isClosed || !this.#tabs.isLeader) return;
    clearTimeout(this.#timer);
    this.#isWaiting = true;
    this.#tell();
    void this.#inTurn(async () => {
      this.#isWaiting = false;
      await this.#round(false);
    }).catch(() => {});
  };

  async #catchUp(): Promise<void> {
    for (const id of [...this.#held.keys(), ...this.#refused.keys()]) this.#due.set(id, true);
    this.#isCompared = false;
    await this.#inTurn(() => this.#round(true));
    this.#check();
    const error = this.#error ?? [...this.#refused.values(), ...this.#held.values()].find((error) => error !== undefined);
    if (error) throw error;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#work.then(work);
    this.#work = turn.catch(() => {});
    return turn;
  }

  /** Brings what is due; with `isAll`, the files of all conversations that have changed, too. */
  async #round(isAll: boolean): Promise<void> {
    if (!this.#mayWork) return;
    try {
      if (!this.#isCompared) await this.#compareAll();
      for (const [id, isAnew] of [...this.#due]) if (this.#mayWork) await this.#bring(id, isAnew);
      for (const [id, time] of [...this.#filesDue])
        if (this.#mayWork && (isAll || time <= Date.now()) && !this.#due.has(id)) await this.#bringFiles(id);
      for (const id of [...this.#deleted]) if (this.#mayWork) await this.#delete(id);
      // Those whose files have shown to be odd.
      if (isAll) for (const [id, isAnew] of [...this.#due]) if (this.#mayWork && isAnew) await this.#bring(id, true);
      this.#error = null;
      this.#failures = 0;
    } catch (error) {
      this.#error = error instanceof PlaceFailure ? error.error : fromCore(error);
      // Changes try again as well, and are no reason to wait longer.
      if (this.#isRetry || this.#failures === 0) this.#failures++;
    }
    this.#isRetry = false;
    if (this.#isClosed) return;
    this.#tell();
    this.#plan();
  }

  get #mayWork(): boolean {
    return !this.#isClosed && this.#tabs.isLeader;
  }

  /** Sets the time of the next round. */
  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#error === null && this.#due.size > 0) return this.#soon();
    const pause = Math.min(longest, shortest * 2 ** Math.max(0, this.#failures - 1));
    const times = [...this.#filesDue.values()];
    const retries = [...this.#refused.values()].some(({ retryable }) => retryable);
    if (this.#error !== null) times.splice(0, times.length, Date.now() + pause);
    else if (retries) times.push(Date.now() + longest);
    if (times.length === 0) return;
    this.#timer = setTimeout(
      () => {
        this.#isRetry = true;
        for (const [id, { retryable }] of this.#refused) if (retryable) this.#due.set(id, true);
        this.#soon();
      },
      Math.max(0, Math.min(...times) - Date.now()),
    );
    // In Node it would keep the process alive.
    (this.#timer as { unref?(): void }).unref?.();
  }

  /** Finds out which conversations the place does not have as they are. */
  async #compareAll(): Promise<void> {
    const { store, place, known } = this.#bringer;
    if (!this.#isLoaded) await known.load();
    this.#isLoaded = true;
    const listings = await asked("list", timeout, () => store.list());
    const overview = await place.overview();
    for (const listing of listings) {
      const id = listing.conversation;
      if (await this.#bringer.isThere(id, listing, overview)) continue;
      this.#due.set(id, this.#due.get(id) || this.#bringer.isOdd(id, listing, overview));
      this.#missing.set(id, Math.max(0, listing.length - (known.get(id)?.states.at(-1)?.length ?? 0)));
    }
    for (const [id, { isDeleted }] of known.entries()) if (isDeleted && this.#given.follows) this.#deleted.add(id);
    this.#isCompared = true;
    this.#tell();
  }

  async #bring(id: string, isAnew: boolean): Promise<void> {
    this.#due.delete(id);
    try {
      const { is, error } = await this.#bringer.bring(id, isAnew);
      this.#refused.delete(id);
      this.#missing.delete(id);
      const wasHeld = this.#held.has(id);
      if (is === "held") this.#held.set(id, error);
      else this.#held.delete(id);
      if (is === "held" && !error && !wasHeld) this.#awaitClosing(id);
      if (is === "gone") await this.#bringer.known.forget(id);
      else this.#filesDue.set(id, Date.now() + Math.max(quiet, share * this.#filesTook));
    } catch (error) {
      if (error instanceof PlaceFailure) {
        this.#due.set(id, true);
        throw error;
      }
      this.#refused.set(id, fromCore(error));
    }
    this.#tell();
  }

  async #bringFiles(id: string): Promise<void> {
    const begun = Date.now();
    try {
      await this.#bringer.bringFiles(id);
      const odd = await this.#bringer.oddFiles(id);
      if (odd !== undefined && this.#odd.get(id) !== odd) this.#due.set(id, true);
      if (odd === undefined) this.#odd.delete(id);
      else this.#odd.set(id, odd);
    } catch (error) {
      if (error instanceof PlaceFailure) throw error;
      this.#refused.set(id, fromCore(error));
    }
    this.#filesTook = Date.now() - begun;
    this.#filesDue.delete(id);
    this.#tell();
  }

  /** Another tab that has the conversation open may die without a word. */
  #awaitClosing(id: string): void {
    const lock = lockOfWriter(this.#bringer.store, id);
    const over = () => {
      if (!this.#held.has(id)) return;
      this.#due.set(id, true);
      this.#held.delete(id);
      this.#soon();
    };
    // The lock under which it is written is free a moment later.
    void lock?.locks.request(lock.name, () => setTimeout(over, quiet)).catch(() => {});
  }

  async #delete(id: string): Promise<void> {
    const { known, place } = this.#bringer;
    if (await this.#bringer.load(id)) return void this.#deleted.delete(id);
    known.set(id, { states: [], isHeld: false, files: null, whole: null, isDeleted: true });
    await known.save(id);
    const hex = hexOf(id);
    for (const folder of (await place.overview()).keys())
      if (folder === hex || folder.endsWith(`/${hex}`)) await place.remove({ id, folder, top: folder.split("/")[0]!, at: Date.now() });
    await known.forget(id);
    for (const map of [this.#due, this.#filesDue, this.#held, this.#refused, this.#missing]) map.delete(id);
    this.#deleted.delete(id);
  }

  /** Puts the state together. */
  #tell(): void {
    if (this.#isClosed || !this.#tabs.isLeader) return;
    const ids = new Set([...this.#due.keys(), ...this.#filesDue.keys(), ...this.#refused.keys(), ...this.#deleted]);
    const isBusy = ids.size > this.#refused.size || !this.#isCompared;
    const failures = [...this.#refused.values(), ...this.#held.values()].filter((error) => error !== undefined);
    const error = this.#error ?? failures[0] ?? null;
    const status = error ? "failed" : isBusy ? "behind" : this.#held.size > 0 ? "waiting" : "up_to_date";
    let events = 0;
    for (const id of ids) events += this.#missing.get(id) ?? 0;
    const doneAt = status === "up_to_date" ? (this.state.status === "up_to_date" ? this.state.doneAt : Date.now()) : this.state.doneAt;
    this.#show({ status, conversations: ids.size, events, waitingFor: [...this.#held.keys()], error, doneAt });
    this.#tabs.tell();
  }

  #show(state: MirrorState): void {
    const plain = ({ error, doneAt, ...rest }: MirrorState) => JSON.stringify([rest, error?.message]);
    if (plain(state) === plain(this.state)) return;
    this.state = Object.freeze(state);
    try {
      this.#given.onChange?.(this.state);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
