// What was measured stands in docs/figures.md alone, with the bench or the build that it comes from. README and the first page of the
// site may repeat it; a number that is not there, or that was rounded to another one, fails. claims.test.mjs compares with the build.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

const read = (file) => readFileSync(path.join(root, file), "utf8");
const figures = read("docs/figures.md");

/** Limits of the code, in units of measurements. */
const limits = ["64 kB of text"];

/** The measured numbers of a text: sizes of downloads, times, and how many times as long or as much something is. */
function measured(text) {
  const pattern = /(\d[\d.,]*)(?: (?:to|and) (\d[\d.,]*))? ?(kB|ms|×|times(?= as)|times(?= \|))/g;
  const found = limits.reduce((rest, limit) => rest.replace(limit, ""), text).matchAll(pattern);
  return [...found].flatMap(([said, first, second, unit]) => [first, second].flatMap((number) => (number ? { said, number, unit } : [])));
}

const valueOf = (number) => Number(number.replaceAll(",", ""));
/** The numbers of figures.md: in its tables the unit may be in the heading. */
const known = [...figures.matchAll(/\d[\d.,]*\d|\d/g)].map(([number]) => valueOf(number));

/** Whether figures.md has the number, or one that is rounded to it. */
function isKnown(number) {
  const digits = /\.(\d+)$/.exec(number)?.[1].length ?? 0;
  return known.some((figure) => Math.abs(figure - valueOf(number)) <= 0.5 * 10 ** -digits + 1e-9);
}

const pages = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "figures.md");
for (const page of pages) {
  test(`${page} has no number that was measured: it links to figures.md`, () => {
    assert.deepEqual(
      measured(read(`docs/${page}`)).map(({ said }) => said),
      [],
    );
  });
}

for (const page of ["README.md", "docs-site/index.md"]) {
  test(`each number of ${page} that was measured is in figures.md`, () => {
    const numbers = measured(read(page));
    assert.ok(numbers.length > 1);
    assert.deepEqual(
      numbers.filter(({ number }) => !isKnown(number)).map(({ said }) => said),
      [],
    );
  });
}

test("each section of figures.md names the bench that measures it; downloads are those of the build", () => {
  for (const section of figures.split("\n## ").slice(1)) {
    const [title] = section.split("\n");
    if (title === "Downloads") continue;
    const named = [...section.matchAll(/benches\/[\w.-]+/g)].map(([file]) => file);
    assert.ok(named.length > 0, title);
    for (const file of named) assert.ok(existsSync(path.join(root, file)), `${title}: ${file}`);
  }
});

test("the two numbers that sum up the downloads are those of their rows", () => {
  const kB = (start) =>
    Number.parseFloat(
      figures
        .split("\n")
        .find((line) => line.startsWith(`| ${start}`))
        .split("|")[2],
    );
  const [, first, later] = /first it downloads (\d+) kB, then (\d+) kB in the background/.exec(figures);
  assert.equal(Number(first), kB("main wasm") + kB("JavaScript, in two files"));
  assert.equal(Number(later), kB("what asks models") + kB("what agents do"));
});
