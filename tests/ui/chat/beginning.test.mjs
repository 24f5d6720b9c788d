// Texts that the chat cuts.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";

const { beginning } = await fromSource("ui/chat/beginning.ts");

test("a text is cut at whole characters", () => {
  for (const whole of ["😀", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", "1️⃣", "각"]) {
    for (let most = 2; most < 2 + whole.length; most++) assert.equal(beginning(`ab${whole}cd`, most), "ab", `${whole} at ${most}`);
    assert.equal(beginning(`ab${whole}cd`, 2 + whole.length), `ab${whole}`);
  }
  assert.deepEqual([beginning("abc", 3), beginning("abcd", 3), beginning("", 1)], ["abc", "abc", ""]);
});
