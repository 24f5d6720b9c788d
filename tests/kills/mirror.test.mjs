// A browser is killed at random moments while a conversation is stored and mirrored into a directory, and, apart from that, the server
// to which it is mirrored: after each kill the mirror is a directory that an import and the SDK accept, and once it has caught up,
// nothing that was reported as stored is missing in it.
//   THREADKEEP_KILLS=200   how often each browser is killed; a server is killed a quarter as often
//   THREADKEEP_SEED=1234   the chances of an earlier run
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Conversation, memoryStore } from "../../dist/index.js";
import { Sdk } from "../interop/session.mjs";
import { python, sdkVersion } from "../interop/setup.mjs";
import { filesIn, startPlace } from "../mirror/http-place.mjs";
import { availableBrowsers, isReady, launch } from "../support/browser/driver.mjs";
import { packed, write } from "../support/files.mjs";
import { caches } from "../support/made-once.mjs";
import { randomFrom } from "../support/random.mjs";
import { busyScript } from "./busy-model.mjs";
import { live } from "./lives.mjs";
import { Stage } from "./stage.mjs";

const killsOf = (kind) => Number(process.env.THREADKEEP_KILLS ?? { chromium: 10, firefox: 6 }[kind]);
const seed = Number(process.env.THREADKEEP_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The SDK, where other tests have installed it. */
let sdk;
before(async () => {
  if (!existsSync(path.join(caches, `threadkeep-sdk-${sdkVersion}`, "launcher.json"))) return;
  const { argv, env } = await python();
  sdk = await Sdk.start(argv, env);
});
after(() => sdk?.close());

/** Checks each conversation of a mirror; `files` are texts or bytes by path. Returns what is wrong. */
async function problemsIn(files, place, counts) {
  const problems = [];
  const conversations = new Map();
  for (const [name, content] of files) {
    const [hex, ...rest] = name.split("/");
    if (hex.startsWith(".") || rest[0] === ".threadkeep") continue;
    if (!conversations.has(hex)) conversations.set(hex, new Map());
    conversations.get(hex).set(rest.join("/"), Buffer.from(content));
  }
  for (const [hex, own] of conversations) {
    // It exists once it has a base state.
    if (!own.get("base_state.json")) {
      counts["begun and not yet there"]++;
      continue;
    }
    counts.directories++;
    const events = [...own.keys()].filter((name) => name.startsWith("events/event-"));
    const [imported] = await Conversation.importZip(packed(hex, own), { store: memoryStore() });
    if (imported.eventCount < events.length - 1) problems.push(`of ${events.length} events ${imported.eventCount} are read`);
    if (!sdk) continue;
    const directory = path.join(place, hex);
    write(directory, own);
    const read = await sdk.check(directory);
    counts["seen by the SDK"]++;
    if (!read.ok) problems.push(`the SDK refuses it: ${JSON.stringify(read.refused)}`);
    rmSync(directory, { recursive: true });
  }
  return problems;
}

/** The events that were reported as stored and are not in the mirror. */
function missing(reported, files) {
  const there = new Set([...files].map(([name]) => /events\/event-\d+-([\w-]+)\.json$/.exec(name)?.[1]));
  return reported.filter((id) => !there.has(id));
}

const newCounts = () => ({ directories: 0, "seen by the SDK": 0, "begun and not yet there": 0 });

describe("a mirror under kills", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}: the browser is killed ${kills} times, seed ${seed}`, { timeout: 600_000 + kills * 20_000 }, async (context) => {
      const place = mkdtempSync(path.join(tmpdir(), "threadkeep-mirror-"));
      const [counts, problems] = [newCounts(), []];
      let round = 0;
      try {
        const { complaints, seen, reported, caughtUp } = await live(kind, {
          kills,
          seed,
          mirroredTo: "mirror",
          async look(left) {
            round++;
            const found = await problemsIn(Object.entries(left), place, counts);
            problems.push(...found.map((problem) => `life ${round}: ${problem}`));
          },
        });
        for (const [what, count] of Object.entries({ ...seen, ...counts })) context.diagnostic(`${count} ${what}`);
        assert.deepEqual([...complaints, ...problems], []);
        assert.equal(caughtUp.state.status, "up_to_date");
        assert.deepEqual(caughtUp.differences, []);
        assert.deepEqual(missing(reported, Object.entries(caughtUp.files)), []);
        assert.equal(seen.kills, kills);
        assert.ok(counts.directories >= kills / 2);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    });
  }

  const [kind] = availableBrowsers;
  const kills = Math.ceil(killsOf(kind) / 4);
  test(`${kind}: the other side is killed ${kills} times, seed ${seed}`, { timeout: 300_000 + kills * 10_000 }, async (context) => {
    const random = randomFrom(seed);
    const [place, directory] = ["threadkeep-mirror-", "threadkeep-place-"].map((name) => mkdtempSync(path.join(tmpdir(), name)));
    const [counts, problems] = [newCounts(), []];
    const stage = await Stage.open();
    const browser = await launch(kind);
    let server = await startPlace(directory);
    try {
      const { id, baseUrl, witness, model } = await stage.conversation(() => busyScript(random), { actTakes: () => random.between(0, 30) });
      const life = stage.life();
      const given = { id, baseUrl, replays: ["safe"], seed: random.between(0, 2 ** 31), round: 1, limit: 1 };
      await browser.page(stage.page);
      await browser.evaluate(isReady);
      const lives = browser.evaluate((given) => window.live(given), { ...given, mirroredTo: `http://127.0.0.1:${server.port}/` });
      lives.catch(() => {});
      await life.until({ turns: 1 });
      for (let kill = 1; kill <= kills; kill++) {
        await delay(random.between(20, 600));
        await server.kill();
        const found = await problemsIn(filesIn(directory), place, counts);
        problems.push(...found.map((problem) => `kill ${kill}: ${problem}`));
        // Sometimes it is back at once, and sometimes the mirror has failed meanwhile.
        await delay(random.of([0, 0, 300]));
        server = await startPlace(directory, server.port);
      }
      const caughtUp = await browser.evaluate(() => window.finish());
      for (const [what, count] of Object.entries({ ...counts, events: witness.reported.size })) context.diagnostic(`${count} ${what}`);
      assert.deepEqual([...life.complaints, ...model.violations, ...problems], []);
      assert.equal(caughtUp.state.status, "up_to_date");
      assert.deepEqual(caughtUp.differences, []);
      assert.deepEqual(missing([...witness.reported.keys(), ...witness.sent.keys()], filesIn(directory)), []);
      assert.ok(counts.directories >= kills / 2);
    } finally {
      await browser.close();
      await server.kill();
      await stage.close();
      for (const each of [place, directory]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
    }
  });
});
