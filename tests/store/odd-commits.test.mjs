// Commits to the library's stores that no writer makes: each is refused, and the next one is carried out.
import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore } from "../../dist/index.js";
import { hostile, revoked } from "../support/bad-inputs/odd.mjs";

const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
const commit = { expectedLength: 0, at: 1, events: [], files: [], baseState: "{}", durability: "strict" };

/** An array whose first element cannot be read. */
const trapped = () =>
  new Proxy(["x"], {
    get(target, name) {
      if (name === "0") throw new Error("on purpose");
      return Reflect.get(target, name);
    },
  });

for (const [name, odd] of Object.entries({
  "a revoked proxy": revoked(),
  "a revoked list of events": { ...commit, events: revoked([]) },
  "a revoked list of files": { ...commit, files: revoked([]) },
  "a revoked event": { ...commit, events: [revoked()] },
  "a revoked text": { ...commit, events: [{ id, json: revoked(new Uint8Array(1)) }] },
  "a revoked content": { ...commit, files: [{ path: "a", content: revoked() }] },
  "a revoked writer": { ...commit, writer: revoked() },
  "a list that throws": { ...commit, events: trapped() },
  "a property that throws a revoked proxy": {
    get expectedLength() {
      throw revoked();
    },
  },
  "a property that throws what throws": {
    get expectedLength() {
      throw hostile();
    },
  },
})) {
  test(`a commit with ${name} is an error, and the store can be used`, async () => {
    const store = memoryStore();
    await assert.rejects(store.commit(id, odd), { code: "store_corrupt" });
    await store.commit(id, commit);
    assert.equal((await store.load(id)).baseState, "{}");
  });
}
