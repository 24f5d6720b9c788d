// The tables of the index without a database: pages, and which of them a word can be in.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../support/bundled.mjs";
import { randomFrom } from "../support/random.mjs";

const { segmentOf, pagesWith, toMerge } = await fromSource("search/index/segment.ts");
const { eachWord, eachMatch, addTo } = await fromSource("search/index/postings.ts");

function randomWords(random, count) {
  const words = new Map();
  for (let i = 0; i < count; i++) {
    const word = Math.floor(random() * 36 ** 4).toString(36);
    const numbers = Array.from({ length: 1 + Math.floor(random() * 40) }, () => Math.floor(random() * 5_000));
    words.set(
      word,
      [...new Set(numbers)].sort((one, other) => one - other),
    );
  }
  return words;
}

test("a segment gives back its words, page by page, in order", () => {
  const words = randomWords(randomFrom(1).next, 5_000);
  const { segment, pages } = segmentOf(words);
  assert.ok(pages.length > 5, `${pages.length} pages`);
  assert.equal(segment.firsts.length, pages.length);
  const seen = new Map();
  for (const [place, page] of pages.entries()) {
    let first;
    eachWord(page, (word, numbers) => {
      first ??= word;
      seen.set(word, [...numbers]);
    });
    assert.equal(first, segment.firsts[place]);
  }
  assert.deepEqual([...seen.keys()], [...words.keys()].sort());
  assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(words));
  assert.equal(segment.size, [...words.values()].flat().length);
  assert.deepEqual(
    segment.blocks,
    [...new Set([...words.values()].flat().map((number) => Math.floor(number / 256)))].sort((a, b) => a - b),
  );
});

test("a word is found in the pages that are read for it, and nowhere else", () => {
  const { next: random } = randomFrom(2);
  const words = randomWords(random, 3_000);
  const { segment, pages } = segmentOf(words);
  const all = [...words.keys()];
  for (let round = 0; round < 500; round++) {
    const word = all[Math.floor(random() * all.length)].slice(0, 1 + Math.floor(random() * 4));
    const wanted = { word, isPrefix: random() < 0.5 };
    const range = pagesWith(segment, wanted);
    const numbers = new Set();
    for (const page of range ? pages.slice(range[0], range[1] + 1) : [])
      eachMatch(page, wanted, (of) => of.forEach((number) => numbers.add(number)));
    const expected = all
      .filter((other) => (wanted.isPrefix ? other.startsWith(word) : other === word))
      .flatMap((other) => words.get(other));
    assert.deepEqual([...numbers].sort(), [...new Set(expected)].sort(), JSON.stringify(wanted));
  }
  assert.equal(pagesWith(segment, { word: "", isPrefix: false }), undefined);
  assert.equal(pagesWith({ firsts: [], size: 0, blocks: [] }, { word: "a", isPrefix: true }), undefined);
});

test("merging adds up, and there are never many segments to look into", () => {
  const { next: random } = randomFrom(3);
  const sizes = new Map();
  let [total, key, written] = [0, 0, 0];
  for (let round = 0; round < 5_000; round++) {
    const size = random() < 0.9 ? 100 : 30_000;
    sizes.set(key++, { size });
    total += size;
    for (let keys = toMerge([...sizes]); keys.length > 0; keys = toMerge([...sizes])) {
      const merged = keys.reduce((sum, one) => sum + sizes.get(one).size, 0);
      for (const one of keys) sizes.delete(one);
      sizes.set(key++, { size: merged });
      written += merged;
    }
    assert.ok(sizes.size < 30, `${sizes.size} segments`);
  }
  assert.equal(
    [...sizes.values()].reduce((sum, { size }) => sum + size, 0),
    total,
  );
  assert.ok(written < 8 * total, `everything was written ${(written / total).toFixed(1)} times`);
});

test("numbers of a word that is in several segments are in order, each once", () => {
  const all = new Map();
  const pageOf = (numbers) => segmentOf(new Map([["word", numbers]])).pages[0];
  for (const numbers of [
    [5, 9],
    [10, 12],
    [1, 9, 11],
  ])
    addTo(all, pageOf(numbers));
  assert.deepEqual([...all], [["word", [1, 5, 9, 10, 11, 12]]]);
});
