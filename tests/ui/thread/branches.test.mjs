// The branches of a thread: edited messages, other answers, and the versions between which a reader chooses.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { seen, stage, until } from "./stage.mjs";

test("branches: an edited message, another answer, and back", async () => {
  const { open, model } = stage(["A", "B", "C", "D"].map((text) => ({ text })));
  const thread = open();
  for (const text of ["One", "Two"]) {
    await thread.send(text);
    await until(thread, ({ status, isRunning }) => status === "finished" && !isRunning);
  }
  const before = thread.getSnapshot();
  await thread.regenerate();
  const regenerated = thread.getSnapshot();
  assert.deepEqual(seen(regenerated), ["user: One", "assistant: A", "user: Two", "assistant: C"]);
  assert.deepEqual(
    regenerated.messages.map((message, at) => message === before.messages[at]),
    [true, true, true, false],
  );
  await thread.editMessage(before.messages[2].id, "Three");
  const edited = await until(thread, ({ status, isRunning }) => status === "finished" && !isRunning);
  assert.deepEqual(seen(edited), ["user: One", "assistant: A", "user: Three", "assistant: D"]);
  const branches = await thread.branches();
  assert.equal(branches.length, 2);
  await thread.navigateTo(before.messages[3].eventIds.at(-1));
  assert.deepEqual(seen(thread.getSnapshot()), ["user: One", "assistant: A", "user: Two", "assistant: B"]);
  assert.deepEqual(
    thread
      .getSnapshot()
      .messages.slice(0, 2)
      .map((message, at) => message === before.messages[at]),
    [true, true],
  );
  model.check();
  await thread.close();
});

const pickers = ({ messages }) =>
  messages.flatMap(({ parts, versions }) => (versions ? [`${parts.at(-1).text} ${versions.index + 1}/${versions.ids.length}`] : []));

test("versions: messages say which of them is shown while a branch comes into being, after switching and after a reload", async () => {
  const { open, model } = stage([{ text: "A" }, { text: "B" }, { text: "C", pace: () => delay(30) }, { text: "D" }]);
  const thread = open();
  for (const text of ["One", "Two"]) {
    await thread.send(text);
    await until(thread, ({ status, isRunning }) => status === "finished" && !isRunning);
  }
  assert.deepEqual(pickers(thread.getSnapshot()), []);
  const streamed = [];
  const stop = thread.subscribe(() => {
    const { messages, continuations } = thread.getSnapshot();
    const last = messages.at(-1);
    streamed.push(
      last.role === "user"
        ? `user +${continuations.length}`
        : `${last.state} ${last.versions ? `${last.versions.index + 1}/${last.versions.ids.length}` : ""}`,
    );
  });
  await thread.regenerate();
  stop();
  assert.ok(streamed.includes("streaming 2/2"), streamed.join(", "));
  assert.ok(!streamed.includes("streaming ") && !streamed.slice(streamed.indexOf("streaming 2/2")).includes("done "), streamed.join(", "));
  assert.deepEqual(pickers(thread.getSnapshot()), ["C 2/2"]);
  await thread.editMessage(thread.getSnapshot().messages[2].id, "Three");
  const edited = await until(thread, ({ status, isRunning }) => status === "finished" && !isRunning);
  assert.deepEqual(pickers(edited), ["Three 2/2"]);
  await thread.showVersion(edited.messages[2].versions.ids[0]);
  assert.deepEqual(pickers(thread.getSnapshot()), ["Two 1/2", "C 2/2"]);
  const shown = thread.getSnapshot();
  await thread.showVersion(shown.messages[3].versions.ids[1]);
  assert.equal(thread.getSnapshot().messages, shown.messages, "it is shown already");
  await thread.showVersion(shown.messages[3].versions.ids[0]);
  assert.deepEqual(pickers(thread.getSnapshot()), ["Two 1/2", "B 1/2"]);
  await assert.rejects(thread.showVersion("1234"), { code: "not_found" });
  await assert.rejects(thread.showVersion(1), { code: "invalid_options" });
  const { conversationId } = thread.getSnapshot();
  await thread.close();

  // A page that ends before the versioned messages begin with one that it does not show.
  for (const pageSize of [1, 2, 100]) {
    const again = open({ conversationId, pageSize });
    await again.opened();
    await until(again, (snapshot) => pickers(snapshot).includes("B 1/2"));
    assert.deepEqual(pickers(again.getSnapshot()), pageSize === 1 ? ["B 1/2"] : ["Two 1/2", "B 1/2"], `pages of ${pageSize}`);
    await again.loadEarlier({ all: true });
    assert.deepEqual(pickers(again.getSnapshot()), ["Two 1/2", "B 1/2"]);
    await again.close();
  }
  model.check();
});

test("versions: an answer that fails or is stopped leads back to the one before it", async () => {
  const { open, model } = stage([{ text: "A" }, { status: 401, body: { error: { message: "wrong key" } } }, { text: "C" }]);
  const thread = open();
  await thread.send("One");
  await until(thread, ({ status }) => status === "finished");
  await assert.rejects(thread.regenerate(), { code: "llm_auth" });
  const failed = thread.getSnapshot();
  assert.deepEqual([seen(failed), failed.messages[1].versions?.index, failed.continuations], [["user: One", "assistant: [error]"], 1, []]);
  await thread.resume();
  assert.deepEqual([seen(thread.getSnapshot()), pickers(thread.getSnapshot())], [["user: One", "assistant: [error] | C"], ["C 2/2"]]);
  await thread.navigateTo(thread.getSnapshot().messages[0].id);
  const { continuations, error } = thread.getSnapshot();
  assert.equal(continuations.length, 2);
  await thread.showVersion(continuations[0]);
  assert.deepEqual([pickers(thread.getSnapshot()), thread.getSnapshot().continuations, error], [["A 1/2"], [], null]);
  model.check();
  await thread.close();
});

test("versions: a thread of a conversation without branches does not ask for them", async () => {
  const { open, model } = stage([{ text: "A" }, { text: "B" }]);
  const thread = open();
  const asked = [];
  const conversation = await thread.opened();
  const prototype = Object.getPrototypeOf(conversation);
  const { versions } = prototype;
  prototype.versions = function (...args) {
    asked.push(args);
    return versions.apply(this, args);
  };
  try {
    for (const text of ["One", "Two"]) {
      await thread.send(text);
      await until(thread, ({ status, isRunning }) => status === "finished" && !isRunning);
    }
    const { conversationId } = thread.getSnapshot();
    await thread.close();
    const again = open({ conversationId, pageSize: 2 });
    await again.opened();
    await again.loadEarlier();
    assert.equal(again.getSnapshot().messages.length, 4);
    assert.deepEqual(asked, []);
    await again.close();
  } finally {
    prototype.versions = versions;
  }
  model.check();
});
