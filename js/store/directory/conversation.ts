// One conversation in its directory. Every method is called while its lock is held.
//
// A commit replaces the record first, with all that it writes, and then writes files, events and, last, the base state. Python
// can open what is there after each of these writes: it looks for the events by the base state, which until the end names one
// of those before. A commit that was cut off is completed by the next call of any page.
import { bytesOf, hashOf, textOfBytes, type Bytes } from "../../input/bytes.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { Commit, Listing, StoredEvent } from "../store.js";
import { type Directory, contentOf, directoryIn, each, entriesOf, fileIn, found, madeIn, makeIn } from "./disk.js";
import { readIn, removeIn, stampOf, writeIn } from "./disk.js";
import { FurtherFiles } from "./further.js";
import { begunAt, idsIn, readEvents } from "./log.js";
import { ancestorsOf, baseStateFile, eventFile, eventsFolder, idOf, isStorableId } from "./names.js";
import { lengthMarker, ownFolder, pythonsLock, subagentsFolder } from "./names.js";
import { type Found, type Places, hasSubagents } from "./places.js";
import { type Head, type Steps, readContents, readHead, recordedAt, removeRecord, writeRecord } from "./record.js";

/** A base state as it was read or written last. */
interface Base {
  stamp: string | null;
  /** The mark of the record that was there when it was read. */
  mark: string | undefined;
  hash: string;
  text: string;
}

/** The state of the conversation on the disk. */
interface State extends Omit<Listing, "baseState" | "writer"> {
  baseState: string | undefined;
  writer: number;
}

/** Takes back what was written, in the order in which it was written. */
type Undo = Array<() => Promise<unknown>>;

/** A commit was cut off; who may write completes it. */
export class CutOff extends Error {}

/** A record with more bytes or steps than this is replaced by one without them once they are written: it is one of an import. */
const [mostKeptBytes, mostKeptSteps] = [256 << 10, 64];
/** How many ids the record has: those of what a page shows first. */
const mostRecent = 128;
const day = 86_400_000;

/** Whether a file of this length is one that was to be replaced by so many bytes: a browser that is killed then may leave nothing. */
const isEmptied = (length: number, bytes: number): boolean => length === 0 && bytes > 0;

export class StoredConversation {
  readonly #hex: string;
  readonly #places: Places;
  /** Whether Python may write here too, which it cannot in OPFS. */
  readonly #isShared: boolean;
  #found: Found | undefined;
  /** The directories in it, once they exist. */
  #folders: { own?: Directory | undefined; log?: Directory | undefined } = {};
  #files: FurtherFiles | undefined;
  #base: Base | undefined;
  /** The file of the base state that was written last. */
  #written: FileSystemFileHandle | undefined;
  /** The ids of all events by index, and what they were read with. */
  #ids: string[] | undefined;
  #indices: Map<string, number> | undefined;
  #seen: { mark: string | undefined; signature: string } | undefined;
  /** The head of the record as it was read last. */
  #lastHead: Head | undefined;
  /** The mark of a commit that is known to be complete. */
  #complete: string | undefined;

  constructor(hex: string, places: Places, isShared: boolean) {
    this.#hex = hex;
    this.#places = places;
    this.#isShared = isShared;
  }

  /** @param found Its directory, if that is known. */
  async load(found?: Found): Promise<Listing | undefined> {
    if (found) this.#found ??= found;
    const state = await this.#look();
    return state?.baseState === undefined ? undefined : (state as Listing);
  }

  async events(start: number, end: number): Promise<StoredEvent[]> {
    const length = (await this.#look())?.length ?? 0;
    if (start >= length) return [];
    return readEvents(await this.#events(), await this.#idsFrom(start, Math.min(end, length)), start);
  }

  async indexOf(event: string): Promise<number | undefined> {
    const state = await this.#look();
    if (!state) return undefined;
    // No log has an id twice, if nothing else wrote it, so the first one need not be looked for.
    const recent = this.#recent(state.length);
    const place = recent.indexOf(event);
    if (place >= 0) return state.length - recent.length + place;
    const ids = await this.#idsNow();
    if (!this.#indices) {
      this.#indices = new Map();
      for (const [index, id] of ids.entries()) if (!this.#indices.has(id)) this.#indices.set(id, index);
    }
    return this.#indices.get(event);
  }

  async files(folder?: string): Promise<string[]> {
    return (await this.#look()) ? this.#files!.list(folder) : [];
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    return (await this.#look()) ? this.#files!.read(path) : undefined;
  }

  /** Completes a commit or a deletion that was cut off. */
  async repair(): Promise<void> {
    const own = await this.#own();
    const head = own && (await readHead(own));
    if (head?.isOver) return this.#remove();
    if (!head || !(await this.#isCutOff(head))) return;
    const steps = head.steps!;
    // Python may have gone on where this commit was cut off: then it is over.
    const events = await this.#events();
    const listed = await idsIn(events);
    const isOvertaken = steps.events.some(([id], place) => (listed[steps.from + place] ?? id) !== id && !steps.cut.length);
    this.#forget();
    if (!isOvertaken) await this.#apply(steps, await readContents(own!, head), undefined);
    const { steps: _, ...settled } = head;
    await writeRecord(own!, settled, []);
    this.#forget();
  }

  async commit(commit: Commit): Promise<void> {
    const state = await this.#look();
    // A directory that is not one of a conversation may have files of events all the same.
    if (!state) this.#found = await this.#places.find(this.#hex);
    const length = state?.length ?? (await idsIn(await this.#events())).length;
    const { writer, baseState, at } = commit;
    if (
      commit.expectedLength !== length ||
      (commit.createdAt !== undefined && commit.createdAt !== state?.createdAt) ||
      (writer && writer.expected !== (state?.writer ?? 0))
    )
      throw new ThreadkeepError("locked_elsewhere", "another writer has changed the conversation");
    const unstorable = commit.events.find(({ id }) => !isStorableId(id));
    if (unstorable) throw new ThreadkeepError("store_corrupt", `the event id ${unstorable.id} is too long for the name of a file`);
    const isMade = !this.#found;
    this.#found ??= await this.#places.make(this.#hex, baseState === undefined ? [] : ancestorsOf(baseState, this.#hex));
    this.#files ??= new FurtherFiles(this.#directory, this.#isShared);
    const from = Math.min(length, commit.truncateTo ?? length);
    const cut = from < length ? (await this.#idsFrom(from, length)).map((id, place) => eventFile(from + place, id)) : [];
    const recent = this.#recent(from);
    const { steps, contents } = await this.#stepsOf(commit, from, cut);
    const base = baseState === undefined ? undefined : contents.at(-1)!;
    const before = state && this.#lastHead;
    const head: Head = {
      version: 1,
      mark: crypto.randomUUID(),
      previous: before?.mark ?? null,
      createdAt: state?.createdAt ?? at,
      updatedAt: Math.max(state?.updatedAt ?? at, at),
      writer: writer?.next ?? state?.writer ?? 0,
      length: from + steps.events.length,
      recent: [...recent, ...commit.events.map(({ id }) => id)].slice(-mostRecent),
      base: base ? await hashOf(base) : (this.#base?.hash ?? null),
      was: this.#base?.hash ?? null,
      lock: await this.#lockStamp(),
      steps,
    };
    const own = (await this.#own()) ?? (await madeIn(this.#directory, ownFolder));
    const undo: Undo = [];
    try {
      await writeRecord(own, head, contents);
      undo.push(async () => {
        if (!before) return isMade ? this.#remove() : removeRecord(own);
        const { steps: _, ...settled } = before;
        await writeRecord(own, settled, []);
      });
      if (this.#isShared) await this.#withoutMarker(length);
      await this.#apply(steps, contents, undo);
    } catch (error) {
      await this.#undo(undo);
      throw error;
    }
    await this.#committed(head, base && baseState, commit, from);
    if (contents.reduce((sum, { length }) => sum + length, 0) > mostKeptBytes || steps.events.length + steps.files.length > mostKeptSteps) {
      const { steps: _, ...settled } = head;
      // It is complete without this.
      await writeRecord(own, settled, []).catch(() => {});
    }
  }

  async delete(): Promise<void> {
    this.#found ??= await this.#places.find(this.#hex);
    if (!this.#found) return;
    const own = await madeIn(this.#directory, ownFolder);
    const head = (await readHead(own)) ?? { version: 1, previous: null, createdAt: 0, updatedAt: 0, writer: 0, length: 0 };
    const over = { ...head, mark: crypto.randomUUID(), base: null, was: null, lock: null, isOver: true } as Head;
    delete over.steps;
    await writeRecord(own, over, []);
    await this.#remove();
  }

  /** Removes what an import has left that ended a day ago, before its last commit. */
  async sweep(now: number): Promise<void> {
    const own = await this.#own();
    if (!own || (await fileIn(this.#directory, baseStateFile))) return;
    const written = await recordedAt(own);
    if (written !== undefined && written < now - day) await this.#remove();
  }

  get #directory(): Directory {
    return this.#found!.directory;
  }

  async #own(): Promise<Directory | undefined> {
    return this.#found && (this.#folders.own ??= await directoryIn(this.#directory, ownFolder));
  }

  async #events(): Promise<Directory | undefined> {
    return this.#found && (this.#folders.log ??= await directoryIn(this.#directory, eventsFolder));
  }

  /** No directory, as it was deleted, or has never been one of a conversation. The next call looks for it again. */
  #lose(): void {
    this.#forget();
    this.#folders = {};
    this.#found = this.#files = this.#lastHead = undefined;
  }

  async #head(): Promise<Head | undefined> {
    const own = await this.#own();
    return own && readHead(own);
  }

  async #lockStamp(): Promise<string | null> {
    const events = this.#isShared ? await this.#events() : undefined;
    return stampOf(events && (await fileIn(events, pythonsLock)));
  }

  /** The ids of the last events before the index `end`, as far as they are known without a listing. */
  #recent(end: number): string[] {
    if (this.#ids) return this.#ids.slice(0, end);
    const { length = 0, recent = [] } = this.#lastHead ?? {};
    return recent.slice(0, Math.max(end - length + recent.length, 0));
  }

  async #idsFrom(start: number, end: number): Promise<string[]> {
    const recent = this.#recent(end);
    return recent.length >= end - start ? recent.slice(recent.length - (end - start)) : (await this.#idsNow()).slice(start, end);
  }

  async #idsNow(): Promise<string[]> {
    return (this.#ids ??= await idsIn(await this.#events()));
  }

  #forget(): void {
    this.#ids = this.#indices = this.#seen = this.#base = undefined;
    this.#files?.forget();
  }

  /**
   * Removes the directory, except for conversations of sub-agents that are in it: the base state first, so that there is no conversation
   * any more when the log is incomplete, and the record last, without which nobody would complete this.
   */
  async #remove(): Promise<void> {
    const { parent, directory, ancestors } = this.#found!;
    await removeIn(directory, baseStateFile);
    if (await hasSubagents(directory)) {
      const names = (await entriesOf(directory)).map(([name]) => name).filter((name) => name !== subagentsFolder && name !== ownFolder);
      for (const name of [...names, ownFolder]) await removeIn(directory, name);
    } else {
      await removeIn(parent, this.#hex);
      await this.#places.removeEmpty(ancestors);
    }
    this.#lose();
  }

  /** The conversation as it is, or `undefined` if there is none. @throws CutOff */
  async #look(): Promise<State | undefined> {
    this.#found ??= await this.#places.find(this.#hex);
    if (!this.#found) return undefined;
    const directory = this.#directory;
    const [head, file, lock] = await Promise.all([this.#head(), fileIn(directory, baseStateFile), this.#lockStamp()]);
    this.#lastHead = head;
    if (head?.isOver) throw new CutOff();
    if (!head && !file) {
      this.#lose();
      return undefined;
    }
    this.#files ??= new FurtherFiles(directory, this.#isShared);
    const base = await this.#readBase(file, head);
    if (head && head.mark !== this.#complete) {
      if (await this.#isCutOff(head)) throw new CutOff();
      this.#complete = head.mark;
    }
    const isForeignBase = head !== undefined && base !== undefined && base.hash !== head.base;
    const isForeign = !head || isForeignBase || head.lock !== lock;
    const signature = isForeign ? `${base?.stamp} ${lock}` : "";
    const seen = this.#seen;
    if (seen?.mark !== head?.mark || seen?.signature !== signature) {
      this.#files.forget();
      if (signature === "" && seen?.signature === "" && seen.mark === head?.previous) this.#follow(head!.steps);
      else this.#ids = this.#indices = undefined;
      this.#seen = { mark: head?.mark, signature };
    }
    const ids = isForeign ? await this.#idsNow() : this.#ids;
    const writtenAt = file?.lastModified ?? 0;
    return {
      conversation: idOf(this.#hex)!,
      baseState: base?.text,
      length: ids?.length ?? head!.length,
      createdAt: head?.createdAt ?? (await begunAt(await this.#events(), ids!)) ?? writtenAt,
      updatedAt: isForeign ? Math.max(head?.updatedAt ?? 0, writtenAt) : head!.updatedAt,
      // A change of another program takes the place of all writers.
      writer: (head?.writer ?? 0) + (isForeignBase ? 1 : 0),
    };
  }

  async #readBase(file: File | undefined, head: Head | undefined): Promise<Base | undefined> {
    const stamp = stampOf(file);
    const known = this.#base;
    if (!file) this.#base = undefined;
    // Two commits of one millisecond leave the same stamp if their base states are of one length.
    else if (known?.stamp !== stamp || (known.mark !== head?.mark && known.hash !== head?.base)) {
      const bytes = await contentOf(file);
      this.#base = { stamp, mark: head?.mark, hash: await hashOf(bytes), text: textOfBytes(bytes) };
    }
    return this.#base;
  }

  /** The log after the commit of another page. */
  #follow(steps: Steps | undefined): void {
    this.#indices = undefined;
    if (!steps || !this.#ids) return void (this.#ids = undefined);
    this.#ids.length = Math.min(this.#ids.length, steps.from);
    for (const [id] of steps.events) this.#ids.push(id);
  }

  /** Whether the last write of the commit, in the order of `#apply`, was not done. */
  async #isCutOff({ steps, base, was }: Head): Promise<boolean> {
    if (!steps) return false;
    const events = await this.#events();
    if (steps.cut.length > 0 && steps.events.length === 0)
      return events !== undefined && (await fileIn(events, steps.cut[0]!)) !== undefined;
    if (steps.base !== null && base !== was) {
      const bytes = await readIn(this.#directory, baseStateFile);
      return bytes === undefined || isEmptied(bytes.length, steps.base) || (await hashOf(bytes)) === was;
    }
    const missing = await each(steps.events, async ([id, bytes], place) => {
      const file = events && (await fileIn(events, eventFile(steps.from + place, id)));
      return file?.size !== bytes;
    });
    if (missing.includes(true)) return true;
    if (steps.events.length > 0) return false;
    const files = new FurtherFiles(this.#directory, this.#isShared);
    const undone = await each(steps.files, async ([path, bytes, before]) => {
      const file = await files.file(path);
      if (bytes === null) return file !== undefined && stampOf(file) === before;
      return !file || stampOf(file) === before || isEmptied(file.size, bytes);
    });
    return undone.includes(true);
  }

  /** The steps of a commit, and the contents that they write. */
  async #stepsOf({ events, baseState, files }: Commit, from: number, cut: string[]): Promise<{ steps: Steps; contents: Bytes[] }> {
    const last = new Map(files.map(({ path, content }) => [path, content as Bytes | null]));
    const changes: Steps["files"] = [];
    const contents: Bytes[] = [];
    for (const [path, content] of last) {
      const before = await this.#files!.stamp(path);
      if (content === null && before === null) continue;
      changes.push([path, content?.length ?? null, before]);
      contents.push(content ?? new Uint8Array(0));
    }
    const texts = events.map(({ json }) => bytesOf(json));
    const base = baseState === undefined ? undefined : bytesOf(baseState);
    const steps: Steps = {
      files: changes,
      cut,
      from,
      events: events.map(({ id }, place) => [id, texts[place]!.length]),
      base: base ? base.length : null,
    };
    return { steps, contents: [...contents, ...texts, ...(base ? [base] : [])] };
  }

  /**
   * Writes what the record says, without `undo` what of it is missing. `undo` gets what takes it back, in the order in which it was written. If events are only cut, the
   * base state comes before that, because it may have named one of them.
   */
  async #apply({ files, cut, from, events, base }: Steps, contents: readonly Bytes[], undo: Undo | undefined): Promise<void> {
    const directory = this.#directory;
    const further = (this.#files ??= new FurtherFiles(directory, this.#isShared));
    for (const [place, [path, bytes, before]] of files.entries()) {
      const old = before === null ? undefined : await further.read(path);
      undo?.push(() => (old ? further.write(path, old as Bytes) : further.remove(path)));
      if (bytes === null) await further.remove(path);
      else await further.write(path, contents[place]!);
    }
    const log = cut.length + events.length > 0 ? ((await this.#events()) ?? (await madeIn(directory, eventsFolder))) : undefined;
    // The half of an import is not worth a move for each of thousands of files.
    const beside = this.#isShared || events.length > mostKeptSteps ? undefined : await this.#own();
    const text = base === null ? undefined : contents[files.length + events.length]!;
    this.#written = undefined;
    const old = this.#base?.text;
    const writeBase = async () => {
      if (!text) return;
      undo?.push(() => (old === undefined ? removeIn(directory, baseStateFile) : writeIn(directory, baseStateFile, bytesOf(old))));
      const isNew = old === undefined && !(await fileIn(directory, baseStateFile));
      if (isNew) await makeIn(directory, baseStateFile, text, beside);
      else this.#written = await writeIn(directory, baseStateFile, text);
    };
    if (events.length === 0) await writeBase();
    for (const name of [...cut].reverse()) {
      const content = await readIn(log!, name);
      if (content) undo?.push(() => writeIn(log!, name, content));
      await removeIn(log!, name);
    }
    // One after the other: nobody sees a gap, and Firefox is slower with several at once.
    for (const [place, [id, bytes]] of events.entries()) {
      const name = eventFile(from + place, id);
      if (!undo && (await fileIn(log!, name))?.size === bytes) continue;
      undo?.push(() => removeIn(log!, name));
      await makeIn(log!, name, contents[files.length + place]!, beside);
    }
    if (events.length > 0) await writeBase();
  }

  /** Takes back what a commit has written that failed. What cannot be taken back, the next call completes. */
  async #undo(undo: Undo): Promise<void> {
    this.#forget();
    this.#complete = undefined;
    try {
      for (const step of undo.slice(1).reverse()) await step();
      // The record last, without which nobody would complete the commit.
      await undo[0]?.();
    } catch {
      // The disk is full or gone: the record says what the commit was.
    }
  }

  /** Remembers what was committed, so that it need not be read. */
  async #committed(head: Head, baseState: string | undefined, { events }: Commit, from: number): Promise<void> {
    this.#complete = head.mark;
    this.#seen = { mark: head.mark, signature: "" };
    if (baseState !== undefined) {
      const written = this.#written;
      const stamp = stampOf(await (written ? found(() => written.getFile()) : fileIn(this.#directory, baseStateFile)));
      this.#base = { stamp, mark: head.mark, hash: head.base!, text: baseState };
    }
    if (!this.#ids) return;
    if (from < this.#ids.length) this.#indices = undefined;
    this.#ids.length = Math.min(this.#ids.length, from);
    for (const { id } of events) {
      if (this.#indices && !this.#indices.has(id)) this.#indices.set(id, this.#ids.length);
      this.#ids.push(id);
    }
  }

  /** Removes Python's marker of this length, which says that nobody else has appended. */
  async #withoutMarker(length: number): Promise<void> {
    const events = await this.#events();
    if (events) await removeIn(events, lengthMarker(length));
  }
}
