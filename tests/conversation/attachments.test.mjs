// Messages with files: where the files are, what the model is sent, and what is refused before anything is stored.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileEditor, memoryStore, memoryWorkspace } from "../../dist/index.js";
import { eventsOf, open, scripted } from "../support/chat.mjs";
import { fromSource } from "../support/bundled.mjs";
import { refused } from "../support/refused.mjs";

const { attachmentsIn } = await fromSource("ui/thread/attachments.ts");

const file = (content, name, type = "") => ({ type: "file", file: new File([content], name, { type }) });
const text = (text) => ({ type: "text", text });
const line = (fields) => `Attached file: ${JSON.stringify(fields)}`;
const bytesOf = async (conversation, path) => new TextDecoder().decode(await conversation.workspace.read(path));
const pathsIn = async (conversation) => (await conversation.workspace.list("attachments")).map(({ path }) => path).sort();
const userMessages = ({ requests }) => requests.at(-1).body.messages.filter(({ role }) => role === "user");

async function world(t, replies = [], options = {}) {
  const model = await scripted(t, replies);
  return { model, conversation: await open(t, { model, store: memoryStore(), ...options }) };
}

test("a text file is in the workspace, its text in the request, and the message keeps the user's words", async (t) => {
  const { model, conversation } = await world(t, [{ text: "I see." }]);
  const event = await conversation.sendMessage([text("Sum it up."), file("a,b\n1,2\n", "data.csv", "text/csv")]);
  assert.deepEqual(
    event.llm_message.content.map(({ text }) => text),
    ["Sum it up."],
  );
  const first = line({ path: "attachments/data.csv", name: "data.csv", media_type: "text/csv", size: 8 });
  assert.deepEqual(
    event.extended_content.map(({ text }) => text),
    [`${first}\nIts text:\na,b\n1,2\n`],
  );
  const shown = { path: "attachments/data.csv", name: "data.csv", mediaType: "text/csv", size: 8, note: null };
  assert.deepEqual(attachmentsIn(event.extended_content), [shown], "what Rust writes is what a view reads");
  assert.equal(await bytesOf(conversation, "attachments/data.csv"), "a,b\n1,2\n");
  await conversation.run();
  const [{ content }] = userMessages(model);
  assert.deepEqual(
    content.map(({ text }) => text),
    ["Sum it up.", `${first}\nIts text:\na,b\n1,2\n`],
  );
});

test("the content decides what is text, and a file that is none says that it was not read", async (t) => {
  const { conversation } = await world(t);
  const event = await conversation.sendMessage([
    file(new Uint8Array([0xff, 0xfe, 0, 1]), "notes.txt", "text/plain"),
    file("# Notes", "notes.bin"),
    file("%PDF-1.7 …", "report.pdf", "application/pdf"),
    file("a\0b", "zero.txt"),
    { ...file("%PDF-1.7 …", "read.pdf"), text: "What somebody has read in it." },
  ]);
  const texts = event.extended_content.map(({ text }) => text.split("\n").slice(1).join("\n"));
  const unread = "Its text was not read.";
  assert.deepEqual(texts, [unread, "Its text:\n# Notes", unread, unread, "Its text:\nWhat somebody has read in it."]);
  const types = event.extended_content.map(({ text }) => /"media_type":"([^"]*)"/.exec(text)[1]);
  assert.deepEqual(types, ["text/plain", "text/plain", "application/pdf", "application/octet-stream", "application/pdf"]);
});

test("a reader reads the files that it accepts, and its failure is a sentence", async (t) => {
  const seen = [];
  const reader = {
    accepts: ({ name, start }) => (seen.push([name, start.length]), name.endsWith(".doc")),
    read: async ({ name, bytes }, { signal }) => {
      assert.ok(signal instanceof AbortSignal);
      // What a reader does with its bytes does not change the file.
      const text = `${bytes.length} bytes`;
      bytes.fill(0);
      if (name === "broken.doc") throw new Error("it is broken");
      return text;
    },
  };
  const other = { accepts: () => true, read: async () => "never a text \ud800" };
  const { conversation } = await world(t, [], { attachments: { readers: [reader, other] } });
  const binary = new Uint8Array(2000).fill(255);
  const event = await conversation.sendMessage([
    file(binary, "a.doc"),
    file(binary, "broken.doc"),
    file("plain", "text.doc"),
    file(binary, "b"),
    { ...file(binary, "c.doc"), text: "given" },
  ]);
  assert.deepEqual(
    event.extended_content.map(({ text }) => text.split("\n").slice(1).join("\n")),
    [
      "Its text:\n2000 bytes",
      "Its text was not read: it is broken.",
      "Its text:\nplain",
      "Its text:\nnever a text \ufffd",
      "Its text:\ngiven",
    ],
  );
  assert.deepEqual(seen, [
    ["a.doc", 1024],
    ["broken.doc", 1024],
    ["b", 1024],
  ]);
  assert.deepEqual(await conversation.workspace.read("attachments/a.doc"), binary);
});

test("a reader that never answers is given up after a minute", async (t) => {
  const limit = t.mock.method(AbortSignal, "timeout", () => AbortSignal.abort(new DOMException("late", "TimeoutError")));
  const reader = { accepts: () => true, read: () => new Promise(() => {}) };
  const { conversation } = await world(t, [], { attachments: { readers: [reader] } });
  const event = await conversation.sendMessage([file(new Uint8Array([255]), "a")]);
  assert.match(event.extended_content[0].text, /\nIts text was not read: reading it took longer than 60 seconds\.$/);
  assert.ok(limit.mock.calls.some(({ arguments: [time] }) => time === 60_000));
});

test("readers that are none are refused", async (t) => {
  for (const attachments of [{ readers: 1 }, { readers: [{}] }]) {
    const { conversation } = await world(t, [], { attachments });
    await assert.rejects(conversation.sendMessage([file("x", "a")]), refused("invalid_options", /must be a list of readers/));
  }
});

test("an archive is never unpacked, whatever it says", async (t) => {
  // The beginning of a docx whose one entry claims to have four gigabytes.
  const docx = new Uint8Array(64);
  docx.set([0x50, 0x4b, 3, 4, 20, 0, 0, 0, 8, 0]);
  docx.fill(255, 18, 26);
  const { conversation } = await world(t);
  const event = await conversation.sendMessage([file(docx, "bomb.docx")]);
  assert.match(
    event.extended_content[0].text,
    /bomb\.docx.*"size":64\}\nIts text was not read: it is a zip archive, as \.docx and \.xlsx files are, and those are not unpacked\.$/,
  );
});

test("names are made free and safe, also for messages that are sent at the same time", async (t) => {
  const { conversation } = await world(t);
  await Promise.all(["one", "two", "three"].map((content) => conversation.sendMessage([file(content, "report.md")])));
  await conversation.sendMessage([
    file("1", "a/b\\c: d.txt"),
    file("2", ".."),
    file("3", `${"n".repeat(300)}.tar`),
    file("4", ".directory"),
  ]);
  assert.deepEqual(await pathsIn(conversation), [
    "attachments/c- d.txt",
    "attachments/file",
    "attachments/file-2",
    `attachments/${"n".repeat(60)}.tar`,
    "attachments/report-2.md",
    "attachments/report-3.md",
    "attachments/report.md",
  ]);
  const events = (await eventsOf(conversation)).filter(({ kind }) => kind === "MessageEvent");
  for (const { extended_content } of events.slice(0, 3)) {
    const [first, , content] = extended_content[0].text.split("\n");
    assert.equal(await bytesOf(conversation, JSON.parse(first.slice(15)).path), content);
  }
});

test("files of a workspace of the host are there before the message, and gone if it is refused", async (t) => {
  const workspace = memoryWorkspace({ "attachments/a.txt": "old" });
  const store = memoryStore();
  const { model, conversation } = await world(t, [], { workspace, store });
  await conversation.sendMessage([file("new", "a.txt")]);
  assert.equal(await bytesOf(conversation, "attachments/a-2.txt"), "new");
  const follower = await open(t, { model, workspace, store, conversationId: conversation.id });
  await assert.rejects(follower.sendMessage([file("late", "")]), refused("invalid_options", /./));
  assert.deepEqual(await pathsIn(conversation), ["attachments/a-2.txt", "attachments/a.txt"]);
  await follower.sendMessage([file("from elsewhere", "a.txt")]);
  assert.equal(await bytesOf(conversation, "attachments/a-3.txt"), "from elsewhere");
});

test("what cannot be sent is refused with a sentence, and stores nothing", async (t) => {
  const { conversation } = await world(t);
  const large = { type: "file", file: new File([new Uint8Array(100 << 20)], "large.bin") };
  const gone = Object.assign(new File(["x"], "gone.txt"), { arrayBuffer: async () => Promise.reject(new Error("it is gone")) });
  const cases = [
    [[large], "too_large", /the file "large\.bin" has 104857600 bytes, more than the 33554432/],
    [Array(10).fill({ type: "file", file: new File([new Uint8Array(30 << 20)], "a.bin") }), "too_large", /268435456 bytes in total/],
    [[{ type: "file", file: new Blob(["x"]) }], "invalid_options", /needs a name/],
    [[{ type: "file", file: "x", name: "a" }], "invalid_options", /a File or Blob as file, or the path/],
    [[{ type: "file", file: new Blob(["x"]), name: 7 }], "invalid_options", /name of a file must be a text/],
    [[{ ...file("x", "a"), mediatype: "text/csv" }], "invalid_options", /no option "mediatype"/],
    [[{ type: "file", path: "missing.txt" }], "not_found", /no file or directory "missing\.txt"/],
    [[{ type: "file", path: "../secret" }], "invalid_options", /outside of the workspace/],
    [[{ type: "file", file: gone }], "invalid_options", /"gone\.txt" cannot be read: it is gone/],
    [[file("x", "a"), { type: "video" }], "invalid_options", /./],
  ];
  for (const [message, code, words] of cases) await assert.rejects(conversation.sendMessage(message), refused(code, words));
  assert.equal(conversation.events.length, 0);
  assert.deepEqual(await conversation.workspace.list(""), []);
});

test("an edited message keeps a file by its path", async (t) => {
  const { model, conversation } = await world(t, [{ text: "One." }, { text: "Two." }], { tools: [fileEditor()] });
  const first = await conversation.sendMessage([text("Look"), file("content", "a.txt")]);
  await conversation.run();
  await conversation.editMessage(first.id, [text("Look again"), { type: "file", path: "attachments/a.txt", name: "My a.txt" }]);
  await conversation.run();
  assert.match(JSON.stringify(userMessages(model)), /Look again.*My a\.txt.*Its text:\\\\?n?.*content/);
  assert.deepEqual(await pathsIn(conversation), ["attachments/a.txt"]);
  assert.equal(await bytesOf(conversation, "attachments/a.txt"), "content");
  // Before the first message there was no such file.
  await conversation.editMessage(first.id, "Nothing to look at");
  assert.deepEqual(await conversation.workspace.list(""), []);
});
