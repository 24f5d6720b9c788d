// The beginning of an answer that a page has left when it died.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isIdle, remains, seen, stage, until } from "./stage.mjs";

test("what was shown of an answer when the page died is there after it: as a draft, or kept", async () => {
  for (const resume of [undefined, "keep", true]) {
    const { open, store, model } = stage([{ text: "This breaks off in the middle.", stallAfter: 4 }, { text: "Here." }]);
    const thread = open();
    const { conversationId } = thread.getSnapshot();
    await thread.send("Go");
    const isStored = async () => (await store.files(conversationId, "drafts")).length > 0;
    while (!(await isStored())) await new Promise((resolve) => setTimeout(resolve, 50));
    const [, shown] = seen(thread.getSnapshot());
    const after = open({ store: await remains(store), conversationId, resume });
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
