// Archives that were damaged, each imported: see mutations.test.mjs.
import assert from "node:assert/strict";
import { archiveLibrary } from "./library.mjs";
import { conversation, entry, eventPath, folder, id } from "../support/archive-entries.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, memoryStore, ThreadkeepError } = await archiveLibrary();

/** Holds that each of `count` damaged archives is imported whole, or refused. Returns how many were what. */
export async function importDamaged(count, seed) {
  const random = generator(seed);
  const archives = [
    zip([...conversation(4), { name: `${folder}/TASKS.json`, content: "[]" }]),
    zip(conversation(3).map((one) => ({ ...one, method: 0 }))),
    zip(
      conversation(3).map((one) => ({ ...one, zip64: true })),
      { zip64: true },
    ),
    zip(conversation(3).map((one) => (one.name.endsWith("/") ? one : { ...one, descriptor: true }))),
  ];
  const outcomes = { imported: 0, refused: 0 };
  for (let n = 0; n < count; n++) {
    const bytes = mutated(archives[n % archives.length], random);
    const store = memoryStore();
    try {
      const imported = await importZip(bytes, store);
      for (const one of imported) {
        const files = await unzip(await (await exportZip(store, one.id)).arrayBuffer());
        const events = files.filter(({ name }) => /\/events\/event-\d{5}-/.test(name));
        assert.equal(events.length, one.eventCount);
      }
      outcomes.imported++;
    } catch (error) {
      assert(error instanceof ThreadkeepError, `archive ${n}: ${error?.stack ?? error}`);
      assert.equal(error.code, "archive_invalid", `archive ${n}: ${error.message}`);
      await assert.rejects(exportZip(store, id), { code: "not_found" });
      outcomes.refused++;
    }
    store.close();
  }
  return outcomes;
}

/** Holds that an archive that was cut off is refused, wherever that was. Returns how many places there are. */
export async function importCutOff() {
  const bytes = zip(conversation(1));
  for (let end = 0; end < bytes.length; end++) {
    await assert.rejects(importZip(bytes.subarray(0, end), memoryStore()), { code: "archive_invalid" }, `${end}`);
  }
  return bytes.length;
}

/** A few bytes changed, taken out or put in, mostly in the structure, or one entry's content changed and packed anew. */
function mutated(original, random) {
  if (random(4) === 0) {
    const entries = conversation(3);
    const target = entry(entries, random(2) ? `${folder}/base_state.json` : eventPath(random(3)));
    target.content = damaged(Buffer.from(target.content), random);
    return zip(entries);
  }
  return damaged(original, random);
}

function damaged(original, random) {
  let bytes = Buffer.from(original);
  for (let n = 1 + random(3); n > 0 && bytes.length > 0; n--) {
    const at = random(bytes.length);
    switch (random(5)) {
      case 0:
        bytes[at] ^= 1 << random(8);
        break;
      case 1:
        bytes[at] = [0, 1, 0x2f, 0x2e, 0x50, 0x7f, 0xff][random(7)];
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random(16))]);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(random(bytes.length), random(bytes.length)), bytes.subarray(at)]);
        break;
      case 4:
        bytes.writeUInt8(random(256), at);
        break;
    }
  }
  return bytes;
}

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}
