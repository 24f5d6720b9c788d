// How often a text that grows is drawn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";

const { Paced } = await fromSource("ui/chat/markdown/paced.ts");

/** Draws texts at a cost in milliseconds, one after each of the pieces, which come so many milliseconds apart. */
function drawn(context, cost, pieces, apart) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  const pass = (milliseconds) => {
    now += milliseconds;
    context.mock.timers.tick(milliseconds);
  };
  const texts = [];
  const paced = new Paced(
    (text) => {
      texts.push(text);
      now += cost;
    },
    () => now,
  );
  for (let piece = 1; piece <= pieces; piece++) {
    paced.update("x".repeat(piece));
    pass(apart);
  }
  pass(1000);
  context.mock.timers.reset();
  return texts;
}

test("a cheap text is drawn with each piece", (context) => {
  assert.equal(drawn(context, 1, 100, 2).length, 100);
});

test("a text that takes long is drawn less often, at its end in any case", (context) => {
  for (const [cost, most] of [
    [5, 60],
    [20, 25],
    [200, 8],
  ]) {
    const texts = drawn(context, cost, 200, 5);
    assert.ok(texts.length <= most && texts.length > 3, `${texts.length} times at ${cost} ms`);
    assert.equal(texts.at(-1).length, 200, "the last text is drawn");
  }
});

test("texts that are drawn in the same turn of the page are all drawn at once", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const texts = [];
  const paced = new Paced((text) => texts.push(text));
  for (const text of ["a", "ab", "another"]) paced.update(text);
  assert.deepEqual(texts, ["a", "ab", "another"]);
});
