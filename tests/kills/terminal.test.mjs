// A browser is killed at random moments while its agent works in the terminal. Whenever the conversation is opened again,
// its files are those of its events: a command whose result is stored has changed them once, any other command not at all.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { amount, seed } from "../support/explored.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";

const kills = amount(3);
const steps = 120;

/** Opens the conversation, compares its files with its events, and runs on to the end. */
async function workOn({ id, baseUrl }) {
  const { Agent, Conversation, LLM, indexedDBStore, terminal } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl }), tools: [terminal()] });
  const conversation = await Conversation.open({
    agent,
    conversationId: id,
    store: indexedDBStore("terminal-kills"),
    stuckDetection: false,
    maxIterationPerRun: 1000,
  });

  const disagreements = async () => {
    const events = await conversation.events.slice();
    const done = events
      .filter(({ kind, observation }) => kind === "ObservationEvent" && observation.exit_code === 0)
      .map(({ observation }) => /step (\d+)/.exec(observation.command)[1]);
    const read = async (path) => new TextDecoder().decode(await conversation.workspace.read(path));
    const entries = await conversation.workspace.list("");
    const log = entries.some(({ path }) => path === "log.txt") ? (await read("log.txt")).trim().split("\n") : [];
    const files = entries.some(({ path }) => path === "steps")
      ? (await conversation.workspace.list("steps")).map(({ path }) => /\d+/.exec(path)[0])
      : [];
    const sorted = (numbers) =>
      [...numbers]
        .map(Number)
        .sort((one, other) => one - other)
        .join();
    const found = [];
    if (log.join() !== done.join()) found.push(`log ${log.join()} but events ${done.join()}`);
    if (sorted(files) !== sorted(done)) found.push(`files ${sorted(files)} but events ${sorted(done)}`);
    return { found, done: done.length, failed: events.filter(({ kind }) => kind === "AgentErrorEvent").length };
  };
  const opened = await disagreements();
  if (opened.found.length > 0) return { ...opened, status: "wrong when opened" };
  if (conversation.events.length === 0) await conversation.sendMessage("Work.");
  const { status } = await conversation.run();
  return { ...(await disagreements()), status };
}

for (const kind of availableBrowsers) {
  test(`${kind}: ${kills} kills with the terminal at work, seed ${seed}`, async (context) => {
    const random = randomFrom(seed);
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-terminal-${kind}-`));
    let step = 0;
    let noticed = () => {};
    const model = createModel(() => {
      noticed();
      if (step >= steps) return { text: "Done." };
      const calls = Array.from({ length: 1 + (step % 3 === 0) }, () => {
        const number = ++step;
        const command = `: step ${number}; mkdir -p steps && echo ${number} >> log.txt && for i in 1 2 3; do echo $i >> steps/${number}.txt; done && cp log.txt copy.txt && mv copy.txt last.txt`;
        return { name: "terminal", arguments: { command } };
      });
      return { text: "Working.", calls };
    });
    const [server, { close, baseUrl }] = await Promise.all([startServer(), model.listen()]);
    const id = crypto.randomUUID();
    let browser;
    try {
      for (let life = 0; life <= kills; life++) {
        browser = await launch(kind, { profile });
        let left = random.between(1, 5);
        const reached = new Promise((resolve) => (noticed = () => --left === 0 && resolve("reached")));
        await browser.page(`${server.origin}/pages/blank.html`);
        const run = browser.evaluate(workOn, { id, baseUrl });
        if (life === kills) {
          const { found, status, done, failed } = await run;
          assert.deepEqual([found, status], [[], "finished"]);
          context.diagnostic(`${done} commands, ${failed} calls left out, ${model.requests.length} requests`);
        } else {
          const first = await Promise.race([reached, run]);
          assert.equal(first, "reached", JSON.stringify(first));
          // The evaluation ends with its browser.
          run.catch(() => {});
          await delay(random.between(0, 120));
        }
        await (life === kills ? browser.close() : browser.kill());
        browser = undefined;
      }
      assert.deepEqual(model.violations, []);
    } finally {
      await browser?.kill();
      await close();
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}
