// From messages to those of assistant-ui: each field, and that what has not changed is not converted again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../../support/bundled.mjs";
import { text, tool } from "../../browser/pages/fake-thread.mjs";

const { Converter } = await fromSource("ui/assistant-ui/convert.ts");
const { repositoryOf, shapeOf, versionOf } = await fromSource("ui/assistant-ui/branches.ts");
const { attachmentNamed, contentOfAppended, fileAttachments } = await fromSource("ui/assistant-ui/attachments.ts");

const idle = { isRunning: false, approvals: [] };
const running = { isRunning: true, approvals: [] };
const createdAt = new Date("2026-01-31T09:15:02Z");
const message = (id, role, parts, fields = {}) => ({
  id,
  role,
  parts,
  state: "done",
  eventIds: [`${id}-first`, `${id}-last`],
  createdAt,
  sender: null,
  skills: [],
  attachments: [],
  ...fields,
});
const call = (fields = {}) =>
  tool({ toolCallId: "call-1", toolName: "search", actionId: "action-1", args: { q: "x" }, argsText: '{"q": "x"}', ...fields });
const approval = (fields = {}) => ({
  actionId: "action-1",
  toolCallId: "call-1",
  toolName: "search",
  args: {},
  summary: null,
  risk: "LOW",
  why: "approval",
  canAlwaysAllow: true,
  action: {},
  ...fields,
});
/** The part that a call becomes. */
const converted = (part, now = idle) => new Converter().convert([message("a", "assistant", [part])], now)[0];

test("a message that has not changed is not converted again, while the last one streams", () => {
  const converter = new Converter();
  const question = message("q", "user", [text("Hi")]);
  const answer = message("a", "assistant", [call({ output: [{ type: "text", text: "found" }] }), text("Yes")]);
  const streaming = (words) => ({ ...message("b", "assistant", [text(words, "streaming")]), state: "streaming", createdAt: null });
  const second = message("r", "user", [text("And?")]);
  const before = converter.convert([question, answer, second, streaming("W")], running);
  const after = converter.convert([question, answer, second, streaming("We")], running);
  assert.deepEqual(
    after.map((each, at) => each === before[at]),
    [true, true, true, false],
  );
  assert.equal(after[3].createdAt, before[3].createdAt);
});

test("the same messages are the same list", () => {
  const converter = new Converter();
  const messages = [message("q", "user", [text("Hi")])];
  const upcoming = converter.convert(messages, running);
  assert.equal(converter.convert([...messages], running), upcoming);
  assert.deepEqual(
    upcoming.map(({ role, status }) => [role, status?.type]),
    [
      ["user", undefined],
      ["assistant", "running"],
    ],
  );
  assert.equal(converter.convert(messages, idle).length, 1);
});

test("a growing answer converts only the parts that grow", () => {
  const converter = new Converter();
  const done = call({ result: { kind: "MCPToolObservation" }, output: [{ type: "text", text: '{"found":[1]}' }] });
  const [before] = converter.convert([message("a", "assistant", [done, text("W", "streaming")])], running);
  const [after] = converter.convert([message("a", "assistant", [done, text("We", "streaming")])], running);
  assert.equal(after.content[0].result, before.content[0].result);
});

test("a result is text, or what a tool of the host has returned", () => {
  assert.deepEqual(converted(call({ value: { found: [1] } })).content[0].result, { found: [1] });
  assert.equal(converted(call({ value: '{"found":[1]}' })).content[0].result, '{"found":[1]}');
  const failed = converted(call({ state: "error", error: "no such page" })).content[0];
  assert.deepEqual([failed.result, failed.isError], ["no such page", true]);
  assert.equal(converted(call({ state: "running" }), running).content[0].result, undefined);
});

test("a call that waits asks, one that was rejected has its answer, and one that a crash cut off says so", () => {
  const waiting = converted(call({ state: "waiting" }), { isRunning: false, approvals: [approval()] });
  assert.deepEqual(waiting.status, { type: "requires-action", reason: "interrupt" });
  assert.deepEqual(
    waiting.content[0].approval.options.map(({ id }) => id),
    ["allow-once", "allow-always", "reject-once"],
  );
  const demanded = converted(call({ state: "waiting" }), { isRunning: false, approvals: [approval({ canAlwaysAllow: false })] });
  assert.deepEqual(
    demanded.content[0].approval.options.map(({ id }) => id),
    ["allow-once", "reject-once"],
  );
  assert.deepEqual(converted(call({ state: "rejected", error: "no" })).content[0].approval, {
    id: "action-1",
    approved: false,
    reason: "no",
  });
  assert.match(
    converted(call({ state: "interrupted" }), { isRunning: false, approvals: [approval({ why: "interrupted" })] }).content[0].approval
      .prompt,
    /may have taken effect/,
  );
  assert.deepEqual(converted(call({ state: "ready" })).status, { type: "incomplete", reason: "tool-calls" });
});

test("the call of a sub-agent is asked about at the call that has started it", () => {
  const foreign = approval({ actionId: "inner", toolName: "delete_all", args: { path: "/" } });
  const task = call({ toolName: "task", state: "ready" });
  const { approval: asked } = converted(task, { isRunning: false, approvals: [foreign] }).content[0];
  assert.equal(asked.id, "inner");
  assert.match(asked.prompt, /delete_all: \{"path":"\/"\}/);
});

test("the end of an answer is its status", () => {
  const status = (...parts) => new Converter().convert([message("a", "assistant", parts)], idle)[0].status;
  assert.deepEqual(status(text("Yes")), { type: "complete", reason: "stop" });
  assert.deepEqual(status(text("Y"), { type: "error", code: "llm_auth", text: "wrong key" }), {
    type: "incomplete",
    reason: "error",
    error: "wrong key",
  });
  const incomplete = { ...text("Y"), state: "incomplete" };
  assert.deepEqual(status(incomplete), { type: "incomplete", reason: "other" });
  assert.deepEqual(converted(incomplete).content[0].status, { type: "incomplete", reason: "other" });
  for (const [reason, named] of [
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["stopped", "cancelled"],
    ["incomplete", "other"],
  ]) {
    assert.deepEqual(status({ ...incomplete, reason }), { type: "incomplete", reason: named });
    assert.deepEqual(converted({ ...incomplete, reason }).content[0].status, { type: "incomplete", reason: named });
  }
  assert.deepEqual(status(text("Y"), { type: "notice", notice: "interrupt", text: "Stopped", event: {} }), {
    type: "incomplete",
    reason: "cancelled",
  });
});

test("the sources of a text are parts behind it", () => {
  const sources = [
    { url: "https://a.example", title: "A" },
    { url: "https://b.example", title: null },
  ];
  const [{ content }] = new Converter().convert([message("a", "assistant", [{ ...text("Yes"), sources }])], idle);
  const source = { type: "source", sourceType: "url" };
  assert.deepEqual(content.slice(1), [
    { ...source, id: "1 https://a.example", url: "https://a.example", title: "A" },
    { ...source, id: "2 https://b.example", url: "https://b.example" },
  ]);
});

test("nothing is fetched for an image from the network", () => {
  const url = "https://images.test/pixel.png";
  assert.equal(converted({ type: "image", url }).content[0].type, "source");
  assert.equal(converted({ type: "image", url: "data:image/png;base64,AA==" }).content[0].type, "image");
  const [sent] = new Converter().convert([message("q", "user", [{ type: "image", url }])], idle);
  assert.deepEqual([sent.content.length, sent.attachments[0].type], [0, "file"]);
});

test("what a message of the user contains comes back from the composer", () => {
  const file = '<attachment name="a &amp; b.txt">\nline\n</attachment>';
  const [sent] = new Converter().convert(
    [
      message("q", "user", [
        text("Look"),
        text(file),
        { type: "image", url: "data:image/png;base64,AA==" },
        { type: "image", url: "https://images.test/a.png" },
      ]),
    ],
    idle,
  );
  assert.equal(sent.attachments[0].name, "a & b.txt");
  assert.deepEqual(contentOfAppended(sent), [
    { type: "text", text: "Look" },
    { type: "text", text: file },
    { type: "image", image_urls: ["data:image/png;base64,AA=="] },
    { type: "image", image_urls: ["https://images.test/a.png"] },
  ]);
  assert.equal(attachmentNamed("x", "<attachment>"), null);
  assert.throws(() => contentOfAppended({ content: [{ type: "audio", audio: { data: "", format: "mp3" } }] }), { code: "invalid_options" });
});

test("versions are siblings in their order, and those of the message that comes next are the children of the last one", () => {
  const messages = [
    message("q", "user", [text("Q")], { versions: { index: 1, ids: ["other", "q"] } }),
    message("a", "assistant", [text("A")], { versions: { index: 0, ids: ["a", "a-2", "a-3"] } }),
    message("r", "user", [text("R")], { versions: null }),
  ];
  const tree = (now, continuations) =>
    repositoryOf(messages, new Converter().convert(messages, now), continuations).messages.map(
      ({ message, parentId }) => `${parentId}>${message.id}`,
    );
  const before = ["null>version other", "null>q", "q>a", "q>version a-2", "q>version a-3", "a>r"];
  assert.deepEqual(tree(idle, ["b"]), [...before, "r>version b"]);
  const [upcoming] = tree(running, ["b"]).slice(-1);
  assert.deepEqual(tree(running, ["b"]), [...before, "r>version b", upcoming], "the answer that is on its way is the newest");
  assert.match(upcoming, /^r>(?!version)/);
  assert.deepEqual([versionOf("version a-2"), versionOf("a")], ["a-2", null]);
  assert.equal(
    shapeOf(messages, []),
    shapeOf(
      messages.map((each) => ({ ...each, parts: [] })),
      [],
    ),
  );
  assert.notEqual(shapeOf(messages, []), shapeOf(messages, ["b"]));
});

test("any other file is sent as it is, shown from the workspace, and kept by an edited message", async () => {
  const file = new File(["%PDF-1.7"], "a b.pdf", { type: "application/pdf" });
  const adapter = fileAttachments();
  const sent = await adapter.send(await adapter.add({ file }));
  assert.deepEqual(contentOfAppended({ content: [], attachments: [sent] }), [{ type: "file", file }]);
  const stored = { path: "attachments/a b.pdf", name: "a b.pdf", mediaType: "application/pdf", size: 8 };
  const [shown] = new Converter().convert([message("q", "user", [text("Hi")], { attachments: [stored] })], idle);
  assert.deepEqual(
    shown.attachments.map(({ type, name, contentType }) => [type, name, contentType]),
    [["file", "a b.pdf", "application/pdf"]],
  );
  assert.deepEqual(contentOfAppended({ content: [], attachments: shown.attachments }), [
    { type: "file", path: "attachments/a b.pdf", mediaType: "application/pdf", name: "a b.pdf" },
  ]);
});
