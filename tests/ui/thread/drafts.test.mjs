// The beginning of an answer that a page has left when it died.
import assert from "node:assert/strict";
import { test } from "node:test";
import { remains } from "../../support/remains.mjs";
import { until as untilIt } from "../../support/until.mjs";
import { isIdle, seen, stage, until } from "./stage.mjs";

/** A thread whose page dies while an answer streams: what it has shown, and a function that opens the conversation after that. */
async function diesStreaming() {
  const { open, store, model } = stage([{ text: "This breaks off in the middle.", stallAfter: 4 }, { text: "Here." }]);
  const thread = open();
  const { conversationId } = thread.getSnapshot();
  await thread.send("Go");
  await untilIt(async () => (await store.files(conversationId, "drafts")).length > 0, "its draft is stored");
  const [, shown] = seen(thread.getSnapshot());
  const left = await remains(store);
  return { thread, shown, model, reopen: (options) => open({ store: left, conversationId, ...options }) };
}

test("what was shown of an answer when the page died is there after it: as a draft, or kept", async () => {
  for (const resume of [undefined, "keep", true]) {
    const { thread, shown, reopen, model } = await diesStreaming();
    const after = reopen({ resume });
    const conversation = await after.opened();
    if (resume === true) {
      await until(after, ({ status }) => status === "finished");
      assert.deepEqual(seen(await until(after, isIdle)), ["user: Go", "assistant: Here."]);
    } else {
      const { messages, isRunning } = after.getSnapshot();
      assert.deepEqual([seen({ messages })[1], messages[1].parts[0].state, isRunning], [shown, "incomplete", false]);
      assert.deepEqual([messages[1].eventIds.length, conversation.draft === null], resume ? [1, true] : [0, false]);
      assert.match(conversation.warnings[0].message, resume ? /kept/ : /draft/);
      await after.resume();
      assert.equal(seen(after.getSnapshot())[1], resume ? `${shown} | Here.` : "assistant: Here.");
    }
    assert.equal(JSON.stringify(model.requests[1].body.messages).includes("This"), resume === "keep");
    assert.equal(conversation.draft, null);
    await Promise.all([thread.close(), after.close()]);
  }
});

for (const [verb, end] of [
  ["send", (shown) => ["user: Go", shown, "user: Else", "assistant: Here."]],
  ["edit", () => ["user: Else", "assistant: Here."]],
  ["regenerate", () => ["user: Go", "assistant: Here."]],
]) {
  test(`${verb}: a draft is never shown twice, and gone only where the user has left it or asked again`, async () => {
    const { thread, shown, reopen } = await diesStreaming();
    const after = reopen();
    await after.opened();
    const [message] = after.getSnapshot().messages;
    const shownTimes = new Set();
    const stop = after.subscribe(() => shownTimes.add(seen(after.getSnapshot()).filter((text) => text === shown).length));
    if (verb === "send") await after.send("Else");
    else if (verb === "edit") await after.editMessage(message.id, "Else");
    else await after.regenerate();
    assert.deepEqual(seen(await until(after, ({ status, isRunning }) => status === "finished" && !isRunning)), end(shown));
    stop();
    assert.ok(!shownTimes.has(2) && (verb !== "send" || !shownTimes.has(0)), [...shownTimes].join());
    if (verb === "edit") {
      const { messages } = await until(after, ({ messages }) => messages[0].versions?.ids.length === 2);
      await after.showVersion(messages[0].versions.ids[0]);
      assert.deepEqual(seen(await until(after, (snapshot) => seen(snapshot)[0] === "user: Go")), ["user: Go", shown]);
      assert.equal(after.getSnapshot().messages[1].parts[0].state, "incomplete");
    }
    await Promise.all([thread.close(), after.close()]);
  });
}
