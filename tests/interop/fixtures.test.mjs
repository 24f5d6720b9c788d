// The committed fixtures against the SDK that is here: it must still read them as index.json describes.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { damagedCopies } from "./damaged-copies.mjs";
import { longConversation } from "./long-conversation.mjs";
import { openBareSdk, sdkForTests } from "./session.mjs";
import { committed as fixtures } from "./conversations.mjs";
import { onlyFor } from "./versions.mjs";

const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));
const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-interop-"));
const sdk = sdkForTests();

after(() => rmSync(place, { recursive: true, force: true }));

for (const entry of conversations) {
  test(`${entry.scenario} ${entry.id}: the SDK reads what index.json lists`, async (t) => {
    if (!sdk()) return t.skip("no SDK");
    const answer = await sdk().check(path.join(fixtures, entry.directory), { cipher: entry.cipher });
    for (const key of ["ok", "opens", "execution_status", "kinds", "active_branch", "view", "unmatched_actions"]) {
      assert.deepEqual(answer[key], entry[key], key);
    }
    const expected = JSON.parse(readFileSync(path.join(fixtures, `${entry.directory}.expected.json`), "utf8"));
    for (const key of Object.keys(expected)) assert.deepEqual(answer[key], expected[key], key);
  });
}

test("an added key, a skipped file and a directory with another name are all refused", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const simple = conversations.find(({ scenario }) => scenario === "simple");
  for (const { what, directory, file } of damagedCopies(path.join(fixtures, simple.directory), place)) {
    const answer = await sdk().check(directory);
    assert.equal(answer.ok, false, what);
    assert.ok(
      answer.refused.some((refusal) => refusal.file === file),
      `${what}: ${JSON.stringify(answer.refused)}`,
    );
  }
});

test(
  "an analyzer stored by 1.58.2 is refused, and everything else that it writes is read",
  onlyFor("1.43.1", "it knows no such event"),
  async (t) => {
    if (!sdk()) return t.skip("no SDK");
    const newest = path.join(fixtures, "../sdk-1.58.2");
    const index = JSON.parse(readFileSync(path.join(newest, "index.json"), "utf8"));
    const answer = Object.fromEntries(
      await Promise.all(
        index.conversations.map(async ({ scenario, directory }) => [scenario, await sdk().check(path.join(newest, directory))]),
      ),
    );
    assert.deepEqual([answer.simple.ok, answer.simple.opens, answer.risky.opens], [true, true, false]);
    assert.match(answer.risky.refused[0].error, /SecurityAnalysisEvent/);
  },
);

test(
  "without openhands-tools the SDK opens MCP tools, and not the terminal",
  onlyFor("1.43.1", "the conversations of others are not all in the repository"),
  async (t) => {
    if (!sdk()) return t.skip("no SDK");
    const bare = await openBareSdk();
    t.after(() => bare.close());
    const opened = async (name) => {
      const { directory } = conversations.find(({ scenario }) => scenario === name);
      return (await bare.check(path.join(fixtures, directory))).ok;
    };
    assert.deepEqual([await opened("mcp-tool"), await opened("terminal")], [true, false]);
  },
);

test("the SDK opens and continues 10 001 events", onlyFor("1.43.1", "ten thousand events take a minute"), async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const simple = conversations.find(({ scenario }) => scenario === "simple");
  const directory = longConversation(path.join(fixtures, simple.directory), place, 10_001);
  assert.ok(existsSync(path.join(directory, "base_state.json")));
  // In place, because ten thousand files take longer to copy than to read.
  const answer = await sdk().check(directory, { in_place: true });
  assert.deepEqual(answer.refused, []);
  assert.equal(answer.active_branch.length, 10_001);
  const { ok, error, request } = await sdk().resume(directory, undefined, { in_place: true });
  assert.ok(ok, error);
  assert.equal(request.messages.length, 10_002);
});
