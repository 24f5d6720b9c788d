// Every conversation that the SDK wrote for the fixtures, packed as the agent server packs it.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { archiveLibrary } from "./library.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";

const { importZip, exportZip, memoryStore } = await archiveLibrary();
const fixtures = fileURLToPath(new URL("../fixtures/sdk-1.43.1/", import.meta.url));
const { conversations } = JSON.parse(readFileSync(path.join(fixtures, "index.json"), "utf8"));

/** Fixtures that are refused or changed by an import. The others are exported with the same files. */
const refused = new Map([["other-id", /says it is conversation/]]);
const setAside = new Map([
  ["torn-tail", 1],
  ["torn-event", 1],
  ["empty-event", 1],
  ["torn-state", 1],
]);

for (const { scenario, directory, id } of conversations) {
  const entries = packed(path.join(fixtures, directory));

  if (refused.has(scenario)) {
    test(`${scenario} is refused`, () => assert.rejects(importZip(zip(entries), memoryStore()), { message: refused.get(scenario) }));
    continue;
  }

  if (scenario === "gap") {
    test("the log of gap closes, and the event behind it follows the one before it", async () => {
      const store = memoryStore();
      const [imported] = await importZip(zip(entries), store);
      assert.equal(imported.warnings.length, 2, imported.warnings.join());
      const before = entries.filter(({ name }) => name.includes("/events/event-")).map(({ content }) => content.toString());
      const events = await store.events(imported.id, 0, 99);
      const mended = before.with(2, before[2].replace(/"parent_id":"[^"]*"/, `"parent_id":"${events[1].id}"`));
      assert.deepEqual(
        events.map(({ json }) => json),
        mended,
      );
      const [file] = await store.files(imported.id);
      assert.equal(Buffer.from(await store.readFile(imported.id, file)).toString(), before[2]);
    });
    continue;
  }

  test(`${scenario} leaves as it came`, async () => {
    const store = memoryStore();
    const [imported] = await importZip(zip(entries), store);
    assert.equal(imported.id.replaceAll("-", ""), id.replaceAll("-", ""));
    const after = await unzip(await (await exportZip(store, imported.id)).arrayBuffer());
    const files = new Map(after.filter(({ name }) => !name.endsWith("/")).map(({ name, content }) => [name, content.toString()]));
    const quarantined = [...files.keys()].filter((name) => name.includes("/quarantine/"));
    assert.equal(quarantined.length, setAside.get(scenario) ?? 0, quarantined.join());
    assert.equal(imported.warnings.length >= quarantined.length, true);
    const state = `${id}/base_state.json`;
    const expectedOf = (place, text) => {
      if (place === state) return withoutLostHead(portable(text, id), quarantined, entries);
      // The conversation of a sub-agent is one of its own while it is stored.
      return /\/subagents\/\w+\/base_state\.json$/.test(place) ? portable(text, path.dirname(place)) : text;
    };
    for (const { name, content } of entries.filter(({ name }) => !name.endsWith("/"))) {
      const place = quarantined.find((one) => one.endsWith(`/${path.basename(name)}`)) ?? name;
      assert.equal(files.get(place), expectedOf(place, content.toString()), name);
      files.delete(place);
    }
    // A rebuilt base state is the only file that was not there before.
    assert.deepEqual([...files.keys()], scenario === "torn-state" ? [state] : []);
  });
}

function portable(text, id) {
  return text
    .replace(/"persistence_dir":"[^"]*"/, `"persistence_dir":"workspace/conversations/${id}"`)
    .replace('"execution_status":"running"', '"execution_status":"paused"');
}

/** A head that is not there, or was set aside, moves to the last event that is. */
function withoutLostHead(text, quarantined, entries) {
  const { leaf_event_id: head } = JSON.parse(text);
  const setAside = quarantined.map((name) => path.basename(name));
  const events = entries.map(({ name }) => path.basename(name)).filter((name) => name.startsWith("event-") && !setAside.includes(name));
  if (!head || events.some((name) => name.includes(head))) return text;
  return text.replace(head, /event-\d+-(.*)\.json$/.exec(events.at(-1))[1]);
}

function packed(directory) {
  const folder = path.basename(directory);
  const names = readdirSync(directory, { recursive: true, withFileTypes: true });
  const entries = names.map((one) => {
    const file = path.join(one.parentPath, one.name);
    const name = `${folder}/${path.relative(directory, file)}`;
    return one.isDirectory() ? { name: `${name}/`, method: 0 } : { name, content: readFileSync(file) };
  });
  return [{ name: `${folder}/`, method: 0 }, ...entries.sort((a, b) => (a.name < b.name ? -1 : 1))];
}
