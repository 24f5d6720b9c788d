// Conversations that an agent server runs, in pages, when something goes wrong: the server dies, the network is cut, others act too,
// the key is wrong, the server is full, or its log is long. In all cases the copy is the server's log, byte for byte.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { deferred } from "../support/deferred.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { until } from "../support/until.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { cable } from "./cable.mjs";
import { isCopied } from "./copy.mjs";
import { adopted } from "./long-log.mjs";
import { serverVersions } from "./setup.mjs";

/** Firefox reports failures of the network as if they were uncaught. */
const ofNetwork = /Cross-Origin Request Blocked|The connection to ws:|can’t establish a connection/;

for (const version of serverVersions) {
  describe(`the agent server ${version}`, () => {
    let replies = [];
    // A server asks in ways that not every provider takes.
    const model = createModel(() => replies.shift() ?? { text: "Nothing more." }, { checks: false });
    let upstream;
    let server;
    let web;

    before(async () => {
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
      /** A test with pages of this browser, whose server is reached over a cable. */
      const inPages = (name, body) =>
        test(`${kind}: ${name}`, async (t) => {
          if (server === null) return t.skip("it is not here");
          replies = [];
          const browser = await tabs(kind);
          const way = await cable(server.port);
          const page = async () => {
            const tab = await browser.page(`${web.origin}/pages/blank.html`);
            await tab.evaluate(() => import("/tests/server/page.mjs").then(() => {}));
            return tab;
          };
          const given = { host: way.host, apiKey: server.apiKey, workingDir: server.workspace, baseUrl: upstream.baseUrl };
          try {
            await body({ t, page, way, given, browser });
            assert.equal(replies.length, 0, "replies that nobody asked for");
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

      inPages("a run goes through the death of the server", async ({ page, given }) => {
        const tab = await page();
        const id = await tab.evaluate((given) => open(given), given);
        const held = deferred();
        const asked = model.requests.length;
        replies.push({ text: "It is four.", pieces: 4, pace: (index) => index > 1 && held.promise });
        await tab.evaluate(async () => {
          await conversation.sendMessage("How much is two and two?");
          globalThis.run = ended(conversation.run());
          await until(() => conversation.executionStatus === "running");
        });
        await model.arrived(asked + 1);
        await server.kill();
        await tab.evaluate(() => until(() => conversation.waiting));
        await server.start();
        held.resolve();
        const run = await tab.evaluate(async () => {
          await until(() => conversation.waiting === null);
          return run;
        });
        // Nothing goes on by itself: the server has noted that it did not end.
        assert.equal(run.value?.status, "error", JSON.stringify(run));
        await isCopied(server, id, tab);

        replies.push({ text: "It is six." });
        const next = await tab.evaluate(async () => {
          await conversation.sendMessage("And three and three?");
          return ended(conversation.run());
        });
        assert.deepEqual([next.value?.status, next.value?.finalResponse], ["finished", "It is six."], JSON.stringify(next));
        await isCopied(server, id, tab);
      });

      inPages("twenty cuts lose nothing and repeat nothing", async ({ page, way, given }) => {
        const tab = await page();
        const id = await tab.evaluate((given) => open(given), given);
        const pieces = deferred();
        const asked = model.requests.length;
        replies.push({ text: "It is four, and here is why.", pieces: 2, pace: (index) => index > 2 && pieces.promise });
        await tab.evaluate(async () => {
          await conversation.sendMessage("How much is two and two?");
          globalThis.run = ended(conversation.run());
          await until(() => conversation.executionStatus === "running");
        });
        await model.arrived(asked + 1);
        const sending = sender(server, id);
        for (let cut = 0; cut < 20; cut++) {
          await way.cut();
          await tab.evaluate(() => until(() => conversation.waiting));
          await sending.more(1);
          await way.mend();
          await tab.evaluate((isAsked) => {
            if (isAsked) {
              conversation.retryNow();
              dispatchEvent(new Event("online"));
              conversation.retryNow();
            }
            return until(() => conversation.waiting === null);
          }, cut % 2);
          await sending.more(1);
          // In the middle of the answer, and behind it.
          if (cut === 10) pieces.resolve();
        }
        await sending.end();
        const run = await tab.evaluate(() => run);
        assert.ok(run.value?.steps > 0, `a run ended before its answer came: ${JSON.stringify(run)}`);
        await isCopied(server, id, tab);
        await isHeardOnce(tab, id);
        await until(() => way.sockets === 1, "one socket is open", { seen: () => way.sockets });
      });

      inPages("pages that act on one conversation all have its log", async ({ page, given }) => {
        const [one, other] = [await page(), await page()];
        const id = await one.evaluate((given) => open(given), given);
        await one.evaluate(() => conversation.sendMessage("Hello."));
        await other.evaluate((given) => open(given), { ...given, id });
        const apart = await page();
        await apart.evaluate((given) => open(given), { ...given, id, store: `apart-${id}` });
        const pages = [one, other, apart];

        replies.push(...["one", "two", "three", "four", "five", "six"].map((text) => ({ text })));
        for (let round = 0; round < 2; round++)
          for (const [index, tab] of pages.entries()) {
            const result = await tab.evaluate(async (text) => {
              await conversation.sendMessage(text);
              return ended(conversation.run());
            }, `${round} from ${index}`);
            assert.equal(result.value?.status, "finished", JSON.stringify(result));
          }
        await Promise.all(
          pages.map((tab, index) =>
            tab.evaluate(async (text) => {
              await Promise.all([conversation.sendMessage(text), conversation.sendMessage(text)]);
            }, `at once from ${index}`),
          ),
        );
        replies.push({ text: "seven" });
        const runs = await Promise.all(pages.map((tab) => tab.evaluate(() => ended(conversation.run()))));
        // While it runs, the server refuses another run.
        const ends = runs.map(({ value, code }) => value?.status ?? code);
        assert.ok(ends.includes("finished"), JSON.stringify(runs));
        assert.ok(
          ends.every((end) => end === "finished" || end === "invalid_state"),
          JSON.stringify(runs),
        );
        for (const tab of pages) await isCopied(server, id, tab);
        for (const tab of pages) await isHeardOnce(tab, id);
        const texts = server.stored(id).map(({ text }) => JSON.parse(text));
        assert.equal(texts.filter(({ kind, source }) => kind === "MessageEvent" && source === "user").length, 1 + 6 + 6);
      });

      inPages("a wrong key is refused, and the right one is kept to itself", async ({ page, way, given }) => {
        const tab = await page();
        const wrong = "ab5e7a4e0f0b4e0f";
        const id = await tab.evaluate((given) => open(given), given);
        replies.push({ text: "It is four." });
        await tab.evaluate(async () => {
          await conversation.sendMessage("How much is two and two?");
          await conversation.run();
          await conversation.close();
        });
        const without = await tab.evaluate((given) => ended(open(given)), { ...given, id, apiKey: wrong, store: `other-${id}` });
        assert.equal(without.code, "server_auth", JSON.stringify(without));
        const isNew = await tab.evaluate((given) => ended(open(given)), { ...given, apiKey: wrong, store: `other-${id}` });
        assert.equal(isNew.code, "server_auth", JSON.stringify(isNew));

        const withCopy = await tab.evaluate(
          async (given) => {
            await open(given);
            return { text: await conversation.finalResponse(), sent: await ended(conversation.sendMessage("And now?")) };
          },
          { ...given, id, apiKey: wrong },
        );
        assert.equal(withCopy.text, "It is four.");
        assert.equal(withCopy.sent.code, "server_auth", JSON.stringify(withCopy));
        await tab.evaluate(() => until(() => conversation.waiting?.why === "server_auth"));
        const later = await tab.evaluate(() => ended(conversation.run()));
        assert.equal(later.code, "server_auth", JSON.stringify(later));
        await tab.evaluate(() => conversation.close());

        const stored = await tab.evaluate(() => everything());
        assert.ok(stored.includes("How much is two and two?"), "the dump has what is stored");
        for (const key of [server.apiKey, wrong]) {
          assert.ok(!stored.includes(key), "the key is stored");
          assert.ok(!way.requests.some((line) => line.includes(key)), "the key is in a URL");
          const places = way.sent.flatMap((text) => text.split("\r\n").filter((line) => line.includes(key)));
          assert.deepEqual([...new Set(places.map((line) => line.toLowerCase()))], [`x-session-api-key: ${key}`]);
        }
        assert.ok(way.requests.some((line) => line.includes("/sockets/")));
        assert.ok(!server.words.includes(server.apiKey), "the log of the server has the key");
      });

      inPages("without the server the copy is there, and it catches up", async ({ page, way, given }) => {
        const tab = await page();
        const id = await tab.evaluate((given) => open(given), given);
        replies.push({ text: "It is four." });
        await tab.evaluate(async () => {
          await conversation.sendMessage("How much is two and two?");
          await conversation.run();
        });
        /** The length of the copy that is left: the server may note statistics later. */
        const close = async () => {
          await isCopied(server, id, tab);
          return tab.evaluate(async () => {
            const { length } = conversation.events;
            await conversation.close();
            return length;
          });
        };
        let before = await close();
        await way.cut();
        for (const isAsked of [false, true]) {
          const offline = await tab.evaluate(
            async (given) => {
              const start = performance.now();
              await open(given);
              const took = performance.now() - start;
              const [listed] = (await Conversation.list({ store })).filter(({ id }) => id === given.id);
              const sent = await conversation.sendMessage("And now?");
              globalThis.run = ended(conversation.run());
              return {
                took,
                listed: listed?.id,
                status: conversation.executionStatus,
                text: await conversation.finalResponse(),
                length: conversation.events.length,
                sent: sent.id,
                queue: (await conversation.queue.list()).map(({ id }) => id),
                policy: await ended(conversation.setConfirmationPolicy({ kind: "NeverConfirm" })),
                waiting: await until(() => conversation.waiting),
              };
            },
            { ...given, id },
          );
          assert.deepEqual([offline.listed, offline.status, offline.length], [id, "finished", before]);
          assert.equal(offline.text, isAsked ? "It is five." : "It is four.");
          assert.deepEqual(offline.queue, [offline.sent]);
          assert.deepEqual([offline.policy.code, offline.waiting.why], ["network", "network"]);
          assert.ok(offline.took < 1000, `it took ${offline.took} ms`);

          // Somebody else goes on meanwhile, and the agent answers, which is not the run of this page.
          if (!isAsked) {
            replies.push({ text: "It is three." });
            await server.ask("POST", `/api/conversations/${id}/events`, {
              role: "user",
              content: [{ type: "text", text: "And three?" }],
              run: true,
            });
            const status = async () => JSON.parse((await server.ask("GET", `/api/conversations/${id}`)).text).execution_status;
            await until(async () => replies.length === 0 && (await status()) === "finished", "the other run ends", { seen: status });
            await sender(server, id).more(1, { isLast: true });
          }
          replies.push({ text: "It is five." });
          await way.mend();
          const run = await tab.evaluate(async (isAsked) => {
            if (isAsked) conversation.retryNow();
            await until(() => conversation.waiting === null);
            return run;
          }, isAsked);
          assert.deepEqual([run.value?.status, run.value?.finalResponse], ["finished", "It is five."], JSON.stringify(run));
          before = await close();
          if (!isAsked) await way.cut();
        }
      });

      inPages("a handle works while the server takes no more sockets", async ({ page, given }) => {
        const tab = await page();
        const id = await adopted(server, 10);
        const others = await page();
        const count = await others.evaluate(fill, { host: server.host, key: server.apiKey, id });
        assert.ok(count > 30, `${count} sockets`);
        await tab.evaluate((given) => open(given), { ...given, id });
        // Nothing is asked of it: it has to see by itself.
        await sender(server, id).more(3, { isLast: true });
        await isCopied(server, id, tab);
        replies.push({ text: "It is four." });
        const run = await tab.evaluate(async () => {
          await conversation.sendMessage("How much is two and two?");
          return ended(conversation.run());
        });
        assert.deepEqual([run.value?.status, run.value?.finalResponse], ["finished", "It is four."], JSON.stringify(run));
        await isCopied(server, id, tab);
        await isHeardOnce(tab, id);
        assert.equal(await tab.evaluate(() => conversation.waiting), null);
        await others.evaluate(() => hangUp());
      });

      inPages("a handle works where the answer to a socket never comes", async ({ page, way, given }) => {
        way.swallowsSockets = true;
        const tab = await page();
        const id = await adopted(server, 10);
        await tab.evaluate((given) => open(given), { ...given, id });
        // Nothing is asked of it: it has to see by itself.
        await sender(server, id).more(3, { isLast: true });
        await isCopied(server, id, tab);
        await way.cut();
        replies.push({ text: "It is four." });
        await tab.evaluate(async () => {
          await until(() => conversation.waiting);
          await conversation.sendMessage("How much is two and two?");
          globalThis.run = ended(conversation.run());
        });
        await way.mend();
        const run = await tab.evaluate(() => run);
        assert.deepEqual([run.value?.status, run.value?.finalResponse], ["finished", "It is four."], JSON.stringify(run));
        await isCopied(server, id, tab);
        // It takes a socket once there are some.
        assert.equal(way.sockets, 0);
        way.swallowsSockets = false;
        await until(() => way.sockets === 1, "one socket is open", { seen: () => way.sockets });
        await sender(server, id).more(1, { isLast: true });
        await isHeardOnce(tab, id);
      });

      inPages("a long log is read once", async ({ t, page, way, given }) => {
        const id = await adopted(server, 2_000);
        const tab = await page();
        const opened = async (options) => {
          const before = way.requests.length;
          const took = await tab.evaluate(async (given) => {
            const start = performance.now();
            await open(given);
            return performance.now() - start;
          }, options);
          await isCopied(server, id, tab);
          await tab.evaluate(() => conversation.close());
          return { took: Math.round(took), requests: way.requests.slice(before) };
        };
        const first = await opened({ ...given, id });
        const again = await opened({ ...given, id });
        const counts = [first, again].map(({ took, requests }) => `${took} ms and ${requests.length} requests`);
        t.diagnostic(`opened without a copy in ${counts[0]}, with one in ${counts[1]}`);
        const length = server.stored(id).length;
        assert.ok(length >= 2_000);
        const pages = (lines) => lines.filter((line) => line.startsWith("GET") && line.includes("/events/search"));
        assert.ok(pages(first.requests).length <= length / 100 + 3, first.requests.join("\n"));
        // A connection may be lost on a busy machine: the next one costs as much.
        const connections = Math.max(1, again.requests.filter((line) => line.includes("/sockets/")).length);
        assert.ok(pages(again.requests).length <= 2 * connections, again.requests.join("\n"));
        assert.ok(again.requests.length <= 10 * connections, again.requests.join("\n"));
      });
    }

    /** This page has told of the last events of the log, as many as it has heard of, each once. */
    async function isHeardOnce(tab, id) {
      let ids;
      let told;
      // The log may still grow, such as by statistics of a run that has ended.
      const isTold = async () => {
        ids = server.stored(id).map(({ text }) => JSON.parse(text).id);
        told = await tab.evaluate(() => globalThis.told());
        return told.at(-1) === ids.at(-1);
      };
      await until(isTold, "the page has told of the last event");
      assert.ok(told.length > 0);
      assert.deepEqual(told, ids.slice(-told.length));
    }
  });
}

/** Another client, which sends messages all the time until it `end()`s. */
function sender(server, id) {
  let sent = 0;
  let isOver = false;
  let failure;
  const waiting = new Set();
  const going = (async () => {
    while (!isOver) {
      const content = [{ type: "text", text: `message ${sent}` }];
      const { status, text } = await server.ask("POST", `/api/conversations/${id}/events`, { role: "user", content, run: false });
      assert.equal(status, 200, text);
      sent += 1;
      for (const look of waiting) look();
      await delay(20);
    }
  })();
  going.catch((error) => {
    failure = error;
    for (const look of waiting) look();
  });
  const end = async () => {
    isOver = true;
    await going;
    return sent;
  };
  return {
    /** Resolves when so many more are sent. */
    async more(count, { isLast = false } = {}) {
      const enough = sent + count;
      const { promise, resolve, reject } = deferred();
      const look = () => (failure ? reject(failure) : sent >= enough && resolve());
      waiting.add(look);
      if (isLast) promise.then(() => (isOver = true));
      look();
      await promise;
      waiting.delete(look);
      if (isLast) await end();
    },
    end,
  };
}

/** In a page: other clients that listen to a conversation, as many as the server takes, until `hangUp()`. */
async function fill({ host, key, id }) {
  const sockets = [];
  globalThis.hangUp = () => sockets.forEach((socket) => socket.close());
  for (let isFull = false; !isFull; )
    isFull = await new Promise((resolve) => {
      const socket = new WebSocket(`${host.replace("http", "ws")}/sockets/events/${id}`);
      socket.onopen = () => socket.send(JSON.stringify({ type: "auth", session_api_key: key }));
      socket.onmessage = () => resolve(false);
      socket.onclose = ({ code }) => resolve(code);
      sockets.push(socket);
    });
  return sockets.length - 1;
}
