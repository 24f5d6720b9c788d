// A segment: the words of the events that were added at one time. A query looks into all segments, so those of about the same size are
// merged when there are several of them; it reads only the pages in which its words can be.
import type { QueryWord } from "../types.js";
import { type Postings, type Words, encode, inOrder } from "./postings.js";

/** A page has about so many numbers of events, and at most so many words. */
const pageNumbers = 8_192;
const pageWords = 1_024;
/** So many segments of a size are merged. */
const together = 4;
/** Segments with so many numbers are large enough. Merging holds that many in memory. */
const largest = 1 << 21;
/** Segments with up to so many numbers are of the smallest size. */
const smallest = 1 << 10;

/** How many numbers a block has. */
export const blockLength = 256;

/** The block of the event with this number: a conversation has blocks of numbers of its own. */
export const blockOf = (number: number): number => Math.floor(number / blockLength);

/** A segment without its pages. */
export interface Segment {
  /** The first word of each page. */
  firsts: string[];
  /** How many numbers its pages have together. */
  size: number;
  /** The blocks of the events that it is about. */
  blocks: number[];
}

/** The words with the numbers of their events, as a segment and its pages. */
export function segmentOf(words: Words): { segment: Segment; pages: Postings[] } {
  const segment: Segment = { firsts: [], size: 0, blocks: [] };
  const pages: Postings[] = [];
  const blocks = new Set<number>();
  let page: Array<[string, number[]]> = [];
  let length = 0;
  const end = () => {
    if (page.length === 0) return;
    segment.firsts.push(page[0]![0]);
    segment.size += length;
    pages.push(encode(page));
    page = [];
    length = 0;
  };
  for (const entry of inOrder(words)) {
    page.push(entry);
    length += entry[1].length;
    for (const number of entry[1]) blocks.add(blockOf(number));
    if (length >= pageNumbers || page.length >= pageWords) end();
  }
  end();
  segment.blocks = [...blocks].sort((one, other) => one - other);
  return { segment, pages };
}

/** The pages in which this word can be, from and up to; `undefined` if there are none. */
export function pagesWith({ firsts }: Segment, { word, isPrefix }: QueryWord): [number, number] | undefined {
  // U+FFFF is in no word, and behind every letter.
  const last = placeOf(firsts, isPrefix ? `${word}\uffff` : word);
  return last < 0 ? undefined : [Math.max(0, placeOf(firsts, word)), last];
}

/** The last place whose word is not behind this one; -1 if all are. */
function placeOf(firsts: string[], word: string): number {
  let [low, high] = [0, firsts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle]! <= word) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The keys of segments that are to be merged now; none if there are few of each size. */
export function toMerge<Key>(segments: ReadonlyArray<readonly [Key, Segment]>): Key[] {
  const bySize = new Map<number, Key[]>();
  for (const [key, { size }] of segments) {
    if (size >= largest) continue;
    const order = Math.ceil(Math.log(Math.max(size / smallest, 1)) / Math.log(together));
    const same = bySize.get(order) ?? [];
    bySize.set(order, same);
    if (same.push(key) === together) return same;
  }
  return [];
}
