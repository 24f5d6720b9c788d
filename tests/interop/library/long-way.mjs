// The library's operations on a conversation of ten thousand events, timed: see long.mjs.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { id, longConversationFiles } from "../long-conversation.mjs";
import { fixtures } from "../conversations.mjs";
import { open, say, scripted } from "../../support/chat.mjs";
import { exported, packed } from "../../support/files.mjs";

export const count = 10_001;
/** Seconds of processor time that a step may take: other processes on the machine do not count. */
const limit = 30;

/** Brings it in, carries it on, and writes an export into the file `target`; returns how long that took. */
export async function goesThrough(target) {
  const times = [];
  const timed = clock(times);
  const ends = [];
  const t = { after: (end) => ends.unshift(end) };
  const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));
  const simple = conversations.find(({ scenario }) => scenario === "simple");
  const zip = packed(id, longConversationFiles(path.join(fixtures, simple.directory), count), { method: 8 });
  const store = memoryStore();
  const model = await scripted(t, [{ text: "Still here." }, { calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }]);

  const [imported] = await timed("import", () => Conversation.importZip(zip, { store }));
  assert.deepEqual([imported.id, imported.eventCount], [id, count]);
  const conversation = await timed("open", () => open(t, { model, store, conversationId: id }));
  const page = await timed("last page", () => conversation.events.slice(-50));
  assert.equal(page.length, 50);
  await timed("first turn", () => say(conversation, "Are you there?"));
  await timed("second turn", () => say(conversation, "What is 1 + 2?"));
  model.check();
  assert.equal(model.requests[0].body.messages.length, count + 1);
  writeFileSync(target, await timed("export", () => exported(conversation)));
  for (const end of ends) await end();
  return times;
}

/** Notes in `times` how long something takes. */
export function clock(times) {
  return async (what, work) => {
    const [begun, used] = [performance.now(), process.cpuUsage()];
    const result = await work();
    const { user, system } = process.cpuUsage(used);
    times.push(`${what} ${((performance.now() - begun) / 1000).toFixed(2)} s`);
    assert.ok(user + system < limit * 1e6, `${what} used the processor for ${(user + system) / 1e6} s`);
    return result;
  };
}
