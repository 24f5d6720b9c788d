// A place that is another store: commits in place of files.
import { bytesOf, type Bytes } from "../../input/bytes.js";
import { ThreadkeepError, fieldOf } from "../../input/errors.js";
import { baseStateFile, eventFile, eventsFolder } from "../../store/directory/names.js";
import { locking } from "../../store/locking.js";
import { asked, timeout } from "../../store/reading.js";
import type { Commit, Store } from "../../store/store.js";
import { type FileChanges, type Look, Overtaken, type Place, PlaceFailure, type Placed, type Spot, spotOf } from "./place.js";
import { eventPages } from "./reading.js";

export class StorePlace implements Place {
  readonly name: string | undefined;
  readonly canReplaceEvents = false;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.name = typeof store.name === "string" ? store.name : undefined;
  }

  async overview(): Promise<Map<string, { events: number; state: string }>> {
    const listings = await this.#ask("list", () => this.#store.list());
    return new Map(
      listings.map(({ conversation, baseState, length }) => [spotOf(conversation, baseState).folder, { events: length, state: baseState }]),
    );
  }

  async look({ id }: Spot): Promise<Look> {
    const listing = await this.#ask("load", () => this.#store.load(id));
    return { state: listing?.baseState, length: listing?.length };
  }

  async eventFiles({ id }: Spot): Promise<string[]> {
    const names: string[] = [];
    for await (const page of this.#pages(id)) names.push(...page.map((event) => eventFile(event.index, event.id)));
    return names;
  }

  async arrange(): Promise<void> {
    // A store has no two events with the same number.
  }

  async put({ id, at }: Spot, placed: readonly Placed[], state: string | undefined, isNew: boolean, length: number): Promise<void> {
    const events = placed.map(({ id, json }) => ({ id, json }));
    const commit: Commit = { expectedLength: length, events, files: [], at, durability: "relaxed" };
    if (state !== undefined) commit.baseState = state;
    // The time of its first commit: another device may have begun it anew since.
    if (isNew && length > 0) commit.createdAt = at;
    await this.#locked(id, async () => {
      // A page has died before it brought the base state.
      if (isNew && length === 0 && !(await this.#store.load(id))) await this.#store.delete(id);
      await this.#store.commit(id, commit);
    });
  }

  async putFiles({ id, at }: Spot, changes: FileChanges): Promise<void> {
    const files = changes.map(([path, content]) => ({ path, content }));
    await this.#locked(id, async () => {
      const expectedLength = (await this.#store.load(id))?.length ?? 0;
      await this.#store.commit(id, { expectedLength, events: [], files, at, durability: "relaxed" });
    });
  }

  async readEvent({ id }: Spot, number: number): Promise<Bytes | undefined> {
    const [event] = await this.#ask("events", () => this.#store.events(id, number, number + 1));
    return event && bytesOf(event.json);
  }

  readFile({ id }: Spot, path: string): Promise<Bytes | undefined> {
    return this.#ask("readFile", () => this.#store.readFile(id, path)) as Promise<Bytes | undefined>;
  }

  async remove({ folder }: Spot): Promise<void> {
    const listings = await this.#ask("list", () => this.#store.list());
    const all = listings.map(({ conversation: id, baseState }) => ({ id, own: spotOf(id, baseState).folder }));
    // Those of sub-agents first: they may lie in the directory of their parent.
    const below = all.filter(({ own }) => own === folder || own.startsWith(`${folder}/`)).sort((a, b) => b.own.length - a.own.length);
    for (const { id } of below) await this.#locked(id, () => this.#store.delete(id));
  }

  discard({ id }: Spot): Promise<void> {
    return this.#locked(id, () => this.#store.delete(id));
  }

  async tops(): Promise<string[]> {
    return [...(await this.overview()).keys()].filter((folder) => !folder.includes("/")).sort();
  }

  async *below(folder: string): AsyncGenerator<[path: string, read: () => Promise<Blob>]> {
    const given = (path: string, content: Bytes | string): [string, () => Promise<Blob>] => [path, async () => new Blob([content])];
    for (const { conversation: id, baseState } of await this.#ask("list", () => this.#store.list())) {
      const own = spotOf(id, baseState).folder;
      if (own !== folder && !own.startsWith(`${folder}/`)) continue;
      yield given(`${own}/${baseStateFile}`, baseState);
      for await (const page of this.#pages(id))
        for (const event of page) yield given(`${own}/${eventsFolder}/${eventFile(event.index, event.id)}`, event.json);
      for (const path of await this.#ask("files", () => this.#store.files(id))) {
        const content = await this.#ask("readFile", () => this.#store.readFile(id, path));
        if (content) yield given(`${own}/${path}`, content as Bytes);
      }
    }
  }

  async *#pages(id: string) {
    try {
      yield* eventPages(this.#store, id, 0, Number.MAX_SAFE_INTEGER);
    } catch (error) {
      throw new PlaceFailure(this.name, error);
    }
  }

  /** Who has the conversation open there would be displaced by a commit. */
  async #locked(id: string, work: () => Promise<void>): Promise<void> {
    let isOurs = false;
    try {
      await locking(this.#store, async (claim) => {
        isOurs = await claim(id);
        if (!isOurs)
          throw new ThreadkeepError("locked_elsewhere", `conversation ${id} is open in the store to which it is mirrored; close it there`);
        await asked("commit", timeout, work);
      });
    } catch (error) {
      if (fieldOf(error, "code") !== "locked_elsewhere") throw new PlaceFailure(this.name, error);
      throw isOurs ? new Overtaken(id) : error;
    }
  }

  async #ask<T>(method: string, question: () => Promise<T>): Promise<T> {
    try {
      return await asked(method, timeout, question);
    } catch (error) {
      throw new PlaceFailure(this.name, error);
    }
  }
}
