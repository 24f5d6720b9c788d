// A worker as the home of conversations: runs that outlive their page, tools that run in a page, and what happens without the worker.
// That its handles can do what others can is in homes.test.mjs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, noWindows } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";
import { until } from "../../support/until.mjs";

const slow = { calls: [{ name: "slow", arguments: {} }] };
const title = (more = {}) => ({ calls: [{ name: "page_title", arguments: more }] });
const done = { text: "Done." };

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: runs in a worker outlive their page, and their tools run in a page`, async (context) => {
    const browser = await tabs(kind);
    const tab = async (name) => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(prepare, name);
      return page;
    };
    const step = (name, run, options) => context.test(name, options, run);
    /** Whether anybody writes the conversation. */
    const isOpen = (page, id) =>
      page.evaluate(async (id) => (await navigator.locks.query()).held.some(({ name }) => name.endsWith(`:${id}`)), id);
    try {
      const [one, two] = [await tab("one"), await tab("two")];

      await step("a run goes on when the page that began it is closed, and is closed at its end", async () => {
        const page = await tab("begins");
        // Another page keeps the worker alive, with a conversation of its own.
        await two.evaluate(() => open({ data: { replies: [] } }));
        const id = await page.evaluate(
          async (replies) => {
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            void conversation.run();
            await said("slow began");
            return conversation.id;
          },
          [slow, done],
        );
        await page.close();
        assert.equal(await isOpen(two, id), true);
        await two.evaluate(() => say("go on"));
        await two.evaluate((id) => settled(id, "finished"), id);
        await until(async () => !(await isOpen(two, id)), "nobody has it open");
        const texts = await two.evaluate((id) => open({ conversationId: id, data: {} }).then((it) => it.finalResponse()), id);
        assert.equal(texts, "Done.");
      });

      await step("a page waits for no lock that the worker holds, in a conversation that is new", async () => {
        const attempts = await one.evaluate(async () => {
          const names = [];
          navigator.locks.request = function (name, ...more) {
            names.push(name);
            return LockManager.prototype.request.call(this, name, ...more);
          };
          const { id } = await open({ data: { replies: [] } });
          delete navigator.locks.request;
          return names.filter((name) => name.endsWith(`:${id.replaceAll("-", "")}`));
        });
        assert.equal(attempts.length, 1);
      });

      await step("a conversation that no page shows is closed, and can be deleted", async () => {
        const id = await one.evaluate(
          async (replies) => {
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            await conversation.run();
            await conversation.close();
            await library.Conversation.delete(conversation.id);
            return conversation.id;
          },
          [done],
        );
        assert.equal(await one.evaluate((id) => library.Conversation.list().then((all) => all.some((each) => each.id === id)), id), false);
      });

      await step("a model and secrets that are given to a handle reach its worker, and functions do not", async () => {
        const seen = await one.evaluate(async () => {
          const conversation = await open({ data: {} });
          await conversation.sendMessage("Go");
          const { LLM } = library;
          const fallbacks = [new LLM({ model: "openai/second", baseUrl: "https://second.invalid" })];
          await conversation.switchLLM(new LLM({ model: "openai/another", baseUrl: "https://other.invalid", numRetries: 2, fallbacks }));
          await conversation.updateSecrets({ KEY: "a-value-to-hide" });
          await until(() => conversation.state.agent.llm.model === "openai/another");
          const codeOf = (promise) =>
            promise.then(
              () => "done",
              ({ code }) => code,
            );
          const codes = [
            await codeOf(conversation.switchLLM(new LLM({ model: "openai/x", baseUrl: "https://x.invalid", fetch }))),
            await codeOf(conversation.updateSecrets({ KEY: () => "x" })),
            await codeOf(conversation.generateTitle({ llm: new LLM({ model: "openai/x", baseUrl: "https://x.invalid" }) })),
            await codeOf(conversation.switchLLM("x")),
          ];
          return {
            codes,
            model: conversation.state.agent.llm.model,
            secrets: Object.keys(conversation.state.secret_registry.secret_sources),
          };
        });
        assert.deepEqual(seen, {
          // The name of a model is one of the worker's registry.
          codes: ["unsupported", "unsupported", "unsupported", "not_found"],
          model: "openai/another",
          secrets: ["KEY"],
        });
      });

      await step(
        "a tool of the page runs in the page that was looked at last, with the secrets of that page, which it does not tell",
        async () => {
          const id = await one.evaluate(async (replies) => (await open({ data: { replies } })).id, [title(), done, title(), done]);
          await two.evaluate((id) => open({ conversationId: id, data: {} }).then(() => {}), id);
          for (const page of [two, one]) {
            await lookAt(page);
            const count = await page.evaluate(async () => {
              globalThis.performed = 0;
              await conversation.sendMessage("Read");
              await conversation.run();
              return performed;
            });
            assert.equal(count, 1);
          }
          assert.deepEqual(
            await one.evaluate(() => resultsOf()),
            ["two", "one"].map((name) => `${name}, <secret-hidden>, true, ${id}`),
          );
          // What a tool tells in the page of `one` may come here after the end of the run there.
          const progress = await two.evaluate(async () => {
            const told = () => heard.filter(({ kind }) => kind === "ToolProgressEvent").map(({ text }) => text);
            await until(() => told().length > 1);
            return told();
          });
          assert.deepEqual(progress, ["reads with <secret-hidden>", "reads with <secret-hidden>"]);
        },
        { skip: noWindows(kind) },
      );

      await lookAt(one);
      await step("the error of a tool in a page is read by the model", async () => {
        const texts = await one.evaluate(
          async (replies) => {
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            await conversation.run();
            return (await conversation.events.slice()).flatMap(({ kind, error, observation }) =>
              kind === "AgentErrorEvent" ? [error] : observation ? [observation.content[0].text] : [],
            );
          },
          [{ calls: [{ name: "broken", arguments: {} }] }, done],
        );
        assert.match(texts.join(), /no ink in one/);
      });

      await step("a call in a page is stopped with the run", async () => {
        await one.evaluate(
          async (replies) => {
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            const stopped = said("stopped");
            const run = conversation.run();
            await said("page began");
            await conversation.interrupt();
            await Promise.all([run, stopped]);
          },
          [title({ waits: true }), done],
        );
      });

      await step("a call whose page is closed has an error, and is not made again", async () => {
        const page = await tab("goes");
        const id = await page.evaluate(
          async (replies) => {
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            void conversation.run();
            await said("page began");
            return conversation.id;
          },
          [title({ waits: true }), done],
        );
        const before = await two.evaluate((id) => open({ conversationId: id, data: {} }).then(() => globalThis.performed), id);
        await page.close();
        await two.evaluate(() => until(() => conversation.executionStatus === "finished"));
        const results = await two.evaluate(() =>
          conversation.events
            .slice()
            .then((events) => events.flatMap(({ error, observation }) => error ?? observation?.content[0].text ?? [])),
        );
        assert.match(results.join(), /the page that ran the tool was closed/);
        assert.equal(await two.evaluate(() => globalThis.performed), before);
      });

      await lookAt(one);
      await step("a call waits until a page of the conversation is looked at", async () => {
        const seen = await one.evaluate(
          async (replies) => {
            hide(true);
            const conversation = await open({ data: { replies } });
            await conversation.sendMessage("Go");
            const run = conversation.run();
            await until(() => heard.some(({ kind, text }) => kind === "ToolProgressEvent" && text.startsWith("waits until a page")));
            const before = globalThis.performed ?? 0;
            hide(false);
            const { status } = await run;
            return [status, globalThis.performed - before];
          },
          [title(), done],
        );
        assert.deepEqual(seen, ["finished", 1]);
      });

      await step("when the worker ends, the page goes on with its run", async () => {
        const seen = await one.evaluate(
          async (replies) => {
            const worker = new Worker("/pages/worker-home.mjs", { type: "module" });
            const conversation = await open({ home: { worker, data: { replies: replies.slice(0, 1) } }, replies: replies.slice(1) });
            await conversation.sendMessage("Go");
            const run = conversation.run();
            await said("slow began");
            const home = conversation.home;
            worker.terminate();
            const { finalResponse } = await run;
            return [home, conversation.home, conversation.access, finalResponse];
          },
          [slow, { text: "Done here." }],
        );
        assert.deepEqual(seen, ["worker", "here", "writer", "Done here."]);
      });

      await step("a service worker is a home as long as it lives", async () => {
        const seen = await one.evaluate(
          async (replies) => {
            const registration = await navigator.serviceWorker.register("/pages/service-worker-home.mjs", { type: "module" });
            const worker = registration.installing ?? registration.active;
            const conversation = await open({ home: { worker, data: { replies: replies.slice(0, 2) } }, replies: replies.slice(2) });
            await conversation.sendMessage("Go");
            const { finalResponse } = await conversation.run();
            return [conversation.home, finalResponse];
          },
          [title(), done, { text: "Done here." }],
        );
        assert.deepEqual(seen, ["worker", "Done."]);
        if (kind !== "chromium") return;
        const session = await one.createCDPSession();
        await session.send("ServiceWorker.enable");
        await session.send("ServiceWorker.stopAllWorkers");
        const after = await one.evaluate(async () => {
          await conversation.sendMessage("Again");
          const { finalResponse } = await conversation.run();
          return [conversation.home, finalResponse];
        });
        assert.deepEqual(after, ["here", "Done here."]);
      });

      await step("without the worker the conversation runs in the tab, and says so", async () => {
        const seen = await one.evaluate(
          async (replies) => {
            const worker = new Worker("/pages/missing-worker.mjs", { type: "module" });
            const conversation = await open({ home: worker, replies });
            await conversation.sendMessage("Go");
            const { finalResponse } = await conversation.run();
            return [conversation.home, conversation.warnings.map(({ code }) => code), finalResponse];
          },
          [done],
        );
        assert.deepEqual(seen, ["here", ["home_unavailable"], "Done."]);
        browser.problems.splice(0);
      });

      await step("a worker whose function does not answer leaves the conversation to the tab", async () => {
        const seen = await one.evaluate(
          async (replies) => {
            const worker = new Worker("/pages/silent-home.mjs", { type: "module" });
            const conversation = await open({ home: worker, replies });
            await conversation.sendMessage("Go");
            const { finalResponse } = await conversation.run();
            return [conversation.home, conversation.warnings.map(({ code, message }) => [code, message.slice(0, 46)]), finalResponse];
          },
          [done],
        );
        assert.deepEqual(seen, ["here", [["home_unavailable", "the function that was given to serveConversati"]], "Done."]);
      });

      await step("what cannot work is refused", async () => {
        const seen = await one.evaluate(async () => {
          const codeOf = (options) =>
            open(options).then(
              () => "opened",
              ({ code, message }) => `${code}: ${message}`,
            );
          return [
            await codeOf({ home: {} }),
            await codeOf({ home: "worker" }),
            await codeOf({ home: { worker: {} } }),
            await codeOf({ home: { worker: shared, date: 1 } }),
            await codeOf({ home: shared, store: library.memoryStore() }),
            await codeOf({ data: { otherStore: true } }),
            await codeOf({ data: { refuses: true } }),
            await codeOf({ data: { tgas: {} } }),
            await codeOf({ data: { later: () => 1 } }),
          ];
        });
        assert.match(seen[0], /^invalid_options: home must be a worker/);
        assert.match(seen[1], /^invalid_options/);
        assert.match(seen[2], /^invalid_options: home must be a worker/);
        assert.match(seen[3], /^invalid_options: .*no option "date"; did you mean data/);
        assert.match(seen[4], /^invalid_options: .*needs a store with a name/);
        assert.match(seen[5], /^invalid_options: the store here is/);
        assert.match(seen[6], /^invalid_options: the function of serveConversations\(\) has failed: not [0-9a-f-]{36}/);
        assert.match(seen[7], /^invalid_options: .*no option "tgas"/);
        assert.match(seen[8], /^unsupported: this cannot be sent to a worker/);
      });
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Puts a tab in front; the others are hidden then. */
async function lookAt(page) {
  await page.bringToFront();
  await untilIn(page, "it is in front", () => document.visibilityState === "visible");
}

/** For a page: opens conversations in a shared worker, and speaks with the tools. */
async function prepare(name) {
  document.title = name;
  const library = await import("/threadkeep/index.js");
  const { toolsFor } = await import("/pages/worker-home-tools.mjs");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { until } = await import("/support/until.mjs");
  const channel = new BroadcastChannel("worker-home");
  const words = [];
  channel.onmessage = ({ data }) => words.push(data);
  Object.assign(globalThis, {
    library,
    heard: [],
    shared: new SharedWorker("/pages/worker-home.mjs", { type: "module" }),
    say: (word) => channel.postMessage(word),
    until,
    /** Resolves when a tool says this from now on. */
    said(word) {
      const from = words.length;
      return until(() => words.indexOf(word, from) >= 0, `a tool says “${word}”`, { seen: () => words });
    },
    /** Opens a conversation in the shared worker, or where `home` says. `replies` are those of the model of this page. */
    async open({ data, replies = [], ...options }) {
      const { Agent, Conversation, LLM, tool } = library;
      const model = new ScriptedModel(replies, { checks: false });
      const llm = new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch: model.fetch, numRetries: 1 });
      await globalThis.conversation?.close();
      heard.length = 0;
      const conversation = await Conversation.open({
        agent: new Agent({ llm, tools: toolsFor(tool) }),
        home: { worker: shared, data },
        secrets: { TOKEN: "the-token-of-this-page" },
        ...options,
      });
      conversation.subscribe((event) => void heard.push(event));
      globalThis.conversation = conversation;
      return conversation;
    },
    /** The results of tools that were heard. */
    resultsOf: () => heard.flatMap(({ kind, observation }) => (kind === "ObservationEvent" ? [observation.content[0].text] : [])),
    /** Resolves when the stored status is this. */
    async settled(id, status) {
      const stored = async () => (await library.Conversation.list()).find((each) => each.id === id)?.executionStatus;
      await until(async () => (await stored()) === status, `it is stored as ${status}`, { seen: stored });
    },
    hide(isHidden) {
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => (isHidden ? "hidden" : "visible") });
      document.dispatchEvent(new Event("visibilitychange"));
    },
  });
}
