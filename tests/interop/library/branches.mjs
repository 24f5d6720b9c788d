// Branches and copies, made here in the SDK's conversations and by the SDK in those of the library.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";

const scenarios = ["branches", "condensed", "older-branch-active", "empty-head", "second-root", "forked"];

export function branchesBothWays(sdk, place) {
  for (const entry of conversations.filter(({ scenario }) => scenarios.includes(scenario))) {
    test(`${entry.scenario} ${entry.id} gets branches and copies here, and the SDK continues each`, (t) =>
      getsBranches(t, entry, sdk(), place));
  }
  for (const leaf of ["an answer", "a message", null]) {
    for (const forks of [false, true]) {
      const name = `the SDK moves to ${leaf ?? "before the first event"}${forks ? ", forks" : ""} and continues`;
      test(`${name}, and so does the library`, (t) => (sdk() ? isMovedByTheSdk(t, { leaf, forks }, sdk(), place) : t.skip("no SDK")));
    }
  }
}

async function getsBranches(t, entry, sdk, place) {
  const store = memoryStore();
  const model = await scripted(
    t,
    Array.from({ length: 12 }, (_, n) => ({ text: `Reply ${n}.` })),
  );
  const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
  const conversation = await open(t, { model, store, conversationId: id });
  const before = await eventsOf(conversation);
  const leaf = conversation.state.leaf_event_id ?? null;
  const continued = async (what, other = conversation) => {
    if (!sdk) return;
    const target = path.join(place, `${other.id}-${what}.zip`);
    writeFileSync(target, await exported(other));
    const { ok, error, request } = await sdk.resume(target, "Done.");
    assert.ok(ok, `${what}: ${error}`);
    const { messages } = model.requests.at(-1).body;
    const users = (messages) =>
      messages.filter(({ role }) => role === "user").map(({ content }) => (typeof content === "string" ? content : content[0].text));
    assert.deepEqual(users(request.messages).slice(0, -1), users(messages), what);
  };

  for (const { leafEventId } of await conversation.branches()) {
    await conversation.navigateTo(leafEventId);
    assert.equal((await conversation.activeBranch()).at(-1).id, leafEventId);
  }
  await conversation.navigateTo(leaf);
  assert.deepEqual(await eventsOf(conversation), before, "moves append nothing");
  await say(conversation, "Here");
  await continued("moved");
  await conversation.regenerate();
  await continued("regenerated");
  const question = (await conversation.activeBranch()).findLast(({ kind, source }) => kind === "MessageEvent" && source === "user");
  await conversation.editMessage(question.id, "Rather this");
  await conversation.run();
  await continued("edited");
  await conversation.navigateTo(null);
  await say(conversation, "From the beginning");
  await continued("from-the-beginning");
  for (const [name, options] of Object.entries({ copy: {}, "copy-of-a-branch": { fromEventId: question.id } })) {
    const copy = await conversation.fork({ title: name, ...options });
    t.after(() => copy.close());
    await say(copy, "In the copy");
    await continued(name, copy);
  }
}

async function isMovedByTheSdk(t, { leaf, forks }, sdk, place) {
  const store = memoryStore();
  const model = await scripted(t, [{ text: "One." }, { text: "Other one." }, { text: "Two." }, { text: "And now." }]);
  const first = await open(t, { model, store });
  await say(first, "First");
  await first.regenerate();
  await say(first, "Second");
  const events = await eventsOf(first);
  const target = { "an answer": events[2].id, "a message": events[1].id }[leaf] ?? null;
  const directory = path.join(place, `moved-${forks}-${leaf}`, first.id.replaceAll("-", ""));
  for (const [name, content] of unpacked(await exported(first))) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  await first.close();

  const moved = await sdk.ask({
    command: "resume",
    path: directory,
    reply: "From Python.",
    text: "In Python",
    in_place: true,
    navigate: { to: target, fork: forks },
  });
  assert.ok(moved.ok, moved.error);
  const texts = { "an answer": ["First", "One.", "In Python"], "a message": ["First", "In Python"] }[leaf] ?? ["In Python"];
  const sent = (messages) =>
    messages
      .filter(({ role }) => role !== "system")
      .map(({ content }) => (typeof content === "string" ? content : content.map(({ text }) => text).join("\n")));
  // Messages of the user that follow each other are one.
  assert.equal(sent(moved.request.messages).join("\n"), texts.join("\n"));

  const there = moved.forked ?? directory;
  const other = memoryStore();
  const [{ id, warnings }] = await Conversation.importZip(packed(path.basename(there), filesOf(there)), { store: other });
  assert.deepEqual(warnings, []);
  const second = await open(t, { model, store: other, conversationId: id });
  assert.equal(await second.finalResponse(), "From Python.");
  model.add({ text: "Again." });
  await second.regenerate();
  assert.equal(sent(model.requests.at(-1).body.messages).join("\n"), texts.join("\n"));
}
