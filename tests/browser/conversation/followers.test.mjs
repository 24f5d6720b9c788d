// Followers in other tabs: they hear of everything that a tab stores, of its end even if it never said goodbye, and of changes
// of lists.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: followers hear of everything that another tab stores, and of its end`, async (context) => {
    const browser = await tabs(kind);
    const blank = async () => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(prepare);
      return page;
    };
    try {
      const [writer, follower] = [await blank(), await blank()];
      const id = await writer.evaluate(open, null);
      assert.equal(await writer.evaluate(() => conversation.access), "writer");
      await follower.evaluate(open, id);
      assert.equal(await follower.evaluate(() => conversation.access), "follower");

      await context.test("a tab that follows hears of events, states and calls", async () => {
        await writer.evaluate(say, "Go");
        await follower.evaluate(() => until(() => conversation.executionStatus === "waiting_for_confirmation"));
        const shown = () =>
          conversation
            .pendingActions()
            .then((actions) => ({ ids: actions.map(({ id }) => id), length: conversation.events.length, state: conversation.state }));
        const [here, there] = [await writer.evaluate(shown), await follower.evaluate(shown)];
        assert.deepEqual(there, here);
        assert.equal(here.ids.length, 1);
        // It tells of them a moment after it has the status: in between it reads the calls of the branch.
        const waitingIds = await follower.evaluate(() =>
          until(() => heard.findLast(({ kind, waiting_ids: ids }) => kind === "PendingActionsEvent" && ids.length > 0)?.waiting_ids),
        );
        assert.deepEqual(waitingIds, here.ids);
        await writer.evaluate(() => conversation.run().then(({ status }) => status));
        await follower.evaluate(() => until(() => conversation.executionStatus === "finished"));
        const events = () => conversation.events.slice();
        const stored = await writer.evaluate(events);
        assert.deepEqual(await follower.evaluate(events), stored);
        await follower.evaluate((count) => until(() => heard.filter((event) => "id" in event).length >= count), stored.length);
        assert.deepEqual(await follower.evaluate(() => heard.filter((event) => "id" in event)), stored);
      });

      await context.test("a list hears of changes in another tab", async () => {
        await follower.evaluate(async () => {
          globalThis.listed = [];
          globalThis.unsubscribe = Conversation.onListChange(({ id }) => void listed.push(id));
        });
        await writer.evaluate(() => conversation.setTags({ title: "A title" }));
        await follower.evaluate((id) => until(() => listed.includes(id) && conversation.state.tags.title === "A title"), id);
        const [other] = await writer.evaluate(async () => {
          const other = await Conversation.open({ agent });
          await other.setTags({ title: "Another" });
          await other.close();
          return [other.id];
        });
        await follower.evaluate((id) => until(() => listed.includes(id)), other);
        await follower.evaluate(() => void (listed.length = 0));
        // In a tab that uses the store for nothing else.
        const third = await blank();
        await third.evaluate((id) => Conversation.delete(id), other);
        await follower.evaluate((id) => until(() => listed.includes(id)), other);
        await follower.evaluate(() => unsubscribe());
        await third.close();
      });

      await context.test("a tab that goes away without a word is followed by one that writes", async () => {
        assert.deepEqual(await follower.evaluate(() => accesses()), []);
        await writer.close();
        await follower.evaluate(() => until(() => accesses().includes("writer")));
        assert.equal(await follower.evaluate(() => conversation.access), "writer", "the same handle");
        // A third tab follows the new writer.
        const third = await blank();
        await third.evaluate(open, id);
        assert.equal(await third.evaluate(() => conversation.access), "follower");
        await follower.evaluate(say, "Again");
        await third.evaluate(() => until(() => conversation.executionStatus === "waiting_for_confirmation"));
        assert.deepEqual(await third.evaluate(() => accesses()), []);
        await follower.evaluate(() => conversation.close());
        await third.evaluate(() => until(() => accesses().includes("writer")));
        // The lock of a tab that goes away is free only a moment later, and the next test begins with a writer.
        await third.evaluate(() => conversation.close());
        await third.close();
      });

      await context.test("a tab that follows a conversation that is deleted is told", async () => {
        const [first, second] = [await blank(), follower];
        await first.evaluate(open, id);
        await second.evaluate(open, id, "never");
        assert.deepEqual(
          [await first.evaluate(() => conversation.access), await second.evaluate(() => conversation.access)],
          ["writer", "follower"],
        );
        await first.evaluate(async (id) => {
          await conversation.close();
          await Conversation.delete(id);
        }, id);
        await second.evaluate(() => until(() => accesses().includes("deleted")));
        assert.equal(await second.evaluate(() => conversation.sendMessage("x").catch(({ code }) => code)), "store_lost");
        await second.evaluate(() => conversation.close());
      });
      await context.test("what is deleted on closing is gone before another tab can write it", async () => {
        const [first, second] = [await blank(), follower];
        const deleted = await first.evaluate(async () => {
          const slow = tool({
            name: "slow",
            description: "Ends when it may.",
            parameters: { type: "object", properties: {} },
            execute: () => "",
            close: () => new Promise((resolve) => (globalThis.letGo = resolve)),
          });
          const { llm } = agent;
          globalThis.conversation = await Conversation.open({ agent: new Agent({ llm, tools: [slow] }), deleteOnClose: true });
          await conversation.sendMessage("Once");
          await conversation.executeTool("slow", {});
          globalThis.closing = conversation.close();
          await until(() => globalThis.letGo);
          return conversation.id;
        });
        await second.evaluate(open, deleted);
        assert.deepEqual(await second.evaluate(() => [conversation.access, conversation.events.length]), ["writer", 0]);
        await first.evaluate(() => (letGo(), closing));
        await second.evaluate(() => conversation.close());
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** For a page: opens a conversation, and collects what its subscribers hear. */
async function prepare() {
  const { Agent, Conversation, LLM, tool } = await import("/threadkeep/index.js");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { until } = await import("/support/until.mjs");
  const note = tool({ name: "note", description: "Notes.", parameters: { type: "object", properties: {} }, execute: () => "noted" });
  const { fetch } = new ScriptedModel((_, index) =>
    index % 2 === 0 ? { text: "Noting.", calls: [{ name: "note", arguments: {} }] } : { text: "Done." },
  );
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", numRetries: 1, fetch }), tools: [note] });
  Object.assign(globalThis, {
    Agent,
    Conversation,
    tool,
    agent,
    heard: [],
    until,
    accesses: () => heard.filter(({ kind, key }) => kind === "ConversationStateUpdateEvent" && key === "access").map(({ value }) => value),
    async open(conversationId, takeOver) {
      const confirmationPolicy = { kind: "AlwaysConfirm" };
      globalThis.conversation = await Conversation.open({ agent, conversationId, confirmationPolicy, takeOver });
      heard.length = 0;
      conversation.subscribe((event) => void heard.push(event));
      return conversation.id;
    },
  });
}

async function open(id, takeOver) {
  return globalThis.open(id, takeOver);
}

async function say(text) {
  await conversation.sendMessage(text);
  await conversation.run();
}
