// The browser dies by SIGKILL at random moments of a running conversation, and nothing that the library had reported
// as kept is missing afterwards.
//   THREADKEEP_KILLS=500   how often each browser (50 times in all; Firefox takes longer to start again)
//   THREADKEEP_SEED=1234   the chances of an earlier run; when exactly a process dies can of course not be repeated
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { live } from "./crash/lives.mjs";
import { availableBrowsers } from "./driver.mjs";

const killsOf = (kind) => Number(process.env.THREADKEEP_KILLS ?? { chromium: 38, firefox: 12 }[kind]);
const seed = Number(process.env.THREADKEEP_SEED ?? Math.floor(Math.random() * 2 ** 31));

describe("a browser that is killed", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}: killed ${kills} times, seed ${seed}`, async (context) => {
      const { complaints, seen } = await live(kind, { kills, seed });
      context.diagnostic(Object.entries(seen).map(([what, count]) => `${count} ${what}`).join(", "));
      assert.deepEqual(complaints, []);
      assert.equal(seen.kills, kills);
    });
  }
});

describe("the proof that a loss would be seen", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    test(`${kind}: a store that loses its last commit is found out`, async () => {
      // A browser may die when nothing is under way that could be lost, so it has several lives to lose something in.
      const isLoss = (complaint) => /was reported durable and is lost/.test(complaint);
      const heard = [];
      for (let attempt = 0; attempt < 12 && !heard.some(isLoss); attempt++) {
        heard.push(...(await live(kind, { kills: 2, seed: seed + attempt, loses: true })).complaints);
      }
      assert.ok(heard.some(isLoss), heard.join("\n") || "nothing was noticed");
    });
  }
});
