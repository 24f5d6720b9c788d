// A conversation in a folder of the disk that the page and the real SDK continue in turns, without an export in between.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { Conversation, directoryStore, importDirectory, memoryStore } from "../../dist/index.js";
import { eventsOf, open, say, scripted, sum } from "../support/chat.mjs";
import { diskDirectory, provideLocks } from "../support/disk-directory.mjs";
import { filesOf } from "../support/files.mjs";
import { sdkForTests } from "./session.mjs";

provideLocks();
const sdk = sdkForTests();
const place = mkdtempSync(path.join(tmpdir(), "threadkeep-folders-"));
after(() => rmSync(place, { recursive: true, force: true }));

test("the page and Python continue a conversation in one folder, in turns", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const disk = diskDirectory(place);
  const model = await scripted(t, [
    { calls: [sum(1, 2)] },
    { text: "It is 3." },
    { text: "Still here." },
    { text: "Here again." },
    { text: "And a last time." },
  ]);
  const first = await open(t, { model, store: directoryStore(disk) });
  const directory = path.join(place, first.id.replaceAll("-", ""));
  const python = async (reply) => {
    const { ok, refused } = await sdk().resume(directory, reply, { in_place: true });
    assert.ok(ok, JSON.stringify(refused));
  };
  const isAccepted = async (count) => {
    const read = await sdk().check(directory);
    assert.ok(read.ok, JSON.stringify(read.refused));
    assert.equal(read.kinds.length, count);
  };
  assert.equal((await say(first, "How much is it?")).finalResponse, "It is 3.");
  await isAccepted(first.events.length);
  assert.equal((await say(first, "Are you there?")).finalResponse, "Still here.");
  const ours = first.events.length;
  await isAccepted(ours);

  // Python appends while the page has the conversation open, and the page notices.
  await python("From Python.");
  await assert.rejects(first.sendMessage("Too late."), { code: "locked_elsewhere" });
  await first.close();
  const second = await open(t, { model, store: directoryStore(disk), conversationId: first.id });
  assert.ok(second.events.length > ours);
  assert.equal(await second.finalResponse(), "From Python.");
  assert.equal((await say(second, "And here?")).finalResponse, "Here again.");
  await isAccepted(second.events.length);
  const length = second.events.length;
  await second.close();

  await python("Once more.");
  const third = await open(t, { model, store: directoryStore(disk), conversationId: first.id });
  assert.ok(third.events.length > length);
  assert.equal((await say(third, "Goodbye.")).finalResponse, "And a last time.");
  const numbers = [...filesOf(directory).keys()].flatMap((name) => /^events\/event-(\d+)-/.exec(name)?.[1] ?? []);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => String(index).padStart(5, "0")),
    "every number occurs once",
  );
  await isAccepted(numbers.length);
  const events = JSON.stringify(await eventsOf(third));
  await third.close();

  // The folder as a whole, with the files that the SDK and the store keep beside the layout.
  const store = memoryStore();
  const [imported] = await importDirectory(disk, { store });
  assert.deepEqual([imported.outcome, imported.eventCount, imported.warnings], ["created", numbers.length, []]);
  const copy = await open(t, { model, store, conversationId: first.id });
  assert.equal(JSON.stringify((await eventsOf(copy)).slice(0, numbers.length)), events);
  assert.deepEqual(
    (await Conversation.list({ store: directoryStore(disk) })).map(({ eventCount }) => eventCount),
    [numbers.length],
  );
});
