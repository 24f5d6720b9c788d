// A run whose network goes away before, in the middle of and after an answer, in real browsers: it waits, reports that, and
// goes on by itself; and nothing is sent twice.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { listen } from "../../support/listen.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";
import { endOf } from "../../support/ended.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

const hello = { text: "Hello from the other side." };
const done = { status: "finished", finalResponse: hello.text };

for (const kind of availableBrowsers) {
  test(`${kind}: a run whose network goes away waits, says so and goes on, and sends nothing twice`, async (context) => {
    const browser = await tabs(kind);
    /** A page of its own with a conversation, and a model that can go away. */
    const step = (name, replies, body) =>
      context.test(name, async () => {
        const model = createModel(replies);
        let listening = await model.listen();
        const { port, baseUrl } = listening;
        const id = crypto.randomUUID();
        const network = { goes: () => listening.close(), comes: async () => void (listening = await model.listen(port)) };
        const page = await browser.page(`${server.origin}/pages/blank.html`);
        const until = (condition) => untilIn(page, String(condition), condition);
        const opened = (options = {}) => page.evaluate(open, { id, baseUrl, ...options });
        try {
          await body({ page, model, network, until, opened });
          if (Array.isArray(replies)) model.check();
        } finally {
          await page.close();
          await listening.close().catch(() => {});
        }
      });
    try {
      await step(
        "a run without a network sends its request once, when the network is back",
        [hello],
        async ({ page, model, network, until, opened }) => {
          await opened();
          await network.goes();
          await page.evaluate(run);
          await until(() => window.waits.some(({ attempt }) => attempt > 1) && window.conversation.waiting !== null);
          const first = await page.evaluate(() => ({ ...window.waits[0], isTold: window.conversation.waiting !== null }));
          assert.deepEqual(
            { ...first, message: undefined },
            { kind: "WaitingEvent", attempt: 1, seconds: 1, why: "network", isTold: true, message: undefined },
          );
          assert.match(first.message, /connection to the provider failed/);
          await network.comes();
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          assert.equal(model.requests.length, 1, "what could not arrive was not sent");
          assert.deepEqual(await page.evaluate(() => [window.waits.at(-1).seconds, window.conversation.waiting]), [0, null]);
        },
      );

      await step(
        "a network lost in mid-answer voids what was shown, and the answer is requested again",
        [{ ...hello, pieces: 4, stallAfter: 4 }, hello],
        async ({ page, model, network, until, opened }) => {
          await opened();
          await page.evaluate(run);
          await until(() => window.text.length > 4);
          await network.goes();
          await until(() => window.waits.length > 0);
          assert.equal(await page.evaluate(() => window.text), "");
          await network.comes();
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          assert.equal(await page.evaluate(() => window.text), hello.text);
          assert.deepEqual(await page.evaluate(kinds), ["SystemPromptEvent", "MessageEvent", "MessageEvent"]);
          assert.equal(model.requests.length, 2);
        },
      );

      await step(
        "a message without a network is stored, and its wait can be ended",
        [hello, hello],
        async ({ page, network, until, opened }) => {
          await opened();
          await page.evaluate(run);
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          await network.goes();
          for (const [stop, kind] of [
            ["interrupt", "InterruptEvent"],
            ["pause", "PauseEvent"],
          ]) {
            await page.evaluate(run);
            await until(() => window.conversation.waiting !== null);
            const stopped = await page.evaluate(async (stop) => {
              await window.conversation[stop]();
              return [(await window.ended).status, window.conversation.executionStatus, window.conversation.waiting];
            }, stop);
            assert.deepEqual(stopped, ["paused", "paused", null]);
            assert.equal((await page.evaluate(kinds)).at(-1), kind);
          }
          await page.evaluate(run, true);
          await until(() => window.conversation.waiting !== null);
          assert.match(await page.evaluate(() => (window.stop.abort(), window.ended)), /^aborted/);
          await page.evaluate(run);
          await until(() => window.conversation.waiting !== null);
          await network.comes();
          await page.evaluate(() => window.conversation.retryNow());
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
        },
      );

      await step(
        "a page that died while waiting for the network warns when opened again, and run() continues",
        [hello],
        async ({ page, model, network, until, opened }) => {
          await opened();
          await network.goes();
          await page.evaluate(run);
          await until(() => window.conversation.state.agent_state.waiting_for_network !== undefined);
          await page.reload();
          await opened();
          const found = await page.evaluate(() => [
            window.conversation.executionStatus,
            window.conversation.warnings.map(({ code, message }) => `${code}: ${message}`),
          ]);
          assert.equal(found[0], "paused");
          assert.match(
            found[1].join("\n"),
            /interrupted: the run was waiting for the network when it ended \(.*\); call run\(\) to continue/,
          );
          await page.evaluate(run, false, false);
          await until(() => window.conversation.waiting !== null);
          await network.comes();
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          assert.equal(await page.evaluate(() => window.conversation.state.agent_state.waiting_for_network), undefined);
          assert.equal(model.requests.length, 1);
        },
      );

      await step(
        "a server's retry-after is respected, unless retryNow() is called",
        [{ status: 429, headers: { "retry-after": "40" }, body: { error: { message: "slow down" } } }, hello],
        async ({ page, model, until, opened }) => {
          await opened();
          await page.evaluate(run);
          await until(() => window.waits.length > 0);
          const { attempt, seconds, why, message } = await page.evaluate(() => window.waits[0]);
          assert.deepEqual([attempt, seconds, why], [1, 40, "llm_rate_limit"]);
          assert.match(message, /slow down/);
          // A network that comes is no reason to ask earlier.
          await page.evaluate(() => dispatchEvent(new Event("online")));
          assert.equal(model.requests.length, 1);
          await page.evaluate(() => window.conversation.retryNow());
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          assert.equal(model.requests.length, 2);
        },
      );

      await step(
        "a stream that does not outlive the sleep of the page is asked for again",
        [{ ...hello, pieces: 4, stallAfter: 4 }, hello],
        async ({ page, model, until, opened }) => {
          await page.evaluate(hurry);
          await opened();
          await page.evaluate(run);
          await until(() => window.text === "Hello from t");
          await page.evaluate(() => document.dispatchEvent(new Event("resume")));
          assert.deepEqual(endOf(await page.evaluate(() => window.ended)), done);
          assert.equal(await page.evaluate(() => window.text), hello.text);
          // Each request has a connection of its own: the end of one may arrive after the answer on the other.
          await model.left(1);
          assert.deepEqual([model.requests.length, model.requests[0].aborted], [2, true]);
        },
      );

      await step("bytes that came before the sleep, and are read after it, are no sign of life", [], async ({ page, until, opened }) => {
        await page.evaluate(hurry);
        await page.evaluate(answerByHand);
        await opened({ isByHand: true });
        await page.evaluate(run);
        await until(() => window.asked === 1);
        await page.evaluate(() => window.say("Hello"));
        await until(() => window.text === "Hello");
        await page.evaluate(() => {
          document.dispatchEvent(new Event("resume"));
          window.say(" from");
        });
        await until(() => window.asked === 2);
        await page.evaluate(() => window.say("Hello again.", true));
        assert.deepEqual(endOf(await page.evaluate(() => window.ended)), { status: "finished", finalResponse: "Hello again." });
      });

      await step('a conversation with offline: "fail" gets the network error at once', [], async ({ page, network, opened }) => {
        await opened({ offline: "fail", llm: { numRetries: 1 } });
        await network.goes();
        await page.evaluate(run);
        assert.match(await page.evaluate(() => window.ended), /^network: /);
        assert.deepEqual(await page.evaluate(() => window.waits), []);
        assert.equal(await page.evaluate(() => window.refused), 'invalid_options: offline must be "wait" or "fail"');
      });

      await step("a server that answers but refuses the page ends the run at once, and nothing waits", [], async ({ page, opened }) => {
        const asked = [];
        const refusing = await listen(({ method }, response) => (asked.push(method), response.writeHead(403).end()));
        try {
          for (const offline of ["wait", "fail"]) {
            await opened({ offline, baseUrl: `${refusing.origin}/v1` });
            await page.evaluate(run);
            assert.equal(
              await page.evaluate(() => window.ended),
              `cors: the server answers, but does not allow requests from web pages (CORS): ${new URL(refusing.origin).host} refuses ${server.origin}; let it allow this page, or set baseUrl to a relay of yours`,
            );
            assert.deepEqual(await page.evaluate(() => window.waits), []);
            assert.deepEqual(asked.splice(0), ["OPTIONS", "HEAD", "OPTIONS", "HEAD"]);
            await page.evaluate(() => window.conversation.close());
          }
        } finally {
          await refusing.close();
        }
      });

      await step(
        "an answer that the server itself breaks off is not asked for again",
        [{ ...hello, pieces: 4, pace: 50, breakAfter: 5 }],
        async ({ page, model, opened }) => {
          await opened();
          await page.evaluate(run);
          assert.match(await page.evaluate(() => window.ended), /^network: /);
          assert.notEqual(await page.evaluate(() => window.text), "");
          assert.equal(model.requests.length, 1);
        },
      );
    } finally {
      await browser.close();
    }
  });
}

/** In the page: a conversation, what it waits for, and what has streamed. */
async function open({ id, baseUrl, offline, llm, isByHand }) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const byHand = isByHand && { fetch: window.answer };
  const agent = new Agent({ llm: new LLM({ model: "openai/scripted", baseUrl, ...llm, ...byHand }) });
  window.refused = await Conversation.open({ agent, offline: "never" }).then(
    () => "",
    ({ code, message }) => `${code}: ${message}`,
  );
  window.conversation = await Conversation.open({ agent, conversationId: id, ...(offline && { offline }) });
  window.waits = [];
  window.text = "";
  window.conversation.subscribe((event) => {
    if (event.kind === "WaitingEvent") {
      window.waits.push(event);
      window.text = "";
    } else if (event.kind === "StreamingDeltaEvent") {
      window.text += event.content ?? "";
    }
  });
}

/** In the page: sends a message, and runs. */
async function run(hasSignal = false, speaks = true) {
  const { conversation } = window;
  if (speaks) await conversation.sendMessage("Hello?");
  window.waits.length = 0;
  window.text = "";
  window.stop = new AbortController();
  const ended = conversation.run(hasSignal ? { signal: window.stop.signal } : {});
  window.ended = Promise.resolve(ended).catch(({ code, message }) => `${code}: ${message}`);
}

async function kinds() {
  const kinds = [];
  for await (const { kind } of window.conversation.events) kinds.push(kind);
  return kinds;
}

/** In the page: nobody waits for a quarter of a minute there. WebKit's driver uses the page's timers for its own five minutes. */
function hurry() {
  const { setTimeout } = window;
  const shorter = (milliseconds) => (milliseconds > 60_000 ? milliseconds : milliseconds / 50);
  window.setTimeout = (act, milliseconds, ...rest) => setTimeout(act, shorter(milliseconds), ...rest);
}

/** In the page: `answer` is a `fetch` whose newest answer gets a piece of text, or its last one, when `say` is called. */
function answerByHand() {
  window.asked = 0;
  let stream;
  window.answer = (_url, { signal }) => {
    window.asked += 1;
    const body = new ReadableStream({ start: (controller) => void (stream = controller) });
    const mine = stream;
    signal.addEventListener("abort", () => mine.error(signal.reason));
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  const chunk = (choice) => `data: ${JSON.stringify({ id: "answer", model: "scripted", choices: [{ index: 0, ...choice }] })}\n\n`;
  window.say = (content, isLast) => {
    const text = chunk({ delta: { content } }) + (isLast ? `${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n` : "");
    stream.enqueue(new TextEncoder().encode(text));
    if (isLast) stream.close();
  };
}
