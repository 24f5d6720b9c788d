// The index, which leads from words to events. It is read from its database for each query, so it may be larger than the memory. Runs in
// a worker, or in the page where there is none.
//
// An event has a number, so that a word needs only numbers. Numbers are given to conversations in blocks of 256.
import { textsIn } from "../event-texts.js";
import type { QueryWord } from "../types.js";
import { eachWord } from "../words.js";
import { type Words, addTo, addWord, eachMatch } from "./postings.js";
import type { Events, Indexed, Outline, SearchIndex } from "./protocol.js";
import { sealWith } from "./seal.js";
import { blockLength, blockOf, pagesWith, segmentOf, toMerge } from "./segment.js";
import { type Change, IndexTables, Overtaken, type Range, type Row, type State } from "./tables.js";

/** The events of a conversation that are not stored yet. */
interface Added {
  of: Outline;
  start: number;
  length: number;
  last: string;
  /** With the indexes of the events. */
  words: Words;
}

/** A conversation, and the index of an event in its log. */
interface Owner {
  id: string;
  start: number;
}

export class StoredIndex implements SearchIndex {
  readonly #tables: IndexTables;
  #added = new Map<string, Added>();
  /** Of each block the conversation, and the index of its first event. */
  #owners: { state: State; of: Map<number, Owner> } | undefined;

  /**
   * @param name That of the database.
   * @param key With it everything is sealed that is stored.
   */
  constructor(name: string, key?: CryptoKey) {
    this.#tables = new IndexTables(name, key && sealWith(key));
  }

  async indexed(): Promise<Indexed[]> {
    const { conversations } = await this.#tables.current();
    return Array.from(conversations.values(), ({ blocks, ...indexed }) => indexed);
  }

  async add({ of, start, events }: Events): Promise<void> {
    const before = this.#added.get(of.id);
    // After an update that has failed, what it had added comes again.
    const added = before?.length === start ? before : { of, start, length: start, last: "", words: new Map() };
    added.of = of;
    this.#added.set(of.id, added);
    for (const event of events) {
      const index = added.length++;
      added.last = event.id;
      for (const { text } of textsIn(event.json))
        eachWord(text, (word) => {
          const indexes = added.words.get(word);
          if (!indexes) added.words.set(word, [index]);
          else if (indexes.at(-1) !== index) indexes.push(index);
        });
    }
  }

  async store(): Promise<void> {
    const added = this.#added;
    this.#added = new Map();
    if (added.size === 0) return;
    await this.#change((state) => taken(state, added));
    while (await this.#change((state) => this.#merged(state)));
  }

  async remove(ids: string[]): Promise<void> {
    for (const id of ids) this.#added.delete(id);
    // Their rows last: if the page dies before that, the words that are left can still be found.
    while (await this.#change((state) => this.#without(state, ids)));
    await this.#change(({ conversations }) => (ids.some((id) => conversations.has(id)) ? { removed: ids } : undefined));
  }

  async find(wanted: QueryWord[], most: number): Promise<Array<{ id: string; events: number[] }>> {
    return this.#read(async (state) => {
      const rangesOf = (word: QueryWord) =>
        [...state.segments].flatMap(([number, segment]): Range[] => {
          const range = pagesWith(segment, word);
          return range ? [[number, ...range]] : [];
        });
      const pages = await this.#tables.pages(state, wanted.map(rangesOf));
      const owners = this.#ownersIn(state);
      // Of each event, how many of the words it has.
      const counts = new Uint8Array(blockLength * state.nextBlock);
      for (const [place, word] of wanted.entries())
        for (const page of pages[place]!)
          eachMatch(page, word, (numbers) => {
            for (const number of numbers) if (counts[number] === place) counts[number] = place + 1;
          });
      const found = new Map<string, number[]>();
      for (let number = counts.length - 1; number >= 0; number--) {
        const owner = counts[number] === wanted.length && owners.get(blockOf(number));
        if (!owner) continue;
        const events = found.get(owner.id) ?? [];
        found.set(owner.id, events);
        if (events.length < most) events.push(owner.start + (number % blockLength));
      }
      return [...found].map(([id, events]) => ({ id, events }));
    });
  }

  close(): void {
    this.#tables.close();
  }

  #ownersIn(state: State): Map<number, Owner> {
    if (this.#owners?.state !== state) {
      const of = new Map<number, Owner>();
      for (const { id, blocks } of state.conversations.values())
        for (const [place, block] of blocks.entries()) of.set(block, { id, start: place * blockLength });
      this.#owners = { state, of };
    }
    return this.#owners.of;
  }

  /** Segments of a size as one, if there are several. */
  async #merged(state: State): Promise<Change | undefined> {
    const segments = toMerge([...state.segments]);
    return segments.length > 0 ? this.#rewritten(state, segments, new Set()) : undefined;
  }

  /** A segment without the words of these conversations, if one has such. */
  async #without(state: State, ids: string[]): Promise<Change | undefined> {
    const gone = new Set(ids.flatMap((id) => state.conversations.get(id)?.blocks ?? []));
    for (const [number, { blocks }] of state.segments)
      if (blocks.some((block) => gone.has(block))) return this.#rewritten(state, [number], gone);
    return undefined;
  }

  /** One segment of these, without the events of blocks that are gone. */
  async #rewritten(state: State, dropped: number[], gone: ReadonlySet<number>): Promise<Change> {
    const words: Words = new Map();
    const ranges = dropped.map((number): Range => [number, 0, state.segments.get(number)!.firsts.length - 1]);
    const [pages] = await this.#tables.pages(state, [ranges]);
    for (const page of pages!) addTo(words, page);
    if (gone.size > 0)
      for (const [word, numbers] of words) {
        const left = numbers.filter((number) => !gone.has(blockOf(number)));
        if (left.length > 0) words.set(word, left);
        else words.delete(word);
      }
    return { dropped, ...(words.size > 0 && { added: segmentOf(words) }) };
  }

  /** Stores the change that is needed, if one is. Resolves to whether there was one. */
  async #change(needed: (state: State) => Change | undefined | Promise<Change | undefined>): Promise<boolean> {
    return this.#read(async (state) => {
      const change = await needed(state);
      if (change) await this.#tables.change(state, change);
      return change !== undefined;
    });
  }

  /** Does this again if another page has changed the index meanwhile. */
  async #read<T>(work: (state: State) => Promise<T>): Promise<T> {
    for (;;)
      try {
        return await work(await this.#tables.known());
      } catch (error) {
        if (!(error instanceof Overtaken)) throw error;
      }
  }
}

/** Numbers for events, and the segment of their words. */
function taken({ conversations, nextBlock }: State, added: ReadonlyMap<string, Added>): Change {
  const all: Words = new Map();
  const rows: Row[] = [];
  for (const { of, start, length, last, words } of added.values()) {
    const row = conversations.get(of.id);
    // Another page has been faster.
    if ((row?.length ?? 0) !== start || (row && row.createdAt !== of.createdAt)) continue;
    const blocks = [...(row?.blocks ?? [])];
    while (blocks.length * blockLength < length) blocks.push(nextBlock++);
    const numberOf = (index: number) => blocks[blockOf(index)]! * blockLength + (index % blockLength);
    for (const [word, indexes] of words) addWord(all, word, indexes.map(numberOf));
    rows.push({ ...of, length, last: length > start ? last : (row?.last ?? ""), blocks });
  }
  return { rows, nextBlock, ...(all.size > 0 && { added: segmentOf(all) }) };
}
