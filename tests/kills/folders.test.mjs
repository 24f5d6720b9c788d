// A browser is killed at random moments while a conversation is written into a directory: nothing that was reported as stored is
// missing, and after each kill, before the library has looked at it, the directory is one that an import and the SDK accept.
//   THREADKEEP_KILLS=200   how often each browser is killed
//   THREADKEEP_SEED=1234   the chances of an earlier run
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { Conversation, memoryStore } from "../../dist/index.js";
import { Sdk } from "../interop/session.mjs";
import { python, sdkVersion } from "../interop/setup.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { packed, write } from "../support/files.mjs";
import { caches } from "../support/made-once.mjs";
import { live } from "./lives.mjs";

const killsOf = (kind) => Number(process.env.THREADKEEP_KILLS ?? { chromium: 30, firefox: 8 }[kind]);
const seed = Number(process.env.THREADKEEP_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** The SDK, where other tests have installed it. */
let sdk;
before(async () => {
  if (!existsSync(path.join(caches, `threadkeep-sdk-${sdkVersion}`, "launcher.json"))) return;
  const { argv, env } = await python();
  sdk = await Sdk.start(argv, env);
});
after(() => sdk?.close());

describe("a browser that is killed while it writes into a directory", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}, ${kills} times, seed ${seed}`, { timeout: 600_000 + kills * 20_000 }, async (context) => {
      const place = mkdtempSync(path.join(tmpdir(), "threadkeep-folders-"));
      const counts = { directories: 0, "seen by the SDK": 0, "begun and not yet there": 0 };
      const problems = [];
      let round = 0;
      try {
        const { complaints, seen } = await live(kind, {
          kills,
          seed,
          folder: "conversations",
          async look(left) {
            round++;
            for (const [hex, files] of conversationsAmong(left)) {
              // It exists once it has a base state; before that nothing of it was reported.
              if (!files.get("base_state.json")) {
                counts["begun and not yet there"]++;
                continue;
              }
              counts.directories++;
              const events = [...files.keys()].filter((name) => name.startsWith("events/event-"));
              const [imported] = await Conversation.importZip(packed(hex, files), { store: memoryStore() });
              if (imported.eventCount < events.length - 1)
                problems.push(
                  `${round}: of ${events.length} events ${imported.eventCount} are read: ${events.map((name) => files.get(name).length)}`,
                );
              if (!sdk) continue;
              const directory = path.join(place, `${round}`, hex);
              write(directory, files);
              const read = await sdk.check(directory);
              counts["seen by the SDK"]++;
              if (!read.ok) problems.push(`${round}: the SDK refuses it: ${JSON.stringify(read.refused)}`);
              rmSync(directory, { recursive: true });
            }
          },
        });
        for (const [what, count] of Object.entries({ ...seen, ...counts })) context.diagnostic(`${count} ${what}`);
        assert.deepEqual([...complaints, ...problems], []);
        assert.equal(seen.kills, kills);
        assert.ok(counts.directories >= kills / 2);
      } finally {
        rmSync(place, { recursive: true, force: true });
      }
    });
  }
});

/** The files of each conversation by their path in its folder, without what the store keeps beside the layout. */
function conversationsAmong(left) {
  const conversations = new Map();
  for (const [name, text] of Object.entries(left)) {
    const end = name.indexOf("/");
    const [hex, file] = [name.slice(0, end), name.slice(end + 1)];
    if (file.startsWith(".threadkeep/")) continue;
    if (!conversations.has(hex)) conversations.set(hex, new Map());
    conversations.get(hex).set(file, Buffer.from(text));
  }
  return conversations;
}
