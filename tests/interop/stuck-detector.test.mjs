// The SDK's stuck detector finds what tests/fixtures/stuck_detector.json records.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSdk } from "./session.mjs";

let sdk;
before(
  async () => {
    sdk = await openSdk();
  },
  { timeout: 900_000 },
);
after(() => sdk?.close());

test("the SDK's stuck detector finds what the fixture records", async (t) => {
  if (!sdk) return t.skip("no SDK");
  const { ok, error, count, differing } = await sdk.ask({ command: "stuck" });
  assert.ok(ok, error);
  assert.deepEqual(differing, []);
  assert.equal(count, 800);
});
