// A page dies at a certain point of a conversation; it is opened again, and either run or sent a message. What comes
// of it is this table. Every conversation goes on, none makes a request that a provider would refuse, and nothing
// that may not be done twice is done twice.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, isReady, launch } from "./driver.mjs";

const step = (n) => ({ text: `I do step ${n}.`, calls: [{ name: "step", arguments: { n } }] });
const beginning = ["SystemPrompt", "Message"];
const firstStep = [...beginning, "Action", "Observation"];
const secondStep = [...firstStep, "Action"];
const unknown = /nobody knows whether it took effect/;

/**
 * What the page does until it dies, what is done with the conversation then, and what there is to be seen:
 *   status, pending   on opening
 *   acts              how often step(2) has been carried out in the end
 *   kinds             of the events that come after those of the dead page
 *   reads             what the model is told of the call
 */
const table = [
  { point: "tool", replay: "safe", then: "run", status: "paused", pending: 1, acts: 2, kinds: ["Observation", "Message"], reads: /step 2 is done/ },
  { point: "tool", replay: "safe", then: "message", status: "paused", pending: 1, acts: 1, kinds: ["AgentError"], reads: unknown },
  { point: "tool", replay: "ask", then: "run", status: "waiting_for_confirmation", pending: 1, acts: 2, kinds: ["Observation", "Message"], reads: /step 2 is done/ },
  { point: "tool", replay: "ask", then: "reject", status: "waiting_for_confirmation", pending: 1, acts: 1, kinds: ["UserRejectObservation", "Message"], reads: /not now[^]*nobody knows/ },
  { point: "tool", replay: "ask", then: "message", status: "waiting_for_confirmation", pending: 1, acts: 1, kinds: ["AgentError"], reads: unknown },
  { point: "tool", replay: "never", then: "run", status: "paused", pending: 0, acts: 1, kinds: ["AgentError", "Message"], reads: unknown },
  { point: "tool", replay: "never", then: "message", status: "paused", pending: 0, acts: 1, kinds: ["AgentError"], reads: unknown },
  { point: "silence", replay: "never", then: "run", status: "paused", pending: 0, acts: 0, kinds: ["Message"] },
  { point: "silence", replay: "never", then: "message", status: "paused", pending: 0, acts: 0, kinds: [] },
  { point: "answer", replay: "never", then: "run", status: "paused", pending: 0, acts: 0, kinds: ["Message"] },
  { point: "answer", replay: "never", then: "message", status: "paused", pending: 0, acts: 0, kinds: [] },
  { point: "pause", replay: "never", then: "run", status: "paused", warns: false, pending: 0, acts: 0, kinds: ["Message"] },
  { point: "pause", replay: "never", then: "message", status: "paused", warns: false, pending: 0, acts: 0, kinds: [] },
  { point: "paused-call", replay: "never", then: "run", status: "paused", warns: false, pending: 1, acts: 1, kinds: ["Observation", "Message"], reads: /step 2 is done/ },
  { point: "paused-call", replay: "never", then: "message", status: "paused", warns: false, pending: 1, acts: 0, kinds: ["UserRejectObservation"], reads: /sent a new message instead/ },
  // Nobody can tell that the tool had not begun.
  { point: "actions", replay: "never", then: "run", status: "paused", pending: 0, acts: 0, kinds: ["AgentError", "Message"], reads: unknown },
];

/** What the dead page left in the log. */
const left = {
  tool: secondStep,
  actions: secondStep,
  silence: beginning,
  answer: beginning,
  pause: [...beginning, "Pause"],
  "paused-call": [...beginning, "Pause", "Action"],
};

/** What the model answers until the page dies. */
const untilDeath = {
  tool: () => [step(1), step(2)],
  actions: () => [step(1), step(2)],
  silence: () => [{ text: "This is never sent.", pace: () => new Promise(() => {}) }],
  answer: () => [{ text: "This breaks off after a few words.", stallAfter: 3 }],
  pause: () => [{ text: "This is never sent.", pace: () => new Promise(() => {}) }],
  "paused-call": (letGo) => [{ ...step(2), pace: () => letGo }],
};

for (const kind of availableBrowsers) {
  test(kind, async (context) => {
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-table-${kind}-`));
    const stage = await Stage.open();
    try {
      const first = await launch(kind, { profile });
      try {
        await first.page(`${stage.origin}/pages/crash-table.html`);
        await first.evaluate(isReady);
        const [last, ...others] = stage.rows.toReversed();
        for (const row of others) await first.evaluate((given) => window.bring(given), row.given);
        // After this one the page says nothing any more.
        first.evaluate((given) => window.bring(given), last.given).catch(() => {});
        await stage.stopped;
      } finally {
        await first.kill();
      }

      const second = await launch(kind, { profile });
      try {
        await second.page(`${stage.origin}/pages/crash-table.html`);
        await second.evaluate(isReady);
        for (const row of stage.rows) {
          await context.test(`dead at ${row.point} (replay ${row.replay}), then ${row.then}`, async () => {
            row.model.add(...(row.then === "message" ? [] : [{ text: "So far." }]), { text: "That is all." });
            hold(row, await second.evaluate((given) => window.take_up(given), row.given), stage);
          });
        }
        assert.deepEqual(second.problems, []);
      } finally {
        await second.close();
      }
    } finally {
      await stage.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}

/** Holds what was found against the row. */
function hold(row, found, { acts }) {
  row.model.check();
  const { status, pending, warnings, length } = found.opened;
  assert.deepEqual({ status, pending, warnings }, { status: row.status, pending: row.pending, warnings: row.warns === false ? [] : ["interrupted"] });
  // What is answered at once is answered on opening.
  assert.ok(length >= left[row.point].length);
  assert.deepEqual(found.kinds, [...left[row.point], ...row.kinds, "Message", "Message"]);
  assert.deepEqual([found.status, found.finalResponse], ["finished", "That is all."]);
  const keys = acts.filter(({ conversation, n }) => conversation === row.given.id && n === 2).map(({ key }) => key);
  assert.equal(keys.length, row.acts);
  assert.ok(new Set(keys).size <= 1, "a repeated call has the same key");
  if (row.reads) {
    const told = row.model.requests.at(-1).body.messages.findLast(({ role }) => role === "tool");
    assert.match(JSON.stringify(told.content), row.reads);
  }
}

/** The server of the pages, with a model on an origin of its own for each row: a browser has few connections for one. */
class Stage {
  acts = [];

  static async open() {
    const stage = new Stage();
    let stopped;
    stage.stopped = new Promise((resolve) => (stopped = resolve));
    const goings = new Map();
    const mounts = {
      "/act": (request, response) => stage.#act(request, response),
      "/let-go": (request, response) => {
        goings.get(request.url.split("?")[1])();
        response.end();
        return true;
      },
      "/stopped": () => {
        stopped();
        return true;
      },
    };
    stage.server = await startServer({ mounts });
    stage.origin = stage.server.origin;
    stage.rows = await Promise.all(
      table.map(async (row) => {
        const id = crypto.randomUUID();
        const letGo = new Promise((resolve) => goings.set(id, resolve));
        const model = createModel(untilDeath[row.point](letGo));
        const server = await model.listen();
        return { ...row, model, server, given: { id, baseUrl: server.baseUrl, replay: row.replay, point: row.point, then: row.then } };
      }),
    );
    return stage;
  }

  async #act(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    this.acts.push(JSON.parse(Buffer.concat(chunks)));
    response.end();
    return true;
  }

  async close() {
    for (const { server } of this.rows) await server.close();
    await this.server.close();
  }
}
