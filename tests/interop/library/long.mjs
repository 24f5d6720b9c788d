// Ten thousand events: in, opened, carried on, out, and carried on by the SDK, each in reasonable time.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { longConversation } from "../long-conversation.mjs";
import { fixtures } from "../setup.mjs";
import { open, say, scripted } from "./chat.mjs";
import { filesOf, packed } from "./files.mjs";
import { conversations } from "./imported.mjs";

const count = 10_001;
/** Seconds that a step may take on a machine that does other things too. */
const limit = 60;

export function aLongConversation(sdk, place) {
  test(`a conversation of ${count} events`, { timeout: 8 * 60_000 }, (t) => isCarriedOn(t, sdk, place));
}

async function isCarriedOn(t, sdk, place) {
  const times = [];
  const timed = async (what, work) => {
    const begun = performance.now();
    const result = await work();
    const seconds = (performance.now() - begun) / 1000;
    times.push(`${what} ${seconds.toFixed(2)} s`);
    assert.ok(seconds < limit, `${what} took ${seconds} s`);
    return result;
  };
  const simple = conversations.find(({ scenario }) => scenario === "simple");
  const directory = longConversation(path.join(fixtures, simple.directory), place, count);
  const zip = packed(path.basename(directory), filesOf(directory));
  const store = memoryStore();
  const model = await scripted(t, [{ text: "Still here." }, { calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }]);

  const [{ id, eventCount }] = await timed("import", () => Conversation.importZip(zip, { store }));
  assert.equal(eventCount, count);
  const conversation = await timed("open", () => open(t, { model, store, conversationId: id }));
  const page = await timed("last page", () => conversation.events.slice(-50));
  assert.equal(page.length, 50);
  await timed("first turn", () => say(conversation, "Are you there?"));
  await timed("second turn", () => say(conversation, "What is 1 + 2?"));
  model.check();
  assert.equal(model.requests[0].body.messages.length, count + 1);
  const exported = await timed("export", () => conversation.exportZip());
  const target = path.join(place, "long.zip");
  writeFileSync(target, Buffer.from(await exported.arrayBuffer()));

  await t.test("the SDK carries it on", { skip: !sdk() && "no SDK" }, async () => {
    const said = await timed("check", () => sdk().check(target));
    assert.deepEqual(said.refused, []);
    assert.equal(said.active_branch.length, count + 6);
    const { ok, error, request } = await timed("resume", () => sdk().resume(target));
    assert.ok(ok, error);
    assert.equal(request.messages.length, count + 7);
  });
  t.diagnostic(times.join(", "));
}
