// A browser is killed at random moments while a conversation is written into a directory: nothing that was reported as stored is
// missing, and after each kill, before the library has looked at it, the directory is one that an import and the SDK accept.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { amount, seed } from "../support/explored.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { Directories, installedSdk } from "./directories.mjs";
import { live } from "./lives.mjs";

const killsOf = (kind) => amount({ chromium: 4, firefox: 2 }[kind]);

let sdk;
before(async () => (sdk = await installedSdk()));
after(() => sdk?.close());

describe("a browser that is killed while it writes into a directory", { concurrency: true }, () => {
  for (const kind of availableBrowsers) {
    const kills = killsOf(kind);
    test(`${kind}, ${kills} times, seed ${seed}`, async (context) => {
      const directories = new Directories(sdk);
      try {
        const { complaints, seen } = await live(kind, {
          kills,
          seed,
          folder: "conversations",
          look: (left, when) => directories.look(Object.entries(left), when),
        });
        for (const [what, count] of Object.entries({ ...seen, ...directories.counts })) context.diagnostic(`${count} ${what}`);
        assert.deepEqual([...complaints, ...directories.problems], []);
        assert.equal(seen.kills, kills);
        // How many is chance: a page that dies early has not told what it found.
        assert.ok(directories.counts.directories > 0);
      } finally {
        directories.close();
      }
    });
  }
});
