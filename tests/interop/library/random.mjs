// A sample of random conversations, with several models, thinking, condensations and rejected calls: the SDK opens each and goes on.
// THREADKEEP_CONVERSATIONS is their number.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { violationsOf } from "../../support/model/script.mjs";
import { converse } from "../../support/random-conversation.mjs";

const count = Number(process.env.THREADKEEP_CONVERSATIONS ?? 12);

export function randomConversations(sdk, place) {
  for (let seed = 1; seed <= count; seed += 1) {
    test(`random conversation ${seed} goes on in Python`, { timeout: 300_000 }, async (t) => {
      const { id, zip } = await converse({ seed: 10_000 + seed });
      if (!sdk()) return t.skip("no SDK");
      const target = path.join(place, `${id}.zip`);
      writeFileSync(target, new Uint8Array(await new Response(zip).arrayBuffer()));
      const { refused, unmatched_actions: unmatched } = await sdk().check(target);
      assert.deepEqual([refused, unmatched], [[], []]);
      const resumed = await sdk().resume(target, "Done.");
      assert.ok(resumed.ok, resumed.error);
      assert.equal(resumed.new_kinds.at(-1), "MessageEvent");
      assert.deepEqual(violationsOf(resumed.request), []);
    });
  }
}
