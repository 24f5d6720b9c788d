// A page is cut off in the middle of what it does: its browser is killed or closed, it is loaded anew, or its user stops
// it. Every conversation can be continued, nothing that was reported as stored is missing, no request is one that a
// provider would refuse, and nothing that may not be done twice is done twice.
// What a page does before each kill at random depends on the seed (tests/support/explored.mjs); when exactly its process dies does not.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { amount, seed } from "../support/explored.mjs";
import { availableBrowsers, isReady, launch } from "../support/browser/driver.mjs";
import { live, rightAfterAReport } from "./lives.mjs";
import { Stage } from "./stage.mjs";

const call = (what, replay) => ({ name: `act_${replay}`, arguments: { what } });
const one =
  (what) =>
  ({ replay }) => ({ text: `I do the ${what}.`, calls: [call(what, replay)] });
const oneAfterTheOther = (row) => [one("first")(row), one("second")(row)];
const noAnswer = () => [{ text: "This is never sent.", pace: () => new Promise(() => {}) }];
const halfAnAnswer = () => [{ text: "This breaks off after a few words.", stallAfter: 3 }];

const begun = ["SystemPrompt", "Message"];
const atWork = [...begun, "Action", "Observation", "Action"];
const unknown = /nobody knows whether it took effect/;

/** The points at which a page is cut off (`points` of pages/kills.mjs): the model's replies until then, and the kinds of events in the log. */
const doings = {
  "tool at work": { replies: oneAfterTheOther, left: atWork },
  "actions stored": { replies: oneAfterTheOther, left: atWork },
  "request sent": { replies: noAnswer, left: begun },
  "answer streaming": { replies: halfAnAnswer, left: begun },
  "run over": {
    replies: ({ replay }) => [{ text: "Both.", calls: [call("first", replay), call("second", replay)] }],
    left: [...begun, "Action", "Action"],
  },
  "paused before a run": { replies: () => [], left: [...begun, "Pause"] },
  "paused, no answer": { replies: noAnswer, left: [...begun, "Pause"] },
  "paused, call answered": { replies: (row, letGo) => [{ ...one("second")(row), pace: () => letGo }], left: [...begun, "Pause", "Action"] },
  "paused, tool at work": { replies: oneAfterTheOther, left: [...atWork, "Pause"] },
  "paused, tool returned": { replies: oneAfterTheOther, left: [...atWork, "Pause", "Observation"] },
  "interrupted answer": { replies: halfAnAnswer, left: [...begun, "Message", "Interrupt"] },
  "interrupted tool": { replies: oneAfterTheOther, left: [...atWork, "AgentError", "Interrupt"] },
};
doings["waiting, message pending"] = doings["run over"];
for (const verb of ["navigating", "regenerating", "editing", "forking"]) {
  const left = [...begun, "Message"];
  doings[`${verb}, not stored`] = { replies: () => [{ text: "The old answer." }], left };
  doings[`${verb}, stored`] = { ...doings[`${verb}, not stored`], left: verb === "editing" ? [...left, "Message"] : left };
}

/** Two calls about which the user has to decide; the analyzer of the page before is a function, and gone with it. */
const waiting = {
  confirms: true,
  status: "waiting_for_confirmation",
  pending: ["first", "second"],
  risks: ["LOW", "HIGH"],
  warnings: ["settings_unavailable"],
};
const [ran, refused] = ["Observation", "UserRejectObservation"];
const decisions = [
  { doing: "run over", then: "run", acts: ["first", "second"], kinds: [ran, ran], reads: /second is done/ },
  { doing: "waiting, message pending", then: "run", acts: ["first", "second"], kinds: [ran, ran, "Message"], reads: /And then rest/ },
  { doing: "run over", then: "reject", acts: [], kinds: [refused, refused], reads: /not now/ },
  { doing: "waiting, message pending", then: "reject", acts: [], kinds: [refused, refused, "Message"], reads: /And then rest/ },
  { doing: "run over", then: "single", acts: ["first"], kinds: [ran, refused], reads: /not this one/ },
  {
    doing: "run over",
    then: "edit",
    acts: ["first", "zweite"],
    kinds: [refused, refused, "Action", "Action", ran, ran],
    reads: /zweite is done.*changed the arguments/,
  },
].map((row) => ({ ...waiting, ...row }));

const paused = { status: "paused", pending: [], warnings: [] };
const dead = { cut: "kill", status: "paused", pending: [], warnings: ["interrupted"] };
const asks = { ...dead, replay: "ask", status: "waiting_for_confirmation", pending: ["second"] };
const moved = { cut: "kill", status: "idle", pending: [], warnings: [], branches: true, acts: [], kinds: [] };
const unmoved = { ...moved, status: "finished", then: "message", reads: /The old answer.*And now/ };
const withoutOldAnswer = /^(?!.*The old answer).*And now/;
const done = ["first", "second"];
const twice = ["first", "second", "second"];

/**
 * Each row: what the page does, how it is interrupted, how the conversation is continued (`continuations` of
 * pages/kills.mjs, each followed by another message), and the expected results:
 *   status, pending, warnings   when it is opened again
 *   acts                        what its tools have done in the end
 *   kinds                       of the events behind those that the page left, before the model's answer
 *   reads                       matches the messages of the last request
 *   copies                      the number of copies that exist
 */
const table = [
  { doing: "interrupted answer", cut: "nothing", ...paused, acts: [], kinds: [], reads: /This [^]*stopped here/ },
  { doing: "interrupted tool", cut: "nothing", ...paused, acts: done, kinds: [] },
  ...decisions.map((row) => ({ ...row, cut: "reload" })),
  { doing: "paused before a run", cut: "close", ...paused, acts: [], kinds: [] },
  { doing: "paused, tool returned", cut: "close", ...paused, acts: done, kinds: [], reads: /second is done/ },
  ...decisions.map((row) => ({ ...row, cut: "kill" })),
  { doing: "tool at work", replay: "safe", ...dead, pending: ["second"], acts: twice, kinds: [ran], reads: /second is done/ },
  {
    doing: "tool at work",
    replay: "safe",
    ...dead,
    pending: ["second"],
    then: "message",
    acts: done,
    kinds: ["AgentError"],
    reads: unknown,
  },
  { doing: "tool at work", ...asks, acts: twice, kinds: [ran], reads: /second is done/ },
  { doing: "tool at work", ...asks, then: "reject", acts: done, kinds: [refused], reads: /not now[^]*nobody knows/ },
  { doing: "tool at work", ...asks, then: "message", acts: done, kinds: ["AgentError"], reads: unknown },
  { doing: "tool at work", ...dead, acts: done, kinds: ["AgentError"], reads: unknown },
  { doing: "tool at work", ...dead, then: "message", acts: done, kinds: ["AgentError"], reads: unknown },
  { doing: "request sent", ...dead, acts: [], kinds: [] },
  { doing: "request sent", ...dead, then: "message", acts: [], kinds: [] },
  { doing: "answer streaming", ...dead, acts: [], kinds: [] },
  { doing: "answer streaming", ...dead, then: "message", acts: [], kinds: [] },
  { doing: "paused, no answer", ...dead, ...paused, acts: [], kinds: [] },
  { doing: "paused, no answer", ...dead, ...paused, then: "message", acts: [], kinds: [] },
  { doing: "paused, call answered", ...dead, ...paused, pending: ["second"], acts: ["second"], kinds: [ran], reads: /second is done/ },
  {
    doing: "paused, call answered",
    ...dead,
    ...paused,
    pending: ["second"],
    then: "message",
    acts: [],
    kinds: [refused],
    reads: /sent a new message instead/,
  },
  { doing: "paused, tool at work", ...dead, ...paused, acts: done, kinds: ["AgentError"], reads: unknown },
  ...["navigating", "regenerating", "editing", "forking"].map((verb) => ({ doing: `${verb}, not stored`, ...unmoved })),
  { doing: "navigating, stored", ...moved, reads: withoutOldAnswer },
  { doing: "regenerating, stored", ...moved, reads: withoutOldAnswer },
  { doing: "editing, stored", ...moved, reads: /^(?!.*The old answer).*Please do neither.*And now/ },
  { doing: "forking, stored", ...unmoved, copies: 1 },
  // Nobody can tell that the tool had not begun. The last row, because its page does nothing any more.
  { doing: "actions stored", ...dead, acts: ["first"], kinds: ["AgentError"], reads: unknown },
].map((row) => ({ replay: "never", then: "run", ...row }));

const killsOf = (kind) => amount({ chromium: 4, firefox: 2, webkit: 2 }[kind]);

describe("a page that is cut off", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    describe(kind, { concurrency: 1 }, () => {
      test("at every point of the table", async (context) => {
        const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-kills-${kind}-`));
        const stage = await Stage.open();
        const run = new TableRun(kind, profile, stage);
        try {
          await run.start();
          for (const cut of ["nothing", "reload", "close", "kill"]) {
            const rows = await run.bring(table.filter((row) => row.cut === cut));
            await run[cut]();
            for (const row of rows)
              await context.test(`${row.doing} (replay ${row.replay}), ${cut}, then ${row.then}`, () => run.check(row));
          }
          assert.deepEqual(run.browser.problems, []);
        } finally {
          await run.browser?.close();
          await stage.close();
          rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
        }
      });

      const kills = killsOf(kind);
      test(`by ${kills} kills at random moments, seed ${seed}`, async (context) => {
        const { complaints, seen } = await live(kind, { kills, seed });
        context.diagnostic(
          Object.entries(seen)
            .map(([what, count]) => `${count} ${what}`)
            .join(", "),
        );
        assert.deepEqual(complaints, []);
        assert.equal(seen.kills, kills);
        assert.ok(seen.removals <= 1, "the browser has removed its databases more than once");
      });

      test("by a kill, over a store that loses its last commit: the loss is found", async () => {
        // A browser may die when nothing is under way that could be lost, so it has several lives to lose something in.
        const isLoss = (complaint) => /was reported durable and is lost/.test(complaint);
        const heard = [];
        for (let attempt = 0; attempt < 24 && !heard.some(isLoss); attempt++) {
          heard.push(...(await live(kind, { kills: 1, seed: seed + attempt, moment: rightAfterAReport, loses: true })).complaints);
        }
        assert.ok(heard.some(isLoss), heard.join("\n") || "nothing was noticed");
      });
    });
  }
});

/** The table in one profile of one browser: its rows are brought to their points, and all cut off at once. */
class TableRun {
  #kind;
  #profile;
  #stage;
  #page;
  #life;

  constructor(kind, profile, stage) {
    [this.#kind, this.#profile, this.#stage] = [kind, profile, stage];
  }

  async start() {
    this.#life ??= this.#stage.life();
    this.browser = await launch(this.#kind, { profile: this.#profile });
    this.#page = await this.browser.page(this.#stage.page);
    await this.browser.evaluate(isReady);
    assert.equal(await this.browser.evaluate(() => navigator.storage.persist().then(() => "answered")), "answered");
  }

  async bring(rows) {
    const brought = [];
    for (const row of rows) {
      const conversation = await this.#stage.conversation((letGo) => doings[row.doing].replies(row, letGo), {
        warnings: row.warnings,
        branches: row.branches ?? row.then === "edit",
      });
      const { id, baseUrl } = conversation;
      const given = { id, baseUrl, doing: row.doing, confirms: row.confirms, replays: [row.replay] };
      brought.push({ ...row, conversation, given });
      const left = this.browser.evaluate((given) => window.bring(given), given);
      if (row.doing === "actions stored") {
        left.catch(() => {});
        await this.#stage.stopped;
      } else if (row.branches) {
        await left;
        await this.#life.through(id);
      } else {
        assert.deepEqual((await left).kinds, doings[row.doing].left, `${row.doing}: what is in the log before the cut`);
        await this.#life.through(id);
      }
      if (row.confirms) assert.deepEqual(conversation.acts, [], "nothing is done before the user allows it");
    }
    return brought;
  }

  nothing() {}

  async reload() {
    await this.#next(async () => {
      await this.#page.reload();
      await this.browser.evaluate(isReady);
    });
  }

  async close() {
    await this.browser.close();
    await this.#next(() => this.start());
  }

  async kill() {
    await this.browser.kill();
    assert.throws(() => process.kill(this.browser.pid, 0), { code: "ESRCH" });
    await this.#next(() => this.start());
  }

  async #next(begin) {
    const before = this.#life;
    this.#life = this.#stage.life();
    await begin();
    await before.isOver();
    assert.deepEqual(before.complaints, []);
  }

  /** Continues the conversation of a row, and compares the state it was found in and the result. */
  async check({ conversation: { id, model, acts }, given, ...row }) {
    model.add(...(row.then === "message" ? [] : [{ text: "So far." }]), { text: "That is all." });
    const { opened, ...result } = await this.browser.evaluate((given) => window.continueWith(given), { ...given, then: row.then });
    await this.#life.through(id);
    assert.deepEqual(this.#life.complaints.splice(0), []);
    model.check();

    const { status, pending, risks, warnings, kinds, copies, hasDraft } = opened;
    assert.deepEqual({ status, pending, warnings }, { status: row.status, pending: row.pending, warnings: row.warnings });
    if (row.risks) assert.deepEqual(risks, row.risks);
    const { left } = doings[row.doing];
    assert.deepEqual(copies, Array(row.copies ?? 0).fill(left));
    // A call that is not repeated is answered as soon as the conversation is opened.
    assert.deepEqual(kinds.slice(0, left.length), left);
    const answers = row.then === "message" ? ["Message", "Message"] : ["Message", "Message", "Message"];
    // The text of half an answer is kept before another message; a page that dies within its first second has stored none.
    const kept = hasDraft && row.then === "message" ? ["Message"] : [];
    assert.deepEqual(result, { status: "finished", finalResponse: "That is all.", kinds: [...left, ...kept, ...row.kinds, ...answers] });

    assert.deepEqual(
      acts.map(({ what }) => what),
      row.acts,
    );
    for (const { key, what } of acts)
      assert.ok(
        acts.every((other) => other.what !== what || other.key === key),
        "a repeated call has the same key",
      );
    if (row.reads) assert.match(JSON.stringify(model.requests.at(-1).body.messages), row.reads);
  }
}
