// A sample of random conversations, with several models, thinking, condensations and rejected calls: the SDK opens each and goes on.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { amount } from "../../support/explored.mjs";
import { violationsOf } from "../../support/model/script.mjs";
import { converse } from "../../support/random-conversation.mjs";

const count = amount(12);

export function randomConversations(sdk, place) {
  for (let seed = 1; seed <= count; seed += 1) {
    test(`random conversation ${seed} goes on in Python`, async (t) => {
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
