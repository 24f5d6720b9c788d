// Conversations that have gone on on several devices: what each of them has in the end is opened by the SDK, on every branch, and carried on.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as library from "../../../dist/index.js";
import { amount } from "../../support/explored.mjs";
import { playHistory } from "../../support/devices.mjs";
import { filesOf, packed, unpacked, write } from "../../support/files.mjs";
import { violationsOf } from "../../support/model/script.mjs";

const count = amount(12);
const { Conversation, memoryStore } = library;

export function conversationsOfDevices(sdk, place) {
  for (let seed = 1; seed <= count; seed += 1) {
    test(`history ${seed} of several devices goes on in Python`, async (t) => {
      const { id, archives } = await playHistory(library, { seed, makeStore: memoryStore });
      if (!sdk()) return t.skip("no SDK");
      for (const [number, archive] of archives.entries()) {
        const target = path.join(place, `${id}-${number}.zip`);
        writeFileSync(target, new Uint8Array(await archive.arrayBuffer()));
        assert.deepEqual((await sdk().check(target)).refused, []);
        const resumed = await sdk().resume(target, "Done.");
        assert.ok(resumed.ok, `device ${number}: ${resumed.error}`);
        assert.equal(resumed.new_kinds.at(-1), "MessageEvent");
        assert.deepEqual(violationsOf(resumed.request), []);
      }
    });
  }

  test("Python and a page go on apart, and each gets what the other has", async (t) => {
    if (!sdk()) return t.skip("no SDK");
    const { id, archives } = await playHistory(library, { seed: 1, makeStore: memoryStore });
    const directory = path.join(place, "apart", id.replaceAll("-", ""));
    write(directory, unpacked(Buffer.from(await archives[0].arrayBuffer())));
    const store = memoryStore();
    await Conversation.importZip(archives[0], { store });
    const before = await store.load(id);
    // Each goes on.
    const ours = await sdk().resume(directory, "From Python.", { in_place: true });
    assert.ok(ours.ok, ours.error);
    const first = { id: "abcdef01-0000-4000-8000-000000000000", text: "From the page." };
    const head = JSON.parse(before.baseState).leaf_event_id;
    const json = JSON.stringify({
      id: first.id,
      timestamp: "2026-11-26T12:00:00.000000",
      source: "user",
      parent_id: head,
      llm_message: { role: "user", content: [{ type: "text", text: first.text }] },
      activated_skills: [],
      extended_content: [],
      kind: "MessageEvent",
    });
    const state = JSON.stringify({ ...JSON.parse(before.baseState), leaf_event_id: first.id });
    await store.commit(id, {
      expectedLength: before.length,
      events: [{ id: first.id, json }],
      baseState: state,
      files: [],
      at: Date.now(),
      durability: "relaxed",
    });
    const [{ outcome, warnings, eventCount }] = await Conversation.importZip(packed(id, filesOf(directory)), { store });
    assert.deepEqual([outcome, warnings], ["merged", []]);
    assert.ok(eventCount > before.length + 1);
    assert.equal(JSON.parse((await store.load(id)).baseState).leaf_event_id, first.id);
  });
}
