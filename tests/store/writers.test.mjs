// Two handles that both write one conversation, because nothing tells their stores apart from stores with other conversations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { storeWith } from "../support/store-with.mjs";

const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch: () => new Promise(() => {}) }) });

/** A store of a host over another one, without its name. */
const storeOver = (inner, changes) => storeWith(inner, { close() {}, ...changes });

/** The same for a store that keeps no number of the writer; `inner` may compare that of commits all the same. */
function withoutNumbers(inner, isPassedOn) {
  const without = ({ writer, ...listing }) => listing;
  return storeOver(inner, {
    load: async (id) => {
      const listing = await inner.load(id);
      return listing && without(listing);
    },
    list: async () => (await inner.list()).map(without),
    commit: (id, commit) => inner.commit(id, isPassedOn ? commit : without(commit)),
  });
}

const refusal = { code: "locked_elsewhere", message: /changed elsewhere.*open it again/ };

test("a handle whose place another one has taken stores nothing, whatever it is", async () => {
  const store = memoryStore();
  const conversationId = crypto.randomUUID();
  const open = () => Conversation.open({ agent, store: storeOver(store), conversationId });
  const old = await open();
  await old.sendMessage("One");
  const outdated = await open();
  await old.setTags({ a: "old" });
  await assert.rejects(outdated.setTags({ a: "outdated" }), refusal, "it does not know the tag");
  const other = await open();
  assert.deepEqual([old.access, other.access], ["writer", "writer"]);
  await other.setTags({ a: "new" });
  const known = await store.load(conversationId);
  await assert.rejects(old.setTags({ a: "late" }), refusal);
  // It knows by now that it is replaced; the other one it cannot reach, as nothing says that their stores are the same.
  await assert.rejects(old.workspace.write("late", "late"), { code: "unsupported" });
  await assert.rejects(old.sendMessage("Late"), { code: "locked_elsewhere" });
  assert.deepEqual(await store.load(conversationId), known);
  assert.deepEqual(await other.workspace.list(""), []);
  await other.sendMessage("Two");
  for (const handle of [other, outdated, old]) await handle.close();
  const again = await open();
  assert.deepEqual([again.state.tags, again.events.length], [{ a: "new" }, 3]);
  await again.close();
});

for (const isPassedOn of [true, false]) {
  test(`a store that keeps no numbers is written all the same, ${isPassedOn ? "also over one that does" : "by length"}`, async () => {
    const store = memoryStore();
    const conversationId = crypto.randomUUID();
    const open = () => Conversation.open({ agent, store: withoutNumbers(store, isPassedOn), conversationId });
    for (let n = 0; n < 3; n++) {
      const conversation = await open();
      await conversation.setTags({ a: `${n}` });
      await conversation.sendMessage(`${n}`);
      await conversation.setTags({ b: `${n}` });
      await conversation.close();
    }
    const [old, other] = [await open(), await open()];
    assert.equal(old.events.length, 4);
    await other.sendMessage("New");
    await assert.rejects(old.sendMessage("Late"), refusal);
    await assert.rejects(old.setTags({ a: "late" }), { code: "locked_elsewhere" });
    await old.close();
    await other.close();
  });
}

test("a copy and an import have a writer of their own, and no archive has a number", async () => {
  const [store, other] = [memoryStore(), memoryStore()];
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("One");
  assert.equal((await store.load(conversation.id)).writer, 1);
  const copy = await conversation.fork();
  assert.equal((await store.load(copy.id)).writer, 0);
  await copy.sendMessage("Two");
  assert.equal((await store.load(copy.id)).writer, 1);
  const archive = await conversation.exportZip();
  await Conversation.importZip(archive, { store: other });
  assert.equal((await other.load(conversation.id)).writer, 0);
  await Promise.all([conversation.close(), copy.close()]);
  const again = await Conversation.open({ agent, store, conversationId: conversation.id });
  await again.setTags({ a: "b" });
  assert.equal((await store.load(again.id)).writer, 2);
  // The continuation of a stored conversation leaves its number.
  const continued = await Conversation.open({ agent, store: other, conversationId: again.id });
  await continued.sendMessage("Three");
  await Promise.all([again.close(), continued.close()]);
  const [{ outcome }] = await Conversation.importZip(await continued.exportZip(), { store });
  assert.deepEqual([outcome, (await store.load(again.id)).writer], ["continued", 2]);
});
