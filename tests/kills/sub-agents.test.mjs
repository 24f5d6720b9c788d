// A browser is killed at random moments while sub-agents and terminals work: parent and sub-agents agree afterwards, files and
// events agree, and nothing that may not be done twice is done twice.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { json } from "node:stream/consumers";
import { amount, seed } from "../support/explored.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, isReady, launch } from "../support/browser/driver.mjs";

const killsOf = (kind) => amount({ chromium: 5, firefox: 2 }[kind]);
/** The steps of each task: by a tool that may not be repeated, one that may, the terminal, and the editor. */
const tools = ["once", "again", "terminal", "edit", "edit", "once"];

/**
 * The parent gives two tasks and writes a line in the terminal, then another one; each sub-agent takes its steps one after the
 * other. Depends only on the messages.
 */
async function script({ messages }) {
  await delay(15);
  const name = /SUBAGENT (\w+)/.exec(JSON.stringify(messages.slice(0, 2)))?.[1];
  const results = messages.filter(({ role }) => role === "tool").length;
  const say = (text) => ({ text });
  const run = (command) => ({ name: "terminal", arguments: { command } });
  if (name === undefined) {
    if (results === 0)
      return {
        calls: [
          ...["left", "right"].map((side) => ({ name: "task", arguments: { prompt: `SUBAGENT ${side}` } })),
          run("echo begin >> log.txt"),
        ],
      };
    return results < 4 ? { calls: [run("echo end >> log.txt")] } : say("Both are done.");
  }
  const tool = tools[results];
  if (tool === undefined) return say(`${name} is done`);
  const step = `${name} ${results}`;
  const edit = () => ({
    name: "file_editor",
    arguments: { command: "insert", path: "/workspace/lines.txt", insert_line: 0, new_str: step },
  });
  const calls = { terminal: () => run(`echo side ${name} >> ${name}.txt`), edit };
  return { calls: [calls[tool]?.() ?? { name: tool, arguments: { step } }] };
}

for (const kind of availableBrowsers) {
  const kills = killsOf(kind);
  test(`sub-agents survive ${kills} kills of ${kind} at random moments, seed ${seed}`, async (context) => {
    const random = randomFrom(seed);
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-sub-agents-${kind}-`));
    const model = createModel(script);
    const acts = [];
    const server = await startServer({
      model,
      mounts: {
        "/act": async (request, response) => {
          const act = await json(request);
          acts.push(act);
          await delay(70);
          response.end(`${act.step} is taken`);
          return true;
        },
      },
    });
    const seen = { kills: 0, conversations: 0, interrupted: 0, repeated: 0, lines: 0 };
    let browser;
    try {
      let id = crypto.randomUUID();
      while (seen.kills < kills) {
        browser = await launch(kind, { profile });
        await browser.page(`${server.origin}/pages/sub-agents.html`);
        await browser.evaluate(isReady);
        const done = browser
          .evaluate((id) => window.work(id), id)
          .then(
            (status) => ({ status }),
            () => undefined,
          );
        const result = await Promise.race([done, delay(random.between(100, 1300))]);
        if (result) {
          assert.equal(result.status, "finished");
          check(await browser.evaluate((id) => window.inspect(id), id), acts.splice(0), seen);
          id = crypto.randomUUID();
          seen.conversations++;
        }
        await browser.kill();
        seen.kills++;
        await done;
      }
      browser = await launch(kind, { profile });
      await browser.page(`${server.origin}/pages/sub-agents.html`);
      await browser.evaluate(isReady);
      assert.equal(await browser.evaluate((id) => window.work(id), id), "finished");
      check(await browser.evaluate((id) => window.inspect(id), id), acts.splice(0), seen);
      context.diagnostic(
        Object.entries(seen)
          .map(([what, count]) => `${count} ${what}`)
          .join(", "),
      );
      assert.deepEqual(model.violations, []);
    } finally {
      await browser?.close();
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}

/** What has to hold of a finished conversation and its sub-agents. */
function check({ parent, files, children }, acts, seen) {
  assert.deepEqual(files["log.txt"], ["begin", "end"], "each command of the conversation itself has changed its files once");
  assert.equal(children.length, 2, "every task has one conversation");
  assert.deepEqual(
    Object.values(parent.tasks)
      .map(({ conversation }) => conversation)
      .sort(),
    children.map(({ id }) => id).sort(),
  );
  assert.equal(parent.finalResponse, "Both are done.");
  const results = parent.events.filter(({ kind, tool_name }) => kind === "ObservationEvent" && tool_name === "task");
  assert.equal(results.length, 2);
  for (const { id, status, events, stats, finalResponse } of children) {
    const name = /SUBAGENT (\w+)/.exec(JSON.stringify(events))[1];
    assert.deepEqual(files[`${name}.txt`], [`side ${name}`], "each command of a sub-agent has changed the files above it once");
    const lines = files["lines.txt"].filter((line) => line.startsWith(name));
    assert.deepEqual(
      lines.sort(),
      [3, 4].map((step) => `${name} ${step}`),
      "each line of a sub-agent is in the file once",
    );
    seen.lines += lines.length;
    const [taskId, { action }] = Object.entries(parent.tasks).find(([, { conversation }]) => conversation === id);
    assert.equal(status, "finished");
    // The prompt was sent once, and the parent has the sub-agent's last word.
    assert.deepEqual(
      events.filter(({ source, kind }) => kind === "MessageEvent" && source === "user").map(({ sender }) => sender),
      [action],
    );
    const result = results.find(({ action_id }) => action_id === action);
    assert.deepEqual(
      [result.observation.task_id, result.observation.status, result.observation.content[0].text],
      [taskId, "completed", finalResponse],
    );
    const own = parent.stats.usage_to_metrics[`task:${taskId}`];
    const all = Object.values(stats.usage_to_metrics);
    assert.equal(own.token_usages.length, all.flatMap(({ token_usages }) => token_usages).length);
    // Every call has exactly one answer.
    const calls = events.filter(({ kind }) => kind === "ActionEvent").map(({ tool_call_id }) => tool_call_id);
    const answers = events
      .filter(({ kind }) => ["ObservationEvent", "AgentErrorEvent", "UserRejectObservation"].includes(kind))
      .map(({ tool_call_id }) => tool_call_id);
    assert.deepEqual(answers.sort(), calls.sort());
    seen.interrupted += events.filter(({ kind }) => kind === "AgentErrorEvent").length;
  }
  const keys = (name) => acts.filter((act) => act.name === name).map(({ key }) => key);
  assert.equal(new Set(keys("once")).size, keys("once").length, "a step that may not be repeated is taken once");
  seen.repeated += keys("again").length - new Set(keys("again")).size;
}
