// A browser is killed at random moments while a conversation is stored and mirrored into a directory, and, apart from that, the server
// to which it is mirrored: after each kill the mirror is a directory that an import and the SDK accept, and once it has caught up,
// nothing that was reported as stored is missing in it.
// A server is killed a quarter as often.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { filesIn, startPlace } from "../mirror/http-place.mjs";
import { amount, seed } from "../support/explored.mjs";
import { availableBrowsers, isReady, launch } from "../support/browser/driver.mjs";
import { randomFrom } from "../support/random.mjs";
import { busyScript } from "./busy-model.mjs";
import { Directories, installedSdk } from "./directories.mjs";
import { live } from "./lives.mjs";
import { Stage } from "./stage.mjs";

const killsOf = (kind) => amount({ chromium: 4, firefox: 2 }[kind]);

let sdk;
before(async () => (sdk = await installedSdk()));
after(() => sdk?.close());

/** The events that were reported as stored and are not in the mirror: in the log, or as messages that no run has read yet. */
function missing(reported, files) {
  const there = new Set([...files].map(([name]) => /(?:events\/event|inbox)[-/]\d+-([\w-]+)\.json$/.exec(name)?.[1]));
  return reported.filter((id) => !there.has(id));
}

describe("a mirror under kills", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}: the browser is killed ${kills} times, seed ${seed}`, async (context) => {
      const directories = new Directories(sdk);
      try {
        const { complaints, seen, reported, caughtUp } = await live(kind, {
          kills,
          seed,
          mirroredTo: "mirror",
          // The conversation begins anew, and gets back what its mirror has.
          emptiedAfter: 5,
          look: (left, when) => directories.look(Object.entries(left), when),
        });
        for (const [what, count] of Object.entries({ ...seen, ...directories.counts })) context.diagnostic(`${count} ${what}`);
        assert.deepEqual([...complaints, ...directories.problems], []);
        assert.equal(caughtUp.state.status, "up_to_date");
        assert.deepEqual(caughtUp.differences, []);
        assert.deepEqual(missing(reported, Object.entries(caughtUp.files)), []);
        assert.equal(seen.kills, kills);
        // How many is chance: a page that dies early has mirrored nothing, nor told what it found.
        assert.ok(directories.counts.directories > 0);
      } finally {
        directories.close();
      }
    });
  }

  const [kind] = availableBrowsers;
  const kills = Math.ceil(killsOf(kind) / 4);
  test(`${kind}: the other side is killed ${kills} times, seed ${seed}`, async (context) => {
    const random = randomFrom(seed);
    const ofModel = randomFrom(random.between(0, 2 ** 31));
    const directory = mkdtempSync(path.join(tmpdir(), "threadkeep-place-"));
    const directories = new Directories(sdk);
    const stage = await Stage.open();
    const browser = await launch(kind);
    let server = await startPlace(directory);
    try {
      const { id, baseUrl, witness, model } = await stage.conversation(() => busyScript(ofModel), {
        actTakes: () => ofModel.between(0, 30),
      });
      const life = stage.life();
      const given = { id, baseUrl, replays: ["safe"], seed: random.between(0, 2 ** 31), round: 1, limit: 1 };
      await browser.page(stage.page);
      await browser.evaluate(isReady);
      const lives = browser.evaluate((given) => window.live(given), { ...given, mirroredTo: `http://127.0.0.1:${server.port}/` });
      lives.catch((error) => life.end(error));
      await life.until({ turns: 1 });
      for (let kill = 1; kill <= kills; kill++) {
        await delay(random.between(20, 600));
        await server.kill();
        await directories.look(filesIn(directory), `kill ${kill}`);
        // Sometimes it is back at once, and sometimes the mirror has failed meanwhile.
        await delay(random.of([0, 0, 300]));
        server = await startPlace(directory, server.port);
      }
      const caughtUp = await browser.evaluate(() => window.finish());
      for (const [what, count] of Object.entries({ ...directories.counts, events: witness.reported.size }))
        context.diagnostic(`${count} ${what}`);
      assert.deepEqual([...life.complaints, ...model.violations, ...directories.problems], []);
      assert.equal(caughtUp.state.status, "up_to_date");
      assert.deepEqual(caughtUp.differences, []);
      assert.deepEqual(missing([...witness.reported.keys(), ...witness.sent.keys()], filesIn(directory)), []);
      assert.ok(directories.counts.directories > 0);
    } finally {
      await browser.close();
      await server.kill();
      await stage.close();
      directories.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
