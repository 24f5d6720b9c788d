// Twenty-two secrets in odd shapes, let out by tools and a model in every way there is, are found nowhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { leaks, plant } from "./planting.mjs";
import { found, shapes, ways } from "./shapes.mjs";

test("the search finds every spelling of every secret", () => {
  for (const [name, value] of Object.entries(shapes)) {
    for (const [how, way] of Object.entries(ways)) {
      if (how !== "basic" && how !== "form")
        assert.ok(
          found(way(value)).some((hit) => hit.startsWith(`${name} `)),
          `${name} ${how}`,
        );
    }
  }
});

test("planted secrets reach the tool that asks and nothing else", async () => {
  const store = library.memoryStore();
  const { id, code, given, places } = await plant(library, store);
  assert.deepEqual(given, shapes, "every tool got what it asked for");
  assert.equal(code, "llm_bad_request");
  const { baseState, length } = await store.load(id);
  places.rows = [baseState, ...(await store.events(id, 0, length)).map(({ json }) => json)];
  assert.ok(places.rows.length > 300 && places.archive.length > 300 && places.deltas.length > 100 && places.progress.length > 22);
  assert.ok(places.rows.join("").includes("<secret-hidden>"));
  assert.deepEqual(leaks(places), []);
});
