// The SDK makes of skills, their triggers and their texts what tests/fixtures/skills.json records; tests/skills.rs holds the
// library against the same file.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSdk } from "./session.mjs";

let sdk;
before(async () => {
  sdk = await openSdk();
}, { timeout: 900_000 });
after(() => sdk?.close());

test("the SDK makes of skills what the fixture records", async (t) => {
  if (!sdk) return t.skip("no SDK");
  const { ok, error, count, differing } = await sdk.ask({ command: "skills" });
  assert.ok(ok, error);
  assert.deepEqual(differing, []);
  assert.ok(count > 20_000, `${count} decisions`);
});
