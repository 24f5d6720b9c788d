// Ten thousand events: in, opened, carried on, out, and carried on by the SDK, with the times that it takes.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { longConversation } from "../long-conversation.mjs";
import { fixtures } from "../setup.mjs";
import { open, say, scripted } from "./chat.mjs";
import { exported, filesOf, packed } from "./files.mjs";
import { conversations } from "./imported.mjs";

const count = 10_001;
/** Seconds of processor time that a step of the library may take: other processes on the machine do not count. */
const limit = 30;

export function aLongConversation(sdk, place) {
  test(`a conversation of ${count} events`, { timeout: 10 * 60_000 }, (t) => isCarriedOn(t, sdk, place));
}

async function isCarriedOn(t, sdk, place) {
  const times = [];
  const timed = async (what, work) => {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(used);
    times.push(`${what} ${((performance.now() - begun) / 1000).toFixed(2)} s`);
    assert.ok(user + system < limit * 1e6, `${what} used the processor for ${(user + system) / 1e6} s`);
    return result;
  };
  const simple = conversations.find(({ scenario }) => scenario === "simple");
  const directory = longConversation(path.join(fixtures, simple.directory), place, count);
  const zip = packed(path.basename(directory), filesOf(directory), { method: 8 });
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
  const target = path.join(place, "long.zip");
  writeFileSync(target, await timed("export", () => exported(conversation)));

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
