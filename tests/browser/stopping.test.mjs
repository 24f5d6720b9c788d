// Stopping an agent at work: at once, and so that it lasts until somebody lets it go on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, isReady, launch } from "./driver.mjs";
import { tabs } from "./shared.mjs";

const begin = ["SystemPrompt", "Message"];
const work = { calls: [{ name: "work", arguments: {} }] };
const last = { text: "That is all." };
const end = { status: "finished", finalResponse: "That is all." };

/** What is done until the conversation is paused, what is in its log then, what comes behind when it goes on, and what the model says. */
const pauses = {
  "before it ran": { pause: (given) => window.pauseBefore(given), paused: ["Pause"], kinds: ["Message"], replies: [last] },
  "in a tool that ends": {
    pause: (given) => window.pauseInTool(given, true),
    paused: ["Action", "Pause", "Observation"],
    kinds: ["Message"],
    replies: [work, last],
  },
  "in a tool that never does": {
    pause: (given) => window.pauseInTool(given, false),
    paused: ["Action", "Pause"],
    // Nobody knows whether it took effect, so it is not done again.
    kinds: ["AgentError", "Message"],
    replies: [work, last],
  },
};

for (const kind of availableBrowsers) {
  test(`${kind}: interrupted in the middle of an answer`, async (context) => {
    const { browser, given, model } = await interrupted(context, kind, [{ text: "One word after the other", stallAfter: 3 }, last]);
    const { stopped, after } = await browser.evaluate((given) => window.interruptInStream(given), given);
    assert.deepEqual(stopped, { status: "paused", kinds: [...begin, "Interrupt"] });
    assert.deepEqual(after, { ...end, kinds: [...begin, "Interrupt", "Message"] });
    assert.equal(model.requests.length, 2);
  });

  test(`${kind}: interrupted in a tool that ignores its signal`, async (context) => {
    const { browser, given, model } = await interrupted(context, kind, [work, last]);
    const { stopped, after, late } = await browser.evaluate((given) => window.interruptInTool(given), given);
    const kinds = [...begin, "Action", "AgentError", "Interrupt"];
    assert.deepEqual(stopped, { status: "paused", kinds });
    assert.deepEqual(after, { ...end, kinds: [...kinds, "Message"] });
    assert.deepEqual(late, after.kinds, "what a tool returns that nobody waits for is not written");
    model.check();
  });

  for (const [way, names] of Object.entries({ close: ["before it ran", "in a tool that ends"], kill: ["in a tool that never does"] })) {
    test(`${kind}: paused, and run by the next browser after a ${way}`, async (context) => {
      const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-stopping-${kind}-`));
      context.after(() => rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
      const page = await served(context);
      const rows = await Promise.all(names.map(async (name) => ({ name, ...pauses[name], ...(await answered(context, pauses[name].replies)) })));
      const first = await launch(kind, { profile });
      try {
        await opened(first, page);
        for (const { given, name, pause, paused } of rows) {
          assert.deepEqual(await first.evaluate(pause, given), { status: "paused", kinds: [...begin, ...paused] }, name);
        }
      } finally {
        await first[way]();
      }
      const next = await launch(kind, { profile });
      try {
        await opened(next, page);
        for (const row of rows) await context.test(row.name, () => goesOn(next, row));
        assert.deepEqual(next.problems, []);
      } finally {
        await next.close();
      }
    });
  }
}

async function goesOn(browser, { given, model, paused, kinds }) {
  const result = await browser.evaluate((given) => window.goOn(given), given);
  assert.deepEqual(result, { found: "paused", ...end, kinds: [...begin, ...paused, ...kinds] });
  model.check();
}

/** Tabs at the page, and a model with these replies. */
async function interrupted(context, kind, replies) {
  const browser = await tabs(kind);
  context.after(() => browser.close());
  await opened(browser, await served(context));
  return { browser, ...(await answered(context, replies)) };
}

/** The page's address. */
async function served(context) {
  const server = await startServer();
  context.after(() => server.close());
  return `${server.origin}/pages/stopping.html`;
}

async function opened(browser, page) {
  await browser.page(page);
  await browser.evaluate(isReady);
}

/** A model, and a conversation that it answers. */
async function answered(context, replies) {
  const model = createModel(replies);
  const { baseUrl, close } = await model.listen();
  context.after(() => close());
  return { model, given: { id: crypto.randomUUID(), baseUrl } };
}
