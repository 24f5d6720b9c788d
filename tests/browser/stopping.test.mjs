// Stopping an agent at work: at once, and so that it lasts until somebody lets it go on.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, isReady, launch } from "./driver.mjs";

const begin = ["SystemPrompt", "Message"];
const work = { calls: [{ name: "work", arguments: {} }] };
const last = { text: "That is all." };
const end = { status: "finished", finalResponse: "That is all." };

for (const kind of availableBrowsers) {
  test(`${kind}: interrupted in the middle of an answer`, async (context) => {
    const { browser, given, model } = await stage(context, kind, [{ text: "One word after the other", stallAfter: 3 }, last]);
    const { stopped, after } = await browser.evaluate((given) => window.interruptInStream(given), given);
    assert.deepEqual(stopped, { status: "paused", kinds: [...begin, "Interrupt"] });
    assert.deepEqual(after, { ...end, kinds: [...begin, "Interrupt", "Message"] });
    assert.equal(model.requests.length, 2);
  });

  test(`${kind}: interrupted in a tool that ignores its signal`, async (context) => {
    const { browser, given, model } = await stage(context, kind, [work, last]);
    const { stopped, after, late } = await browser.evaluate((given) => window.interruptInTool(given), given);
    const kinds = [...begin, "Action", "AgentError", "Interrupt"];
    assert.deepEqual(stopped, { status: "paused", kinds });
    assert.deepEqual(after, { ...end, kinds: [...kinds, "Message"] });
    assert.deepEqual(late, after.kinds, "what a tool returns that nobody waits for is not written");
    model.check();
  });

  for (const [name, { pause, paused, found = "paused", kinds, replies, kills }] of Object.entries({
    "before it ran": { pause: (given) => window.pauseBefore(given), paused: ["Pause"], kinds: ["Message"], replies: [last] },
    "in a tool that ends": {
      pause: (given) => window.pauseInTool(given, true),
      paused: ["Action", "Pause", "Observation"],
      kinds: ["Message"],
      replies: [work, last],
    },
    "in a tool that never does, in a browser that is killed": {
      pause: (given) => window.pauseInTool(given, false),
      paused: ["Action", "Pause"],
      // Nobody knows whether it took effect, so it is not done again.
      kinds: ["AgentError", "Message"],
      replies: [work, last],
      kills: true,
    },
  })) {
    test(`${kind}: paused ${name}, and run by the next browser`, async (context) => {
      const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-stopping-${kind}-`));
      let next;
      context.after(async () => {
        await next?.close();
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      });
      const { browser, given, model, page } = await stage(context, kind, replies, profile);
      try {
        assert.deepEqual(await browser.evaluate(pause, given), { status: "paused", kinds: [...begin, ...paused] });
      } finally {
        await (kills ? browser.kill() : browser.close());
      }
      next = await launch(kind, { profile });
      await next.page(page);
      await next.evaluate(isReady);
      const result = await next.evaluate((given) => window.goOn(given), given);
      assert.deepEqual(result, { found, ...end, kinds: [...begin, ...paused, ...kinds] });
      model.check();
      assert.deepEqual(next.problems, []);
    });
  }
}

/** A browser at the page, and a model with these replies. */
async function stage(context, kind, replies, profile) {
  const server = await startServer();
  context.after(() => server.close());
  const model = createModel(replies);
  const { baseUrl, close } = await model.listen();
  context.after(() => close());
  const browser = await launch(kind, profile ? { profile } : {});
  if (!profile) context.after(() => browser.close());
  const page = `${server.origin}/pages/stopping.html`;
  await browser.page(page);
  await browser.evaluate(isReady);
  return { browser, page, model, given: { id: crypto.randomUUID(), baseUrl } };
}
