// Kills a browser at random moments of a conversation, and starts it again on what it had stored, many times over.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomFrom } from "../support/random.mjs";
import { isReady, launch } from "../support/browser/driver.mjs";
import { busyScript } from "./busy-model.mjs";
import { Stage } from "./stage.mjs";

/** After so many deaths a new conversation is begun, so that the requests stay short. */
const deathsPerConversation = 8;
const replays = ["safe", "ask", "never"];

/** While it opens; right after a report; or at any time. */
export function anyMoment(random) {
  if (random.chance(0.2)) return { after: random.between(0, 300) };
  if (random.chance(0.6)) return rightAfterAReport(random);
  return { turns: 1, after: random.between(0, 800) };
}

export const rightAfterAReport = (random) => ({ turns: 1, reports: random.between(1, 30) });

/**
 * Kills a browser `kills` times in the middle of a conversation, each time at a `moment`, and opens it once more in the end.
 * With `loses` on a store that loses its last commit, with `seals` on an encrypted one, with `folder` in this directory of OPFS; with
 * `mirroredTo` mirrored to that directory. After `emptiedAfter` lives the databases are gone, in Chromium. `look` gets the files of such a directory as a life has found them, and which life.
 * Returns what was wrong with what was found, as sentences that begin with the number of the life; counts of what was seen; the ids of
 * all events that were reported as stored; and what the mirror had in the end.
 */
export async function live(
  kind,
  { kills, seed, moment = anyMoment, loses = false, seals = false, folder, mirroredTo, emptiedAfter, look },
) {
  const random = randomFrom(seed);
  // Of its own, because how often it is asked depends on the browser, and the moments shall not.
  const ofModel = randomFrom(random.between(0, 2 ** 31));
  const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-kills-${kind}-`));
  const stage = await Stage.open();
  const complaints = [];
  const seen = { kills: 0, turns: 0 };
  let conversation;
  let caughtUp;
  try {
    for (let round = 1; round <= kills + 1; round++) {
      if ((round - 1) % deathsPerConversation === 0) {
        conversation = await stage.conversation(() => busyScript(ofModel), { actTakes: () => ofModel.between(0, 30) });
      }
      const isLast = round === kills + 1;
      const life = stage.life();
      const browser = await launch(kind, { profile });
      try {
        const { id, baseUrl } = conversation;
        const given = {
          id,
          baseUrl,
          replays,
          seed: random.between(0, 2 ** 31),
          round,
          limit: random.between(1, 3),
          loses,
          seals,
          folder,
          mirroredTo,
        };
        const lives = async () => {
          await browser.page(stage.page);
          await browser.evaluate(isReady);
          await browser.evaluate((given) => window.live(given), given);
        };
        lives().catch((error) => life.end(error));
        await life.until(isLast ? { turns: 1 } : moment(random));
        if (isLast && mirroredTo) caughtUp = await browser.evaluate(() => window.finish());
      } finally {
        await (isLast ? browser.close() : browser.kill());
        if (!isLast) seen.kills++;
      }
      await life.isOver();
      if (round === emptiedAfter) removeDatabases(profile);
      if (life.left) await look?.(life.left, `life ${round}`);
      complaints.push(...life.complaints.map((complaint) => `life ${round}: ${complaint}`));
      seen.turns += life.turns;
    }
    const all = [...stage.conversations.values()];
    complaints.push(...all.flatMap(({ model }) => model.violations).map((violation) => `the model: ${violation}`));
    const sum = (count) => all.reduce((sum, each) => sum + count(each), 0);
    const counts = {
      events: sum(({ witness }) => witness.reported.size),
      actions: sum(({ witness }) => witness.done.size),
      requests: sum(({ model }) => model.requests.length),
      removals: sum(({ witness }) => witness.removals),
    };
    const reported = all.flatMap(({ witness }) => [...witness.reported.keys(), ...witness.sent.keys()]);
    return { complaints, seen: { ...seen, ...counts }, reported, caughtUp };
  } finally {
    await stage.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Removes all databases of Chromium, as it does itself if a kill has torn their log. */
function removeDatabases(profile) {
  const names = readdirSync(profile, { recursive: true }).filter((name) => /IndexedDB.[^/\\]+\.leveldb$/.test(name));
  for (const name of names) rmSync(path.join(profile, name), { recursive: true });
}
