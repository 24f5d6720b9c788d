// Messages that the user writes while an agent server cannot be reached: they are kept, shown, changed and taken back, and sent once
// when it is back, by whatever page is open then.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { deferred } from "../support/deferred.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";
import { startServer } from "../support/server.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { cable } from "./cable.mjs";
import { isCopied } from "./copy.mjs";
import { startNonsenseServer } from "./nonsense-server.mjs";
import { newestVersion } from "./setup.mjs";

/** Browsers report failures of the network as if they were uncaught. */
const ofNetwork = /Cross-Origin Request Blocked|The connection to ws:|can’t establish a connection/;

for (const version of [newestVersion]) {
  describe(`offline from the agent server ${version}`, () => {
    /** The answers wait for these. */
    const holds = [];
    let model;
    let upstream;
    let server;
    let web;

    before(async () => {
      model = createModel(
        async ({ messages }) => {
          await holds.shift();
          return { text: `Answer to ${textOf(messages.at(-1))}` };
        },
        { checks: false },
      );
      upstream = await model.listen();
      web = await startServer({ mounts: { "/tests/": "tests" } });
      server = await startAgentServer({ version, model: upstream.baseUrl });
    });

    after(async () => {
      await server?.stop();
      await web.close();
      await upstream.close();
    });

    for (const kind of availableBrowsers) {
      const inPages = (name, body) =>
        test(`${kind}: ${name}`, async (t) => {
          if (server === null) return t.skip("it is not here");
          const browser = await tabs(kind);
          const way = await cable(server.port);
          const blank = async () => {
            const tab = await browser.page(`${web.origin}/pages/blank.html`);
            await tab.evaluate(() => import("/tests/server/page.mjs").then(() => {}));
            return tab;
          };
          const page = async (id, tab = blank()) => opened(await tab, id);
          const opened = async (tab, id) => {
            const given = { host: way.host, apiKey: server.apiKey, workingDir: server.workspace, baseUrl: upstream.baseUrl, id };
            tab.id = await tab.evaluate((given) => open(given), given);
            return tab;
          };
          try {
            await body({ page, blank, way });
            assert.deepEqual(
              browser.problems.filter((problem) => problem.startsWith("uncaught") && !ofNetwork.test(problem)),
              [],
            );
          } catch (error) {
            t.diagnostic(`problems: ${browser.problems.join("; ")}`);
            throw error;
          } finally {
            await browser.close();
            await way.close();
          }
        });

      inPages("messages wait, and are sent once and in their order when the server is back", async ({ page, way }) => {
        const tab = await page();
        await tab.evaluate(() => conversation.sendMessage("one"));
        const other = await page(tab.id);
        await way.cut();
        await tab.evaluate(() => until(() => conversation.waiting));
        const kept = await tab.evaluate(async () => {
          const two = await conversation.sendMessage("two");
          const three = await conversation.sendMessage("three");
          const four = await conversation.sendMessage("four");
          await conversation.queue.remove(three.id);
          globalThis.changed = await conversation.queue.edit(four.id, "FOUR");
          globalThis.run = ended(conversation.run());
          const unknown = await ended(conversation.queue.remove(three.id));
          return {
            texts: (await conversation.queue.list()).map(said),
            ids: [two.id, changed.id],
            unknown,
            length: conversation.events.length,
          };
        });
        assert.deepEqual(kept.texts, ["two", "FOUR"]);
        assert.equal(kept.unknown.code, "not_found");
        // The other tab shows what waits, and adds to it.
        await other.evaluate((ids) => until(() => heard.findLast(({ key }) => key === "queue")?.value.join() === ids.join()), kept.ids);
        await other.evaluate(() => until(() => conversation.waiting));
        assert.equal(await other.evaluate(async () => (await conversation.sendMessage("five")).source), "user");
        await way.mend();
        const run = await tab.evaluate(() => {
          conversation.retryNow();
          return run;
        });
        assert.equal(run.value?.status, "finished", JSON.stringify(run));
        await other.evaluate(async () => void (await conversation.retryNow(), await conversation.queue.list()));
        for (const each of [tab, other])
          await each.evaluate(() => until(() => heard.findLast(({ key }) => key === "queue")?.value.length === 0));
        assert.deepEqual(saidTo(tab.id), ["one", "two", "FOUR", "five"]);
        assert.match(run.value.finalResponse, /five$/);
        // It is in the log now.
        const late = await tab.evaluate(() => ended(conversation.queue.remove(changed.id)));
        assert.equal(late.code, "invalid_state");
        await isCopied(server, tab.id, tab);
      });

      inPages("a page that is closed leaves its messages to the next one, which also runs the agent", async ({ page, way }) => {
        const tab = await page();
        await tab.evaluate(() => conversation.sendMessage("one"));
        await way.cut();
        await tab.evaluate(async () => {
          await until(() => conversation.waiting);
          await conversation.sendMessage("two");
          globalThis.run = ended(conversation.run());
        });
        // The call is noted before the page goes.
        await tab.evaluate(async () => {
          for (;;) {
            const { baseState } = await store.load(conversation.id);
            if (JSON.parse(baseState).threadkeep_server.outbox.some(({ runs }) => runs)) return;
          }
        });
        await tab.close();
        await way.mend();
        const next = await page(tab.id);
        await next.evaluate(() => until(() => conversation.executionStatus === "finished"));
        assert.deepEqual(saidTo(tab.id), ["one", "two"]);
        await isCopied(server, tab.id, next);
      });

      inPages("a message whose answer is lost is not sent again", async ({ page, blank, way }) => {
        const tab = await page();
        await tab.evaluate(() => conversation.sendMessage("one"));
        for (const text of ["two", "three"]) {
          way.hold();
          await tab.evaluate((text) => void (globalThis.sent = ended(conversation.sendMessage(text))), text);
          await arrived(tab.id, text);
          // The page dies with it, or lives.
          if (text === "three") break;
          await way.cut();
          assert.ok((await tab.evaluate(() => sent)).value.id);
          await way.mend();
          await tab.evaluate(() => {
            conversation.retryNow();
            return isSent();
          });
          // Held back in the middle of its handshake, the socket would not come, and the next message waits for it.
          await tab.evaluate(() => until(() => conversation.waiting === null));
          assert.deepEqual(saidTo(tab.id), ["one", "two"]);
        }
        await tab.close();
        await way.cut();
        // Chromium repeats a request itself if its connection is reset and another one is there at once.
        const empty = await blank();
        await way.mend();
        const next = await page(tab.id, empty);
        await next.evaluate(() => isSent());
        assert.deepEqual(saidTo(tab.id), ["one", "two", "three"]);
        await isCopied(server, tab.id, next);
      });

      inPages("two pages under random cuts send each message once", async ({ page, way }) => {
        const one = await page();
        await one.evaluate(() => conversation.sendMessage("one 0"));
        const two = await page(one.id);
        const random = randomFrom(4711);
        const sending = [];
        for (let number = 1; number <= 10; number++) {
          for (const [name, tab] of Object.entries({ one, two }))
            sending.push(tab.evaluate(async (text) => void (await conversation.sendMessage(text)), `${name} ${number}`));
          if (random.chance(0.5)) way.hold();
          if (random.chance(0.7)) {
            await way.cut();
            for (const tab of [one, two]) await tab.evaluate(() => until(() => conversation.waiting));
            await way.mend();
          }
        }
        await way.cut();
        for (const tab of [one, two]) await tab.evaluate(() => until(() => conversation.waiting));
        await way.mend();
        await Promise.all(sending);
        for (const tab of [one, two])
          await tab.evaluate(() => {
            conversation.retryNow();
            return isSent();
          });
        const said = saidTo(one.id);
        assert.equal(said.length, 21, said.join());
        for (const name of ["one", "two"]) {
          const own = said.filter((text) => text.startsWith(name));
          assert.deepEqual(
            own,
            own.toSorted((a, b) => Number(a.slice(4)) - Number(b.slice(4))),
          );
          assert.equal(new Set(own).size, own.length);
        }
        await isCopied(server, one.id, one);
        await isCopied(server, one.id, two);
      });

      inPages("a message that comes while the agent works is answered", async ({ page }) => {
        const tab = await page();
        const held = deferred();
        const asked = model.requests.length;
        holds.push(held.promise);
        await tab.evaluate(async () => {
          await conversation.sendMessage("one");
          globalThis.run = ended(conversation.run());
          await until(() => conversation.executionStatus === "running");
        });
        await model.arrived(asked + 1);
        await tab.evaluate(() => conversation.sendMessage("two"));
        held.resolve();
        await tab.evaluate(async () => {
          const answers = () => heard.filter(({ kind, source }) => kind === "MessageEvent" && source === "agent").length;
          await until(() => answers() === 2 && conversation.executionStatus === "finished");
        });
        assert.deepEqual(saidTo(tab.id), ["one", "two"]);
        await isCopied(server, tab.id, tab);
      });

      inPages("the user stops a run that waits for the server", async ({ page, way }) => {
        const tab = await page();
        await tab.evaluate(() => conversation.sendMessage("one"));
        await way.cut();
        const { stopped, aborted } = await tab.evaluate(async () => {
          await until(() => conversation.waiting);
          await conversation.sendMessage("two");
          const run = ended(conversation.run());
          await conversation.interrupt();
          const stopped = await run;
          const stop = new AbortController();
          const signalled = ended(conversation.run({ signal: stop.signal }));
          await conversation.queue.list();
          stop.abort();
          return { stopped, aborted: await signalled };
        });
        assert.equal(stopped.value?.status, "idle", JSON.stringify(stopped));
        assert.equal(aborted.code, "aborted", JSON.stringify(aborted));
        await way.mend();
        await tab.evaluate(() => {
          conversation.retryNow();
          return isSent();
        });
        assert.deepEqual(saidTo(tab.id), ["one", "two"]);
        assert.equal(await tab.evaluate(() => conversation.executionStatus), "idle");
      });
    }

    /** The texts of the user in the server's log. */
    function saidTo(id) {
      const events = server.stored(id).map(({ text }) => JSON.parse(text));
      return events
        .filter(({ kind, source }) => kind === "MessageEvent" && source === "user")
        .map(({ llm_message }) => textOf(llm_message));
    }

    async function arrived(id, text) {
      while (!saidTo(id).includes(text)) await server.ask("GET", `/api/conversations/${id}/events/count`);
    }
  });
}

for (const kind of availableBrowsers)
  test(`${kind}: a message that a server takes and never logs keeps nothing waiting`, async () => {
    const web = await startServer({ mounts: { "/tests/": "tests" } });
    const server = await startNonsenseServer();
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${web.origin}/pages/blank.html`);
      await tab.evaluate(() => import("/tests/server/page.mjs").then(() => {}));
      const given = { host: server.host, apiKey: "a-key-of-the-tests", workingDir: "/work", baseUrl: "http://127.0.0.1:9" };
      await tab.evaluate((given) => open(given), given);
      server.said["POST events"] = () => ({ text: '{"success":true}' });
      const found = await tab.evaluate(async () => {
        let isOver = false;
        const sending = conversation.sendMessage("one").finally(() => (isOver = true));
        await conversation.setTags({ title: "Behind it" });
        await conversation.interrupt();
        const wasOver = isOver;
        const { id } = await sending;
        return { wasOver, id, queue: (await conversation.queue.list()).map((event) => event.id), length: conversation.events.length };
      });
      assert.deepEqual(found, { wasOver: false, id: found.id, queue: [found.id], length: 0 });
    } finally {
      await browser.close();
      await server.close();
      await web.close();
    }
  });

function textOf({ content }) {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}
