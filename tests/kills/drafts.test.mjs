// A browser is killed while an answer streams: at most about the last second of what it has shown is lost, and the conversation
// says what is left. Whatever the user does then, that stays, unless the answer is asked for again.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { amount, seed } from "../support/explored.mjs";
import { availableBrowsers, isReady, launch } from "../support/browser/driver.mjs";
import { randomFrom } from "../support/random.mjs";
import { Stage } from "./stage.mjs";

const killsOf = (kind) => amount({ chromium: 4, firefox: 2, webkit: 2 }[kind]);
/** A second, and what a commit and a busy machine may take. */
const mostLost = 2_000;
const story = Array.from({ length: 4_000 }, (_, at) => `Word ${at}. `).join("");

describe("a browser that is killed while an answer streams", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}, ${kills} times, seed ${seed}`, async (context) => {
      const random = randomFrom(seed);
      const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-drafts-${kind}-`));
      const stage = await Stage.open();
      const losses = [];
      /** How often the browser has removed its databases, which the library has said: see `Witness.removals`. */
      let removals = 0;
      try {
        let left;
        for (let round = 0; round <= kills; round++) {
          const life = stage.life();
          const browser = await launch(kind, { profile });
          try {
            await browser.page(stage.page);
            await browser.evaluate(isReady);
            const found = left && (await browser.evaluate((given) => window.leftOf(given), left.given));
            if (found?.events.length === 0 && found.warnings.includes("store_lost")) removals++;
            else if (found) losses.push(check(left, found));
            if (round === kills) break;
            const conversation = await stage.conversation(() => [{ text: story, pace: 15 }, { text: "The end." }]);
            const { id, baseUrl, witness } = conversation;
            const [resume, next] = [random.of(["again", "keep"]), random.of(["run", "say", "edit", "leave"])];
            left = { given: { id, baseUrl, replays: [], resume, next }, conversation };
            browser.evaluate((given) => window.stream(given), left.given).catch((error) => life.end(error));
            await life.shows(witness);
            await delay(random.between(0, 4_000));
          } finally {
            if (round === kills) await browser.close();
            else {
              left.killed = Date.now();
              await browser.kill();
            }
          }
          await life.isOver();
        }
      } finally {
        await stage.close();
        rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
      }
      losses.sort((one, other) => one - other);
      context.diagnostic(`lost: ${losses[0]} to ${losses.at(-1)} ms, in the middle ${losses[losses.length >> 1]} ms`);
      assert.equal(losses.length, kills - removals);
      assert.ok(removals <= 1, "the browser has removed its databases more than once");
    });
  }
});

/** Compares what is left with what was shown. Returns for how long more had been shown when the browser was killed, in milliseconds. */
function check(
  { given: { resume, next }, killed, conversation: { model, witness } },
  { draft, warnings, events, kinds, files, kept: keptAtEnd },
) {
  const [system, message, ...answers] = events;
  assert.deepEqual([system.kind, message.kind], ["SystemPromptEvent", "MessageEvent"]);
  const kept = answers[0]?.llm_message.content[0].text ?? null;
  assert.equal(resume === "keep" ? draft : kept, null);
  const text = (resume === "keep" ? kept : draft) ?? "";
  assert.ok(answers.length <= 1 && answers.every(({ extended_content }) => extended_content.length === 1));
  assert.ok(story.startsWith(text), "a piece is missing, or there twice");
  assert.deepEqual(warnings, ["interrupted"]);
  const lost = witness.shown.find(([, shown]) => shown.length > text.length);
  const loss = lost ? killed - lost[0] : 0;
  assert.ok(loss <= mostLost, `${loss} ms are lost`);
  // Then the model was asked: it has read once what was kept on its branch, and nothing of a draft.
  const isKept = text !== "" && (resume === "keep" || next !== "run");
  const read = JSON.stringify(model.requests.at(-1).body.messages).split("Word 0.").length - 1;
  assert.equal(read, isKept && (next === "run" || next === "say") ? 1 : 0);
  assert.deepEqual(keptAtEnd, isKept ? [[text, message.id]] : []);
  const said = [...(isKept ? ["Message"] : []), ...(next === "run" ? [] : ["Message"])];
  assert.deepEqual(kinds, ["SystemPrompt", "Message", ...said, "Message"]);
  assert.deepEqual(files, []);
  model.check();
  return loss;
}
