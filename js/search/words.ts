// The words of a text, the same for the index and for a query. Case and accents do not matter. Scripts without spaces between words
// (Chinese, Japanese, Thai and others) have each pair of neighbouring letters as a word, so no dictionary is needed.
import type { Query, QueryWord } from "./types.js";

/** Longer runs are no words that anybody looks for, but data: the base64 of a file, for example. */
const longestWord = 64;
/** A query has at most so many words; further ones do not count. */
const mostWords = 16;

const runs = /[\p{L}\p{M}\p{N}]+/gu;
const unspacedLetters =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}\\p{scx=Yi}" +
  "\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}\\p{scx=Tibetan}";
const unspaced = new RegExp(`[${unspacedLetters}]`, "u");
const pieces = new RegExp(`[${unspacedLetters}]+|[^${unspacedLetters}]+`, "gu");
const ascii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f]+/g;

/** The text without differences of case, accents and forms of letters. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replace(accents, "").normalize("NFC").toLowerCase();
}

/** Calls `each` with every word, folded, and where it is in the text, in UTF-16 units. */
export function eachWord(text: string, each: (word: string, start: number, end: number) => void): void {
  for (const { 0: run, index } of text.matchAll(runs)) {
    if (!unspaced.test(run)) whole(run, index, each);
    else for (const { 0: piece, index: at } of run.matchAll(pieces)) (unspaced.test(piece) ? pairs : whole)(piece, index + at, each);
  }
}

function whole(run: string, start: number, each: (word: string, start: number, end: number) => void): void {
  if (run.length <= longestWord) each(fold(run), start, start + run.length);
}

function pairs(piece: string, start: number, each: (word: string, start: number, end: number) => void): void {
  const letters = [...piece];
  if (letters.length === 1) each(fold(piece), start, start + piece.length);
  for (let i = 1; i < letters.length; i++) {
    const pair = letters[i - 1]! + letters[i]!;
    each(fold(pair), start, start + pair.length);
    start += letters[i - 1]!.length;
  }
}

/** The words of a query. One that is a single letter is meant as it is; longer ones, and letters of scripts without spaces, begin words. */
export function queryOf(text: string): Query {
  const words = new Map<string, QueryWord>();
  eachWord(text, (word) => {
    if (words.size < mostWords) words.set(word, { word, isPrefix: [...word].length > 1 || unspaced.test(word) });
  });
  // A longer word that begins with it demands as much.
  const all = [...words.values()];
  const needed = all.filter(({ word, isPrefix }) => !isPrefix || !all.some((other) => other.word !== word && other.word.startsWith(word)));
  const found = [...text.matchAll(pieces)].map(([piece]) => fold(piece)).filter((piece) => unspaced.test(piece));
  return { words: needed, runs: found.filter((run) => [...run].length > 2) };
}

export function isMatch(word: string, wanted: QueryWord): boolean {
  return wanted.isPrefix ? word.startsWith(wanted.word) : word === wanted.word;
}
