// Words and where they are, as numbers, in a form that takes little room and is read quickly.
import type { QueryWord } from "../types.js";
import { isMatch } from "../words.js";

/** Of each word the numbers, ascending. */
export type Words = Map<string, number[]>;

/** Words in order, as they are stored. */
export interface Postings {
  /** One a line. */
  words: string;
  /** How many numbers each word has. */
  counts: Uint32Array;
  /** The numbers, word after word. */
  numbers: Uint32Array;
}

export function encode(words: ReadonlyArray<readonly [string, number[]]>): Postings {
  const counts = Uint32Array.from(words, ([, { length }]) => length);
  const numbers = new Uint32Array(counts.reduce((sum, count) => sum + count, 0));
  let at = 0;
  for (const [, of] of words) {
    numbers.set(of, at);
    at += of.length;
  }
  return { words: words.map(([word]) => word).join("\n"), counts, numbers };
}

/** Adds all words to `all`, where a word may be already. */
export function addTo(all: Words, postings: Postings): void {
  eachWord(postings, (word, numbers) => {
    addWord(all, word, [...numbers]);
  });
}

/** Adds these numbers of a word, ascending. */
export function addWord(all: Words, word: string, numbers: number[]): void {
  const known = all.get(word);
  all.set(word, known ? union(known, numbers) : numbers);
}

/** The numbers of both, ascending. */
function union(one: number[], other: number[]): number[] {
  if (one.at(-1)! < other[0]!) return one.concat(other);
  return [...new Set([...one, ...other])].sort((a, b) => a - b);
}

/** Calls `each` with the numbers of every word that is meant. */
export function eachMatch(postings: Postings, wanted: QueryWord, each: (numbers: Uint32Array) => void): void {
  eachWord(postings, (word, numbers) => {
    if (isMatch(word, wanted)) each(numbers);
  });
}

export function eachWord({ words, counts, numbers }: Postings, each: (word: string, numbers: Uint32Array) => void): void {
  if (words === "") return;
  let from = 0;
  for (const [i, word] of words.split("\n").entries()) {
    const to = from + counts[i]!;
    each(word, numbers.subarray(from, to));
    from = to;
  }
}

/** Words in the order of their UTF-16 units, in which all that begin with the same letters are neighbours. */
export function inOrder(words: Words): Array<[string, number[]]> {
  return [...words].sort(([one], [other]) => (one < other ? -1 : 1));
}
