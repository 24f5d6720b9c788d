// Ten thousand events: in, opened, carried on, out, and carried on by the SDK, with the times that it takes.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { apart } from "../../support/apart.mjs";
import { clock, count } from "./long-way.mjs";

export function aLongConversation(sdk, place) {
  test(`a conversation of ${count} events`, (t) => isCarriedOn(t, sdk, place));
}

async function isCarriedOn(t, sdk, place) {
  const target = path.join(place, "long.zip");
  const times = await apart(new URL("long-way.mjs", import.meta.url).href, "goesThrough", target);
  await t.test("the SDK carries it on", { skip: !sdk() && "no SDK" }, async () => {
    const timed = clock(times);
    const answer = await timed("check", () => sdk().check(target));
    assert.deepEqual(answer.refused, []);
    assert.equal(answer.active_branch.length, count + 6);
    const { ok, error, request } = await timed("resume", () => sdk().resume(target));
    assert.ok(ok, error);
    assert.equal(request.messages.length, count + 7);
  });
  t.diagnostic(times.join(", "));
}
