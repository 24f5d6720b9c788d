// The SDK's condensers decide what tests/fixtures/condensers.json records.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sdkForTests } from "./session.mjs";

const sdk = sdkForTests();

test("the SDK's condensers decide what the fixture records", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const { ok, error, count, differing } = await sdk().ask({ command: "condensers" });
  assert.ok(ok, error);
  assert.deepEqual(differing, []);
  assert.equal(count, 400);
});
