// The hooks of threadkeep/react in StrictMode, and threads in several tabs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { bundledForPages } from "../../../support/example.mjs";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

let model;
let server;
before(async () => {
  const scripts = await bundledForPages({ "/hooks.js": "tests/browser/pages/hooks.mjs" });
  model = createModel((body) =>
    /pay/.test(JSON.stringify(body.messages.at(-1))) && body.messages.at(-1).role === "user"
      ? { calls: [{ name: "pay", arguments: {} }] }
      : { text: "Hello." },
  );
  server = await startServer({ model, mounts: { "/react/": scripts } });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: hooks`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    await browser.page(`${server.origin}/pages/blank.html`);

    await context.test("a new conversation is opened once, and giving its id changes nothing", async () => {
      const { phases, ids, access, stable, lists } = await browser.evaluate(async () => {
        const { rendered, show, until } = await import("/react/hooks.js");
        // Sent by an effect, before the thread is open.
        show({ say: "Hi" });
        await until(({ chat }) => chat?.status === "finished" && chat.messages.length === 2);
        const { conversationId: id, messages } = rendered.chat;
        show({ id });
        await until(({ chat }) => chat.conversationId === id);
        await rendered.chat.send("Again");
        await until(({ chat, list }) => chat.status === "finished" && chat.messages.length === 4 && list.conversations.length > 0);
        return {
          phases: [...new Set(rendered.chats.map(({ phase }) => phase))],
          ids: new Set(rendered.chats.map(({ conversationId }) => conversationId)).size,
          access: rendered.chat.access,
          stable: [new Set(rendered.chats.map(({ send }) => send)).size, rendered.chat.messages[0] === messages[0]],
          lists: rendered.list.conversations.map((info) => info.id === id),
        };
      });
      assert.deepEqual(phases, ["opening", "open"]);
      assert.ok(ids <= 2, "none at first, and then one");
      assert.deepEqual([access, stable, lists], ["writer", [1, true], [true]]);
    });

    await context.test("another id is another conversation, which shows nothing of the one before", async () => {
      const { shown, back } = await browser.evaluate(async () => {
        const { rendered, show, until } = await import("/react/hooks.js");
        const { conversationId: first } = rendered.chat;
        const from = rendered.chats.length;
        show({ id: crypto.randomUUID() });
        await until(({ chat }) => chat.phase === "open" && chat.conversationId !== first);
        const shown = rendered.chats.slice(from).map(({ messages }) => messages.length);
        show({ id: first });
        await until(({ chat }) => chat.phase === "open" && chat.conversationId === first);
        return { shown, back: [rendered.chat.messages.length, rendered.chat.access] };
      });
      assert.deepEqual([new Set(shown), back], [new Set([0]), [4, "writer"]]);
    });

    await context.test("calls that wait, with their buttons", async () => {
      const { before, after, list } = await browser.evaluate(async () => {
        const { rendered, show, until } = await import("/react/hooks.js");
        await rendered.chat.send("Please pay");
        await until(({ approvals }) => approvals.length === 1);
        const before = rendered.approvals.map(({ toolName, why }) => [toolName, why]);
        await rendered.approvals[0].approve();
        await until(({ approvals, chat }) => approvals.length === 0 && !chat.isRunning);
        const after = rendered.chat.messages.at(-1).parts.map(({ type, state }) => [type, state]);
        await rendered.chat.conversation.setTags({ title: "Payment" });
        await until(({ list }) => list.conversations.some(({ title }) => title === "Payment"));
        const { conversationId } = rendered.chat;
        show({ chat: false });
        const { Conversation, indexedDBStore } = await import("/threadkeep/index.js");
        const store = indexedDBStore("hooks");
        // Its lock is free only when the component has given it up.
        const remove = () => Conversation.delete(conversationId, { store }).catch((error) => error.code === "locked_elsewhere" && remove());
        await remove();
        await until(({ list }) => list.conversations.every(({ id }) => id !== conversationId));
        return { before, after, list: rendered.list.conversations.length };
      });
      assert.deepEqual(before, [["pay", "approval"]]);
      assert.deepEqual(after, [
        ["tool", "done"],
        ["text", "done"],
      ]);
      assert.equal(list, 0, "the others have no message");
    });
    assert.deepEqual(browser.problems, []);
  });

  test(`${kind}: a thread in a second tab acts there, and takes over when the first is closed`, async (context) => {
    const [one, two] = [await tabs(kind), await tabs(kind)];
    context.after(() => Promise.all([one.close(), two.close()]));
    const id = crypto.randomUUID();
    const open = async (id) => {
      const [{ openThread }, { Agent, LLM }] = await Promise.all([import("/threadkeep/thread.js"), import("/threadkeep/slim.js")]);
      const thread = openThread({ agent: new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1" }) }), conversationId: id });
      globalThis.thread = thread;
      const { until } = await import("/support/until.mjs");
      globalThis.until = (isSo) => {
        const wanted = () => isSo(thread.getSnapshot()) && thread.getSnapshot();
        return until(wanted, isSo, { of: thread, seen: () => thread.getSnapshot() });
      };
      await thread.opened();
      return thread.getSnapshot().access;
    };
    const page = await one.page(`${server.origin}/pages/blank.html`);
    assert.equal(await one.evaluate(open, id), "writer");
    await two.page(`${server.origin}/pages/blank.html`);
    assert.equal(await two.evaluate(open, id), "follower");
    await two.evaluate(() =>
      thread
        .send("Hi")
        .then(() => until(({ status }) => status === "finished"))
        .then(() => {}),
    );
    // Threads tell of changes with the next frame.
    assert.equal(await one.evaluate(() => until(({ messages }) => messages.length >= 2).then(({ messages }) => messages.length)), 2);
    assert.equal(await two.evaluate(() => thread.getSnapshot().home), "tab");
    await two.evaluate(() => until(({ messages }) => messages.length === 2).then(() => {}));
    await page.close();
    assert.equal(await two.evaluate(() => until(({ access }) => access === "writer").then(({ messages }) => messages.length)), 2);
    await two.evaluate(() =>
      thread
        .send("Now I")
        .then(() => until(({ messages, status }) => status === "finished" && messages.length === 4))
        .then(() => {}),
    );
    assert.deepEqual([...one.problems, ...two.problems], []);
  });
}
