// Changes of conversations that other tabs write: pinned from a list without opening them, whatever the other tab is doing, and also
// if one of the two tabs dies in the middle.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, plainHost } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: conversations that another tab writes are organized from a list, also if one of the tabs dies`, async (context) => {
    const browser = await tabs(kind);
    const tab = async (origin = server.origin) => {
      const page = await browser.page(`${origin}/pages/blank.html`);
      await page.evaluate(prepare);
      return page;
    };
    /** A tab that writes a new conversation with a message, and its id. */
    const writing = async (origin) => {
      const writer = await tab(origin);
      return { writer, id: await writer.evaluate(open) };
    };
    try {
      const list = await tab();

      await context.test("a conversation that another tab writes is pinned from a list, and the lists of both hear of it", async () => {
        const { writer, id } = await writing();
        for (const page of [list, writer]) await page.evaluate(() => void (heard.length = 0));
        const before = await list.evaluate(logOf, id);
        await list.evaluate((id) => updateConversations(id, { pinned: true, tags: { folder: "work" } }), id);
        const { pinnedAt, tags } = await list.evaluate(infoOf, id);
        assert.deepEqual([tags.folder, tags.pinned], ["work", pinnedAt], "it is stored");
        assert.deepEqual(await writer.evaluate(() => [conversation.access, conversation.state.tags]), ["writer", tags]);
        assert.deepEqual(await writer.evaluate(() => live.filter(({ key }) => key === "tags").map(({ value }) => value)), [tags]);
        for (const page of [list, writer]) await page.evaluate((id) => until(() => heard.includes(id)), id);
        assert.deepEqual(await list.evaluate(logOf, id), before);
        await writer.evaluate(() => conversation.sendMessage("And on"));
        assert.deepEqual((await list.evaluate(infoOf, id)).tags, tags, "what it stores next has the tags");
        await writer.close();
      });

      await context.test("a tab whose agent works does it at once", async () => {
        const { writer, id } = await writing();
        await writer.evaluate(() => void (globalThis.run = conversation.run()));
        await writer.evaluate(() => until(() => live.some(({ kind }) => kind === "StreamingDeltaEvent")));
        await list.evaluate((id) => updateConversations(id, { archived: true }), id);
        assert.equal(await writer.evaluate(() => conversation.executionStatus), "running");
        assert.ok((await list.evaluate(infoOf, id)).archivedAt);
        const ended = await writer.evaluate(async () => {
          answer();
          return (await run).finalResponse;
        });
        assert.equal(ended, "Once upon a time");
        assert.ok((await list.evaluate(infoOf, id)).archivedAt);
        await writer.close();
      });

      for (const [moment, hook] of Object.entries({ "before it does it": diesBefore, "after it has stored it": diesAfter })) {
        await context.test(`a tab that dies ${moment} leaves it to the one that has asked`, async () => {
          const { writer, id } = await writing();
          const before = await list.evaluate(logOf, id);
          await writer.evaluate(hook);
          await list.evaluate((id) => void (globalThis.changing = updateConversations(id, { pinned: true })), id);
          await writer.evaluate(() => reached);
          await writer.close();
          await list.evaluate(() => changing);
          assert.ok((await list.evaluate(infoOf, id)).pinnedAt);
          assert.deepEqual(await list.evaluate(logOf, id), before);
          const next = await tab();
          await next.evaluate(open, id);
          assert.deepEqual(await next.evaluate(() => [conversation.access, Object.keys(conversation.state.tags)]), ["writer", ["pinned"]]);
          await next.close();
        });
      }

      await context.test("a tab that dies in the middle of many leaves each of them whole, and another one does the rest", async () => {
        const dying = await tab();
        const { writer, id } = await writing();
        const ids = [...(await list.evaluate(manyClosed, 60)), id];
        await dying.evaluate((ids) => {
          heard.length = 0;
          const changing = updateConversations(ids, { pinned: true, tags: { folder: "many" } });
          changing.catch(() => {});
          // At once, so that it dies in the middle.
          return until(() => heard.length > 10, "ten are changed", { of: { subscribe: (tell) => Conversation.onListChange(tell) } });
        }, ids);
        await dying.close();
        const infos = await list.evaluate(() => Conversation.list());
        const changed = infos.filter(({ tags }) => tags.folder === "many");
        assert.ok(changed.length > 10, `${changed.length}`);
        for (const { pinnedAt, tags, title } of infos.filter((info) => ids.includes(info.id) && info.id !== id))
          assert.deepEqual([pinnedAt !== null, title], [tags.folder === "many", "Many"]);
        await list.evaluate((ids) => updateConversations(ids, { pinned: true, tags: { folder: "many" } }), ids);
        const all = await list.evaluate(() => Conversation.list());
        assert.deepEqual(
          all
            .filter(({ tags }) => tags.folder === "many")
            .map((info) => info.id)
            .sort(),
          [...ids].sort(),
        );
        await writer.close();
      });

      await context.test("a conversation that a tab opens while another one changes it can be written there", async () => {
        const other = await tab();
        const [id, ...more] = await list.evaluate(manyClosed, 5);
        await list.evaluate(
          (ids) => {
            globalThis.isOver = false;
            globalThis.changing = (async () => {
              for (let round = 0; !isOver; round++) await updateConversations(ids, { tags: { round: `${round}` } });
            })();
          },
          [id, ...more],
        );
        for (let round = 0; round < 5; round++) {
          await other.evaluate(open, id);
          await other.evaluate(() => until(() => conversation.access === "writer"));
          await other.evaluate(() => conversation.sendMessage("Hello").then(() => conversation.close()));
        }
        await list.evaluate(() => {
          globalThis.isOver = true;
          return changing;
        });
        const { eventCount, tags } = await list.evaluate(infoOf, id);
        assert.deepEqual([eventCount, Object.keys(tags)], [7, ["title", "round"]]);
        await other.close();
      });

      await context.test("a tab that does not answer is named after some seconds, and nothing is changed", async () => {
        const { writer, id } = await writing();
        await writer.evaluate(isSilent);
        const [other] = await list.evaluate(manyClosed, 1);
        const failure = await list.evaluate(
          (ids) => updateConversations(ids, { pinned: true }).catch(({ code, message }) => ({ code, message })),
          [id, other],
        );
        assert.equal(failure.code, "locked_elsewhere");
        assert.match(failure.message, new RegExp(`${id} is open in a tab that does not answer`));
        assert.deepEqual(
          [(await list.evaluate(infoOf, id)).pinnedAt, (await list.evaluate(infoOf, other)).pinnedAt !== null],
          [null, true],
        );
        await writer.close();
      });

      await context.test("the trash is emptied, but for what another tab has open", async () => {
        const { writer, id } = await writing();
        const [closed] = await list.evaluate(manyClosed, 1);
        await list.evaluate((ids) => updateConversations(ids, { trashed: true }), [id, closed]);
        await writer.evaluate((closed) => until(() => heard.includes(closed)), closed);
        const left = () => Conversation.list({ trashed: true }).then((infos) => infos.map(({ id }) => id));
        assert.deepEqual((await writer.evaluate(left)).sort(), [id, closed].sort());
        assert.deepEqual(await list.evaluate(() => emptyTrash()), [], "it is too early");
        assert.deepEqual(await list.evaluate(() => emptyTrash({ olderThan: 0 })), [closed]);
        assert.deepEqual(await writer.evaluate(left), [id]);
        await writer.close();
      });

      await context.test("two handles of a page without Web Locks hear each other", async () => {
        const page = await tab(`http://${plainHost}:${new URL(server.origin).port}`);
        const said = await page.evaluate(async () => {
          const [named, unnamed] = [undefined, memoryStore()];
          const texts = [];
          for (const store of [named, unnamed]) {
            const writer = await Conversation.open({ agent, store });
            await writer.sendMessage("One");
            const follower = await Conversation.open({ agent, store, conversationId: writer.id });
            await follower.sendMessage("Two");
            await updateConversations(writer.id, { pinned: true }, { store });
            texts.push([writer.access, follower.access, writer.events.length, Object.keys(writer.state.tags)]);
            await follower.close();
            await writer.close();
          }
          return texts;
        });
        assert.deepEqual(said, Array(2).fill(["writer", "follower", 3, ["pinned"]]));
        await page.close();
      });

      await context.test("a page without Web Locks asks the others first, and nothing that it changes is lost", async () => {
        const plain = `http://${plainHost}:${new URL(server.origin).port}`;
        const { writer, id } = await writing(plain);
        const other = await tab(plain);
        assert.equal(await other.evaluate(() => navigator.locks === undefined), true);
        const closed = await other.evaluate(manyClosed, 20);
        const begun = await other.evaluate(
          async (ids) => {
            const { setTimeout } = window;
            let begun = 0;
            let atFirstEnd;
            window.setTimeout = (work, milliseconds) => {
              const isWait = milliseconds >= 1000;
              if (isWait) begun++;
              const end = () => (isWait && (atFirstEnd ??= begun), work());
              return setTimeout(end, milliseconds);
            };
            await updateConversations(ids, { pinned: true });
            window.setTimeout = setTimeout;
            return atFirstEnd;
          },
          [id, ...closed],
        );
        assert.ok(begun >= closed.length, `${begun} of them were asked before the first did not answer`);
        await writer.evaluate(() => conversation.setAgentState({ mood: "calm" }));
        await writer.evaluate(() => conversation.sendMessage("And on"));
        const infos = await other.evaluate(() => Conversation.list());
        assert.deepEqual(
          infos.filter(({ pinnedAt }) => pinnedAt === null),
          [],
        );
        await writer.close();
        await other.close();
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** For a page: the library, and what its lists hear. */
async function prepare() {
  const { Agent, Conversation, LLM, emptyTrash, indexedDBStore, memoryStore, updateConversations } = await import("/threadkeep/index.js");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { until } = await import("/support/until.mjs");
  const answers = new Promise((resolve) => (globalThis.answer = resolve));
  const { fetch } = new ScriptedModel([{ text: ["Once", " upon", " a time"], pace: (at) => at === 2 && answers }]);
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", numRetries: 1, fetch }) });
  Object.assign(globalThis, {
    Conversation,
    agent,
    emptyTrash,
    indexedDBStore,
    memoryStore,
    updateConversations,
    heard: [],
    live: [],
    until,
    infoOf: async (id) => {
      const infos = [...(await Conversation.list()), ...(await Conversation.list({ trashed: true }))];
      return JSON.parse(JSON.stringify(infos.find((info) => info.id === id)));
    },
  });
  Conversation.onListChange(({ id }) => void heard.push(id));
}

async function open(conversationId) {
  live.length = 0;
  globalThis.conversation = await Conversation.open({ agent, conversationId });
  conversation.subscribe((event) => void live.push(event));
  if (conversationId === undefined) await conversation.sendMessage("Hello");
  return conversation.id;
}

async function manyClosed(count) {
  const ids = [];
  for (let number = 0; number < count; number++) {
    const conversation = await Conversation.open({ agent, tags: { title: "Many" } });
    await conversation.sendMessage("Hello");
    await conversation.close();
    ids.push(conversation.id);
  }
  return ids;
}

async function infoOf(id) {
  return globalThis.infoOf(id);
}

async function logOf(id) {
  return indexedDBStore().events(id, 0, 100);
}

/** For a tab that writes: the question for a change is the last thing that happens in it. */
function diesBefore() {
  const { addEventListener } = BroadcastChannel.prototype;
  globalThis.reached = new Promise((resolve) => {
    BroadcastChannel.prototype.addEventListener = function (type, listener) {
      addEventListener.call(this, type, (event) => (event.data.verb === "changeTags" ? resolve() : listener(event)));
    };
  });
}

/** The same for the answer, which nobody hears. */
function diesAfter() {
  const { postMessage } = BroadcastChannel.prototype;
  globalThis.reached = new Promise((resolve) => {
    BroadcastChannel.prototype.postMessage = function (message) {
      if ("result" in message) resolve();
      else postMessage.call(this, message);
    };
  });
}

/** For a tab that writes: it answers nobody, as if it were frozen. */
function isSilent() {
  BroadcastChannel.prototype.postMessage = () => {};
}
