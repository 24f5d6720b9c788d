// Branches and copies in real browsers: over IndexedDB, beside other tabs, and while the agent works.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: branches and copies are made over IndexedDB, beside other tabs and while the agent works`, async (context) => {
    const browser = await tabs(kind);
    const blank = () => browser.page(`${server.origin}/pages/blank.html`);
    try {
      const [writer, follower] = [await blank(), await blank()];
      const id = await writer.evaluate(begin);
      await context.test("every verb moves, and nothing is lost", async () => {
        const { seen, kinds, branches } = await writer.evaluate(moves);
        assert.deepEqual(seen, {
          navigated: ["First", "Answer 1."],
          regenerated: ["First", "Answer 3."],
          edited: ["Else", "Answer 4."],
          "before the first event": [],
          "from the beginning": ["Again", "Answer 5."],
        });
        assert.equal(kinds.filter((kind) => kind === "SystemPromptEvent").length, 2);
        assert.equal(kinds.length, 11);
        // Nothing is shared with the branch from the beginning, so each of the others begins with its first message.
        assert.deepEqual(branches, ["First", "First", "Else"]);
      });
      await context.test("a tab that follows sees the move, and moves itself", async () => {
        const { before, moved } = await follower.evaluate(follow, id, await writer.evaluate(goTo, 2));
        assert.deepEqual(before, ["First", "Answer 1."]);
        assert.deepEqual(moved, {
          regenerated: ["First", "Answer 6."],
          edited: ["Elsewhere"],
          navigated: ["First", "Answer 1."],
        });
        assert.deepEqual(await writer.evaluate(() => textsOf()), ["First", "Answer 1."]);
        await writer.evaluate(goTo, 4);
        assert.deepEqual((await follower.evaluate(follow, id)).after, ["First", "Answer 1.", "Second", "Answer 2."]);
      });
      await context.test("a tab opened after the writer closed is where the writer was", async () => {
        await writer.evaluate(() => globalThis.conversation.close());
        const { access, after } = await follower.evaluate(follow, id);
        assert.deepEqual([access, after], ["writer", ["First", "Answer 1.", "Second", "Answer 2."]]);
      });
      await context.test("during a run and while calls wait every verb is refused, and changes nothing", async () => {
        const { running, waiting, isUnchanged } = await writer.evaluate(refusals);
        const refused = { navigateTo: "invalid_state", regenerate: "invalid_state", editMessage: "invalid_state", fork: "invalid_state" };
        assert.deepEqual([running, waiting, isUnchanged], [refused, refused, true]);
      });
      await context.test("a copy of a thousand events is complete, and independent", async () => {
        const { sameTexts, length, title, tags, continued, original } = await writer.evaluate(copies);
        assert.deepEqual(
          { sameTexts, length, title, tags, continued },
          { sameTexts: true, length: 1201, title: "A copy", tags: { project: "x", title: "A copy" }, continued: 1203 },
        );
        assert.equal(original, 1201);
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** For a page: a conversation with two questions. */
async function begin() {
  const { Agent, Conversation, LLM, indexedDBStore, tool } = await import("/threadkeep/index.js");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  Object.assign(globalThis, { Agent, Conversation, LLM, indexedDBStore, tool, ScriptedModel });
  let count = 0;
  const { fetch } = new ScriptedModel(() => ({ text: `Answer ${++count}.` }));
  globalThis.agent = new Agent({
    llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid", stream: false, numRetries: 1, fetch }),
  });
  globalThis.conversation = await Conversation.open({ agent });
  globalThis.ask = async (text) => (await conversation.sendMessage(text), conversation.run());
  globalThis.textsOf = async (of = conversation) =>
    (await of.activeBranch()).filter(({ kind }) => kind === "MessageEvent").map(({ llm_message: { content } }) => content[0].text);
  await ask("First");
  await ask("Second");
  return conversation.id;
}

async function moves() {
  const seen = {};
  const at = async (index) => (await conversation.events.at(index)).id;
  await conversation.navigateTo(await at(2));
  seen.navigated = await textsOf();
  await conversation.regenerate();
  seen.regenerated = await textsOf();
  await conversation.editMessage(await at(1), "Else");
  await conversation.run();
  seen.edited = await textsOf();
  await conversation.navigateTo(null);
  seen["before the first event"] = await textsOf();
  await ask("Again");
  seen["from the beginning"] = await textsOf();
  const kinds = (await conversation.events.slice()).map(({ kind }) => kind);
  const branches = (await conversation.branches()).map(({ firstEvent }) => firstEvent.llm_message.content[0].text);
  return { seen, kinds, branches };
}

async function goTo(index) {
  const { id } = await conversation.events.at(index);
  await conversation.navigateTo(id);
  return id;
}

/** Opens the conversation and closes it again. */
async function follow(conversationId, eventId) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid" }) });
  const texts = async (of) =>
    (await of.activeBranch()).filter(({ kind }) => kind === "MessageEvent").map(({ llm_message: { content } }) => content[0].text);
  const opened = await Conversation.open({ agent, conversationId });
  const { access } = opened;
  const before = await texts(opened);
  const moved = {};
  if (eventId) {
    const question = (await opened.activeBranch()).find(({ kind }) => kind === "MessageEvent").id;
    for (const [what, move] of Object.entries({
      regenerated: () => opened.regenerate(),
      edited: () => opened.editMessage(question, "Elsewhere"),
      navigated: () => opened.navigateTo(eventId),
    })) {
      await move();
      moved[what] = await texts(opened);
    }
  }
  const after = await texts(opened);
  await opened.close();
  return { access, before, after, moved };
}

async function refusals() {
  const pay = tool({ name: "pay", description: "Pays.", parameters: { type: "object", properties: {} }, execute: () => "paid" });
  const asked = Promise.withResolvers();
  const answered = Promise.withResolvers();
  const { fetch } = new ScriptedModel([{ text: "Paying.", calls: [{ name: "pay", arguments: {} }] }]);
  const slow = async (...request) => {
    asked.resolve();
    await answered.promise;
    return fetch(...request);
  };
  const llm = new LLM({ model: "openai/m", baseUrl: "https://model.invalid", stream: false, numRetries: 1, fetch: slow });
  const busy = await Conversation.open({ agent: new Agent({ llm, tools: [pay] }), confirmationPolicy: { kind: "AlwaysConfirm" } });
  const { id } = await busy.sendMessage("Pay.");
  const all = async () => {
    const codes = {};
    const verbs = {
      navigateTo: () => busy.navigateTo(id),
      regenerate: () => busy.regenerate(),
      editMessage: () => busy.editMessage(id, "x"),
      fork: () => busy.fork(),
    };
    for (const [verb, call] of Object.entries(verbs))
      codes[verb] = await call().then(
        () => "done",
        ({ code }) => code,
      );
    return codes;
  };
  const run = busy.run();
  await asked.promise;
  const before = busy.events.length;
  const running = await all();
  let isUnchanged = busy.events.length === before;
  answered.resolve();
  await run;
  const stored = [busy.events.length, JSON.stringify(busy.state)];
  const waiting = await all();
  isUnchanged &&= busy.events.length === stored[0] && JSON.stringify(busy.state) === stored[1];
  await busy.close();
  return { running, waiting, isUnchanged };
}

async function copies() {
  globalThis.conversation = await Conversation.open({ agent });
  for (let n = 0; n < 1200; n++) await conversation.sendMessage(`Message ${n}`);
  const copy = await conversation.fork({ title: "A copy", tags: { project: "x" } });
  const texts = async (of) => JSON.stringify(await of.events.slice());
  const sameTexts = (await texts(copy)) === (await texts(conversation));
  const length = copy.events.length;
  const { title } = (await Conversation.list()).find(({ id }) => id === copy.id);
  const { tags } = copy.state;
  await copy.sendMessage("In the copy");
  await copy.run();
  const continued = copy.events.length;
  await copy.close();
  const original = conversation.events.length;
  await conversation.close();
  return { sameTexts, length, title, tags, continued, original };
}
