// Finds runs of words that two trees of files have in common, whatever stands between the words: line ends, quotes,
// comment signs, escapes and places for values.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** From this length on, words in a row are a sentence that one of the two has from the other. */
const length = 10;

/**
 * The longest runs that files of `ours` have in common with files of `theirs`, which are lists of paths:
 * `{ file, line, from: { file, line }, words }`.
 */
export function sharedRuns(ours, theirs) {
  const known = new Map();
  for (const file of theirs) {
    const all = wordsOf(readFileSync(file, "utf8"));
    for (let at = 0; at + length <= all.length; at += 1) {
      const key = keyAt(all, at);
      if (!known.has(key)) known.set(key, { file, at: all[at].at });
    }
  }
  return ours.flatMap((file) => runsIn(file, known));
}

function runsIn(file, known) {
  const text = readFileSync(file, "utf8");
  const all = wordsOf(text);
  const runs = [];
  let run;
  for (let at = 0; at + length <= all.length; at += 1) {
    const from = known.get(keyAt(all, at));
    if (!from) continue;
    // A match of other words that begins within a run continues it.
    if (run && at <= run.end) run.end = at + length;
    else runs.push((run = { from, begin: at, end: at + length }));
  }
  return runs.map(({ from, begin, end }) => ({
    file,
    line: lineAt(text, all[begin].at),
    from: { file: from.file, line: lineAt(readFileSync(from.file, "utf8"), from.at) },
    words: all
      .slice(begin, end)
      .map(({ word }) => word)
      .join(" "),
  }));
}

/** The words of a source text in lower case, with their places. */
export function wordsOf(text) {
  const blank = (found) => " ".repeat(found.length);
  const plain = text
    // `{path}` and `${path}`, which are no words of a sentence.
    .replace(/\$?\{[^{}\s"'`]*\}/g, blank)
    .replace(/\\[nrt]/g, blank)
    // The letters before a string of Python or Rust.
    .replace(/\b[fFrRbBuU]{1,2}(?=["'])/g, blank)
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, "_");
  return Array.from(plain.matchAll(/[\p{L}\p{N}_]+/gu), ({ 0: word, index }) => ({ word: word.toLowerCase(), at: index }));
}

/** All files below a folder whose names match. */
export function filesBelow(folder, pattern) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && pattern.test(entry.name) && !entry.parentPath.includes("node_modules"),
  );
  return files.map(({ parentPath, name }) => path.join(parentPath, name)).sort();
}

function keyAt(words, at) {
  return words
    .slice(at, at + length)
    .map(({ word }) => word)
    .join(" ");
}

function lineAt(text, at) {
  return text.slice(0, at).split("\n").length;
}
