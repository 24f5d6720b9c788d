// The files of a conversation through the API: stored with it, exported when asked for, imported and copied.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, memoryWorkspace } from "../../dist/index.js";
import { unzip, zip } from "../support/zip-bytes.mjs";
import { createModel } from "../support/model.mjs";
import { refused, text, tree } from "./checks.mjs";

const answering = createModel(() => ({ text: "Hello." }));
const agent = new Agent({ llm: new LLM({ model: "openai/m", fetch: answering.fetch }) });

async function open(options = {}) {
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store, ...options });
  await conversation.sendMessage("Hello");
  return { store, conversation };
}

const names = (entries) => entries.map(({ name }) => name.slice(33));
const bytesOf = async (blob) => new Uint8Array(await blob.arrayBuffer());
const files = { "notes/plan.md": "eins", "b.bin": Uint8Array.of(0, 255), "meta.json": '{"api_key":"kept"}' };

async function filled(workspace) {
  for (const [path, content] of Object.entries(files)) await workspace.write(path, content);
  await workspace.makeDirectory("empty/inner");
}

test("the files are there when the conversation is opened again, and are deleted with it", async () => {
  const { store, conversation } = await open();
  assert.equal(conversation.workspace.workingDir, "/workspace");
  await filled(conversation.workspace);
  const expected = ["b.bin 2", "empty/", "empty/inner/", "meta.json 18", "notes/", "notes/plan.md 4"];
  assert.deepEqual(await tree(conversation.workspace), expected);
  const { id } = conversation;
  await conversation.close();
  const again = await Conversation.open({ agent, store, conversationId: id });
  assert.deepEqual(await tree(again.workspace), expected);
  assert.equal(text(await again.workspace.read("/workspace/notes/plan.md")), "eins");
  const follower = await Conversation.open({ agent, store, conversationId: id });
  assert.equal(follower.access, "follower");
  assert.deepEqual(await tree(follower.workspace), expected);
  await assert.rejects(follower.workspace.write("a", "1"), refused("unsupported", /takeOver\(\)/));
  await follower.close();
  await again.close();
  await assert.rejects(again.workspace.write("a", "1"), refused("invalid_state", /./));
  await Conversation.delete(id, { store });
  assert.deepEqual(await store.files(id), []);
});

test("a workspace of the host is used in place of the conversation's files, and closed with it", async () => {
  const given = memoryWorkspace({ a: "1" });
  let closed = 0;
  const { store, conversation } = await open({ workspace: { ...given, close: async () => void closed++ } });
  await conversation.workspace.write("/workspace/b", "22");
  assert.deepEqual(await tree(given), ["a 1", "b 2"]);
  assert.deepEqual(await store.files(conversation.id), []);
  await conversation.close();
  assert.equal(closed, 1);
  for (const workspace of [null, {}, { ...given, read: undefined }, { ...given, workingDir: "here" }])
    await assert.rejects(open({ workspace }), refused("invalid_options", /orkspace/));
});

test("an export leaves the files out unless it is asked for them, and an import takes them", async () => {
  const { conversation } = await open();
  await filled(conversation.workspace);
  const without = await unzip(await bytesOf(await conversation.exportZip()));
  assert.ok(!names(without).some((name) => name.startsWith("workspace")));
  const archive = await conversation.exportZip({ workspace: true });
  const entries = await unzip(await bytesOf(archive));
  const stored = names(entries)
    .filter((name) => name.startsWith("workspace") && !name.endsWith("/"))
    .sort();
  assert.deepEqual(stored, ["workspace/b.bin", "workspace/empty/inner/.directory", "workspace/meta.json", "workspace/notes/plan.md"]);
  const streamed = new Response(conversation.exportZipStream({ workspace: true }));
  assert.deepEqual(names(await unzip(await bytesOf(streamed))), names(entries));

  const other = memoryStore();
  await Conversation.importZip(archive, { store: other });
  const imported = await Conversation.open({ agent, store: other, conversationId: conversation.id });
  assert.deepEqual(await tree(imported.workspace), await tree(conversation.workspace));
  for (const [path, content] of Object.entries(files))
    assert.deepEqual(await imported.workspace.read(path), typeof content === "string" ? new TextEncoder().encode(content) : content);
  const copy = await imported.fork({ title: "Copy" });
  assert.deepEqual(await tree(copy.workspace), await tree(conversation.workspace));
  await copy.workspace.remove("notes");
  assert.equal((await imported.workspace.stat("notes/plan.md")).size, 4);
});

test("an export contains the files of a workspace of the host", async () => {
  const given = memoryWorkspace({ a: "1", "d/b": "2" });
  const { conversation } = await open({
    workspace: {
      ...given,
      async list(path) {
        // A file that is removed while the export runs.
        return [...(await given.list(path)), ...(path === "" ? [{ path: "gone", type: "file", size: 1, modifiedAt: 0 }] : [])];
      },
    },
  });
  const steps = [];
  const entries = await unzip(
    await bytesOf(await conversation.exportZip({ workspace: true, onProgress: ({ done, total }) => steps.push([done, total]) })),
  );
  assert.deepEqual(
    names(entries)
      .filter((name) => name.startsWith("workspace"))
      .sort(),
    ["workspace/", "workspace/a", "workspace/d/", "workspace/d/b"],
  );
  assert.equal(steps.at(-1)[0], steps.at(-1)[1]);
  await assert.rejects(conversation.exportZip({ workspace: "yes" }), refused("invalid_options", /workspace must be true or false/));
});

test("files over a gigabyte are not exported", async () => {
  const given = memoryWorkspace();
  const list = async () => Array.from({ length: 1025 }, (_, i) => ({ path: `f${i}`, type: "file", size: 1 << 20, modifiedAt: 0 }));
  const { conversation } = await open({ workspace: { ...given, list } });
  await assert.rejects(conversation.exportZip({ workspace: true }), refused("too_large", /more than 1073741824 bytes/));
  await conversation.exportZip();
});

test("an import takes no file that leads out of the workspace, and leaves names that no tool can use where they are", async () => {
  const { conversation } = await open();
  const entries = await unzip(await bytesOf(await conversation.exportZip()));
  const folder = entries[0].name.slice(0, 32);
  const importing = async (...added) => {
    const store = memoryStore();
    const kept = entries.filter(({ name }) => !name.endsWith("/")).map(({ name, content }) => ({ name, content }));
    await Conversation.importZip(
      new Blob([zip([...kept, ...added.map((path) => ({ name: `${folder}/workspace/${path}`, content: "x" }))])]),
      { store },
    );
    return Conversation.open({ agent, store, conversationId: conversation.id });
  };
  for (const path of ["../x", "a/../../x", "a\\b", "c:d", "a\0b", "/x"])
    await assert.rejects(importing(path), refused("archive_invalid", /workspace/), path);
  await assert.rejects(importing("a", "a/b"), refused("archive_invalid", /./));
  const imported = await importing(
    "a",
    ".directory",
    `${"x".repeat(300)}`,
    "d/.DIRECTORY",
    "nested/base_state.json",
    "events/event-00000-0f8fad5b.json",
  );
  assert.deepEqual(await tree(imported.workspace), [
    "a 1",
    "events/",
    "events/event-00000-0f8fad5b.json 1",
    "nested/",
    "nested/base_state.json 1",
  ]);
  assert.equal((await imported.events.slice()).length, (await conversation.events.slice()).length);
});
