// The files of earlier events, through the API.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as library from "../../dist/index.js";
import { amount, seed } from "../support/explored.mjs";
import { createModel } from "../support/model.mjs";
import { unzip, zip } from "../support/zip-bytes.mjs";
import { refused, text } from "./checks.mjs";
import { contents, randomVersions } from "./random-versions.mjs";

const { Agent, Conversation, LLM, fileEditor, memoryStore, memoryWorkspace } = library;

const create = (path, file_text) => ({ name: "file_editor", arguments: { command: "create", path: `/workspace/${path}`, file_text } });

/** A conversation whose agent has written two drafts, and its events by their kind. */
async function drafts(t, store = memoryStore()) {
  const replies = [
    { calls: [create("draft.md", "first")] },
    { text: "One." },
    { calls: [create("second.md", "second")] },
    { text: "Two." },
  ];
  const model = createModel(() => replies.shift() ?? { text: "Again." });
  const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch: model.fetch }), tools: [fileEditor()] });
  const conversation = await Conversation.open({ agent, store });
  t.after(() => conversation.close());
  for (const message of ["Begin", "Go on"]) {
    await conversation.sendMessage(message);
    await conversation.run();
  }
  const events = [];
  for await (const event of conversation.events) events.push(event);
  const texts = events.filter(({ kind }) => kind === "MessageEvent");
  return { agent, store, conversation, events, messages: texts };
}

const both = { "draft.md": "first", "second.md": "second" };

test("the files go with HEAD, and come back", async (t) => {
  const { conversation, messages } = await drafts(t);
  const [, one, goOn, two] = messages;
  assert.deepEqual(await contents(conversation.workspace), both);
  const changed = [];
  conversation.workspace.watch(({ path, type }) => changed.push(`${type} ${path}`));
  await conversation.navigateTo(one.id);
  assert.deepEqual(await contents(conversation.workspace), { "draft.md": "first" });
  assert.deepEqual(changed, ["removed second.md"]);
  await conversation.workspace.write("mine.md", "of the user");
  await conversation.navigateTo(two.id);
  assert.deepEqual(await contents(conversation.workspace), both);
  assert.deepEqual(changed.slice(1), ["written mine.md", "removed mine.md", "written second.md"]);
  await conversation.navigateTo(one.id);
  assert.deepEqual(await contents(conversation.workspace), { "draft.md": "first", "mine.md": "of the user" });
  await conversation.navigateTo(two.id);
  await conversation.regenerate();
  assert.deepEqual(await contents(conversation.workspace), { "draft.md": "first" }, "the answer is made again with the files of then");
  await conversation.navigateTo(two.id);
  await conversation.editMessage(goOn.id, "Instead");
  assert.deepEqual(await contents(conversation.workspace), { "draft.md": "first", "mine.md": "of the user" });
  await conversation.navigateTo(null);
  assert.deepEqual(await contents(conversation.workspace), {});
});

test("at() reads the files of an event, and changes() compares two", async (t) => {
  const { conversation, messages } = await drafts(t);
  const [begin, one, , two] = messages;
  const { workspace } = conversation;
  const then = await workspace.at(one.id);
  assert.equal(then.workingDir, "/workspace");
  assert.deepEqual(await contents(then), { "draft.md": "first" });
  await workspace.write("draft.md", "changed");
  await workspace.remove("second.md");
  assert.equal(text(await then.read("draft.md")), "first", "later changes are not seen");
  assert.equal((await then.stat("draft.md")).size, 5);
  assert.deepEqual(await contents(await workspace.at(begin.id)), {});
  for (const refusal of [
    () => then.write("a", "1"),
    () => then.remove("draft.md"),
    () => then.move("draft.md", "b"),
    () => then.makeDirectory("d"),
  ])
    await assert.rejects(refusal(), refused("invalid_state", /earlier event/));
  await assert.rejects(then.read("second.md"), refused("not_found", /second/));
  assert.deepEqual(await workspace.changes(begin.id, one.id), [{ path: "draft.md", type: "added" }]);
  assert.deepEqual(await workspace.changes(one.id, two.id), [{ path: "draft.md", type: "changed" }]);
  assert.deepEqual(await workspace.changes(two.id, begin.id), [{ path: "draft.md", type: "removed" }]);
  assert.deepEqual(await workspace.changes(one.id, one.id), []);
  await assert.rejects(workspace.at("00000000-0000"), refused("not_found", /no event/));
  await assert.rejects(workspace.at(7), refused("invalid_options", /./));
  const history = await workspace.history();
  assert.deepEqual(history, {
    versions: 3,
    bytes: 46,
    since: null,
    isComplete: true,
    maxBytes: 64 * 2 ** 20,
    maxAge: 30 * 24 * 3600 * 1000,
  });
});

test("a follower sees the files of earlier events, too", async (t) => {
  const { agent, store, conversation, messages } = await drafts(t);
  const follower = await Conversation.open({ agent, store, conversationId: conversation.id });
  t.after(() => follower.close());
  assert.equal(follower.access, "follower");
  assert.deepEqual(await contents(await follower.workspace.at(messages[1].id)), { "draft.md": "first" });
});

test("the copy of a branch has its files and their past", async (t) => {
  const { agent, store, conversation, messages } = await drafts(t);
  const [begin, one] = messages;
  const copy = await conversation.fork({ fromEventId: one.id, agent });
  t.after(() => copy.close());
  assert.deepEqual(await contents(copy.workspace), { "draft.md": "first" });
  await copy.navigateTo(begin.id);
  assert.deepEqual(await contents(copy.workspace), {});
  await copy.navigateTo(one.id);
  assert.deepEqual(await contents(copy.workspace), { "draft.md": "first" });
  assert.ok(!(await store.files(copy.id)).includes("workspace/second.md"));
  assert.deepEqual(await contents(conversation.workspace), both);
});

test("a workspace that is not the conversation's own says that it has no past", async (t) => {
  const { agent, messages } = await drafts(t);
  const conversation = await Conversation.open({ agent, store: memoryStore(), workspace: memoryWorkspace({ a: "1" }) });
  t.after(() => conversation.close());
  for (const call of [
    () => conversation.workspace.at(messages[0].id),
    () => conversation.workspace.changes(messages[0].id, messages[1].id),
    () => conversation.workspace.history(),
  ])
    await assert.rejects(call(), refused("no_history", /own files/));
});

test("an export has the versions beside the files of HEAD, and without its files no versions", async (t) => {
  const { agent, conversation, messages } = await drafts(t);
  await conversation.navigateTo(messages[1].id);
  const bytes = async (blob) => new Uint8Array(await blob.arrayBuffer());
  const namesOf = async (blob) => (await unzip(await bytes(blob))).map(({ name }) => name.slice(33)).filter((name) => !name.endsWith("/"));
  const without = await namesOf(await conversation.exportZip());
  assert.deepEqual(
    without.filter((name) => /^(workspace|file_versions)\//.test(name)),
    [],
  );
  const archive = await conversation.exportZip({ workspace: true });
  const names = await namesOf(archive);
  assert.deepEqual(
    names.filter((name) => name.startsWith("workspace/")),
    ["workspace/draft.md"],
  );
  assert.ok(names.includes("file_versions/current"), names.join());
  const other = memoryStore();
  await Conversation.importZip(archive, { store: other });
  const imported = await Conversation.open({ agent, store: other, conversationId: conversation.id });
  assert.deepEqual(await contents(imported.workspace), { "draft.md": "first" });
  await imported.navigateTo(messages[3].id);
  assert.deepEqual(await contents(imported.workspace), both);
  await imported.close();
  // Versions that name nothing, or something else, change nothing.
  for (const wrong of ["", "x", "5 00000004-1-root", "99999999999999999999 ../../x"]) {
    const entries = (await unzip(await bytes(archive))).map((entry) =>
      entry.name.endsWith("file_versions/current") ? { ...entry, content: new TextEncoder().encode(wrong) } : entry,
    );
    const broken = memoryStore();
    await Conversation.importZip(new Blob([await zip(entries)]), { store: broken });
    const opened = await Conversation.open({ agent, store: broken, conversationId: conversation.id });
    await opened.navigateTo(messages[3].id);
    assert.deepEqual(await contents(opened.workspace), { "draft.md": "first" }, wrong);
    await opened.workspace.write("new", "1");
    await assert.rejects(opened.workspace.at(messages[0].id), refused("not_found", /not known/), wrong);
    await opened.close();
  }
});

test("an import that continues a conversation takes the versions of its archive", async (t) => {
  const { agent, store, conversation, messages } = await drafts(t);
  const { id } = conversation;
  const earlier = memoryStore();
  await Conversation.importZip(await conversation.exportZip({ workspace: true }), { store: earlier });
  await conversation.sendMessage("More");
  await conversation.run();
  await conversation.workspace.write("draft.md", "third");
  const archive = await conversation.exportZip({ workspace: true });
  // Its own changes since then are replaced.
  const continued = await Conversation.open({ agent, store: earlier, conversationId: id });
  await continued.workspace.write("draft.md", "elsewhere");
  await continued.close();
  await Conversation.importZip(archive, { store: earlier });
  const opened = await Conversation.open({ agent, store: earlier, conversationId: id });
  t.after(() => opened.close());
  assert.deepEqual(await contents(opened.workspace), { ...both, "draft.md": "third" });
  assert.deepEqual(await contents(await opened.workspace.at(messages[1].id)), { "draft.md": "first" });
  await opened.navigateTo(messages[3].id);
  assert.deepEqual(await contents(opened.workspace), both);
  assert.ok((await store.files(id, "file_versions")).length > 0);
});

test("random changes and moves: the files of each event are those of then", async () => {
  for (let n = seed; n < seed + amount(8, 20); n++) assert.deepEqual(await randomVersions(library, memoryStore(), n, 14), []);
});
