// Conversations that go from Python to the page, on in Python, and back into the page's store.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { eventsAmong, exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";
import { remains } from "../../support/remains.mjs";
import { until } from "../../support/until.mjs";
import { conversations } from "./imported.mjs";

const sum = { name: "add", arguments: { a: 1, b: 2 } };

export function thereAndBack(sdk, place) {
  for (const scenario of ["simple", "tools", "mcp-tool", "invalid-calls", "legacy", "model-over-responses"]) {
    test(`${scenario} goes from Python to the page, on in Python, and back`, (t) =>
      sdk() ? goesThereAndBack(t, scenario, sdk(), place) : t.skip("no SDK"));
  }
  test("the SDK goes on behind a draft that nobody has kept, and the page behind that", (t) =>
    sdk() ? goesOnBehindADraft(t, sdk(), place) : t.skip("no SDK"));
  test("thinking blocks survive the way from the page to Python and back", (t) =>
    sdk() ? thoughtsGoThereAndBack(t, sdk(), place) : t.skip("no SDK"));
}

/** No export has a draft, so the SDK answers as if nothing had been said, and the draft gives way to what it has stored. */
async function goesOnBehindADraft(t, sdk, place) {
  const store = memoryStore();
  const model = await scripted(t, [{ text: "Half of it is shown.", stallAfter: 3 }, { text: "Here as well." }]);
  const dying = await open(t, { model, store });
  await dying.sendMessage("Tell me.");
  dying.run();
  await until(async () => (await store.files(dying.id, "drafts")).length > 0, "its draft is stored");
  const left = await remains(store);
  const first = await open(t, { model, store: left, conversationId: dying.id });
  assert.match(first.draft.content, /^Half/);
  const directory = path.join(place, "behind-a-draft", first.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(first)));
  await first.close();
  assert.ok(![...filesOf(directory).keys()].some((name) => name.startsWith("drafts/")));
  await goOn(sdk, directory, "From Python.");
  const [{ outcome }] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store: left });
  assert.equal(outcome, "continued");
  const second = await open(t, { model, store: left, conversationId: first.id });
  assert.deepEqual([second.draft, await left.files(first.id, "drafts"), await second.finalResponse()], [null, [], "From Python."]);
  assert.equal((await say(second, "And here?")).finalResponse, "Here as well.");
  assert.ok(!JSON.stringify(model.requests.at(-1).body.messages).includes("Half"));
}

/** Thinking blocks of Claude from Python are sent back here, and those from here by Python. */
async function thoughtsGoThereAndBack(t, sdk, place) {
  const llm = { model: "anthropic/claude-sonnet-4-5-20250929", apiMode: "anthropic" };
  const store = memoryStore();
  const model = await scripted(t, [
    { reasoning: "Here.", calls: [sum, sum] },
    { reasoning: "Still here.", text: "3 and 3." },
    { text: "So it is." },
  ]);
  const first = await open(t, { model, store, llm });
  await say(first, "What is 1 + 2?");
  const directory = path.join(place, "thoughts", first.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(first)));
  await first.close();

  const thoughts = [
    { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
    { type: "thinking", thinking: "In Python.", signature: "UHl0aG9u" },
  ];
  const replied = await sdk.resume(directory, [...thoughts, { type: "text", text: "From Python." }], {
    in_place: true,
    api_mode: "anthropic",
  });
  assert.ok(replied.ok, replied.error);
  assert.deepEqual(replied.request.messages[1].content[0], { type: "thinking", thinking: "Here.", signature: "c2lnbmVk0" });
  const [{ id, outcome, warnings }] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  assert.deepEqual([outcome, warnings], ["continued", []]);

  const second = await open(t, { model, store, conversationId: id, llm });
  const events = await eventsOf(second);
  assert.deepEqual(events.at(-1).llm_message.thinking_blocks, thoughts);
  const asked = await sdk.requests(directory, "And here?", { api_mode: "anthropic" });
  await say(second, "And here?");
  model.check();
  const { messages, system, thinking } = model.requests.at(-1).body;
  assert.deepEqual(
    { messages, system, thinking },
    { messages: asked.request.messages, system: asked.request.system, thinking: asked.request.thinking },
  );
  assert.deepEqual(messages.at(-2).content.slice(0, 2), thoughts);
}

async function goesThereAndBack(t, scenario, sdk, place) {
  const entry = conversations.find((one) => one.scenario === scenario);
  const directory = path.join(place, "both-ways", entry.id);
  const store = memoryStore();
  const bring = async (files) => (await Conversation.importZip(packed(entry.id, files), { store }))[0];
  const { id } = await bring(filesOf(path.join(fixtures, entry.directory)));
  const model = await scripted(t, [{ calls: [sum, sum] }, { text: "3 and 3." }, { calls: [sum] }, { text: "3 again." }]);

  const apiMode = scenario === "model-over-responses" ? "responses" : "chat";
  const llm = { apiMode };
  const first = await open(t, { model, store, conversationId: id, llm });
  assert.equal((await say(first, "What is 1 + 2?")).finalResponse, "3 and 3.");
  write(directory, unpacked(await exported(first)));
  await first.close();
  assert.equal((await bring(filesOf(directory))).outcome, "up_to_date");

  await goOn(sdk, directory, "From Python.", apiMode);
  await goOn(sdk, directory, "From Python again.", apiMode);
  const { outcome, warnings } = await bring(filesOf(directory));
  assert.deepEqual([outcome, warnings], ["continued", []]);

  const second = await open(t, { model, store, conversationId: id, llm });
  const files = eventsAmong(filesOf(directory));
  assert.deepEqual(
    await eventsOf(second),
    [...files.values()].map((text) => JSON.parse(text)),
  );
  assert.deepEqual([second.executionStatus, await second.finalResponse()], ["finished", "From Python again."]);
  assert.equal((await say(second, "And once more?")).finalResponse, "3 again.");
  model.check();
  const zip = await exported(second);
  const left = unpacked(zip);
  for (const [name, content] of files) assert.deepEqual(left.get(name), content, name);
  const beside = (names) => [...names].filter((name) => name.includes("/.eventlog"));
  assert.deepEqual([beside(left.keys()), beside(filesOf(directory).keys()).length > 0], [[], true], "locks and markers stay with Python");
  await second.close();

  // Python's copy goes another way: it comes to lie beside what is stored, which stays.
  assert.equal((await bring(left)).outcome, "up_to_date");
  await goOn(sdk, directory, "Another way.", apiMode);
  const apart = await bring(filesOf(directory));
  assert.deepEqual([apart.outcome, apart.warnings], ["merged", []]);
  const merged = await open(t, { model, store, conversationId: id, llm });
  assert.equal(await merged.finalResponse(), "3 again.");
  const ways = await merged.branches();
  await merged.navigateTo(ways.at(-1).leafEventId);
  assert.equal(await merged.finalResponse(), "Another way.");
  const both = path.join(place, `${entry.id}-merged.zip`);
  writeFileSync(both, await exported(merged));
  await merged.close();
  assert.deepEqual((await sdk.check(both)).refused, []);
  const onBoth = await sdk.resume(both, "Done.", { api_mode: apiMode });
  assert.ok(onBoth.ok, onBoth.error);
  const target = path.join(place, `${entry.id}-back.zip`);
  writeFileSync(target, zip);
  assert.deepEqual((await sdk.check(target)).refused, []);
  const { ok, error } = await sdk.resume(target, "Done.", { api_mode: apiMode });
  assert.ok(ok, error);
}

/** The SDK adds a turn to what lies on the disk. */
async function goOn(sdk, directory, reply, apiMode) {
  const { ok, error, execution_status: status } = await sdk.resume(directory, reply, { in_place: true, api_mode: apiMode });
  assert.ok(ok, error);
  assert.equal(status, "finished");
}
