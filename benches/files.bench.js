// The time to export a conversation of very many small files, up to as many as an archive may have, compared with the least
// that can be done with the same files: fflate over the rows of a database that holds nothing else, read all at once.
//
// The difference is what the library does in addition: it reads a few files at a time, because each may be large, and
// lets the page do something else in between.
import { bareDatabase } from "./bare-database.js";
import { agent, conversationOf } from "./conversations.js";
import { median, time } from "./measure.js";
import { Conversation, indexedDBStore } from "/threadkeep/index.js";
import { zipSync } from "/fflate/browser.js";

export const title = "Zip archives of many files, milliseconds";

/** How many files, in which folder, and how many rounds. */
const cases = [
  [2_000, "observations", 5],
  [20_000, "observations", 3],
  [20_000, "workspace", 3],
  [199_000, "observations", 1],
];
/** The most files of a commit. */
const atOnce = 5_000;
const encoder = new TextEncoder();

export async function* run({ rounds }) {
  for (const [count, folder, usual] of cases) {
    const store = indexedDBStore(crypto.randomUUID());
    const id = await conversationOf(4, store);
    const theirs = await bareDatabase();
    for (let start = 0; start < count; start += atOnce) {
      const files = Array.from({ length: Math.min(atOnce, count - start) }, (_, n) => file(folder, start + n));
      await store.commit(id, { expectedLength: 4, events: [], files, at: Date.now(), durability: "relaxed" });
      await theirs.put(files.map((row, n) => ({ index: start + n, ...row })));
    }
    const conversation = await Conversation.open({ agent, store, conversationId: id });
    const times = [[], []];
    // The first round only warms up, which the smaller cases have done for the largest.
    for (let round = usual > 1 ? 0 : 1; round <= (rounds ?? usual); round++) {
      const ours = await time(() => conversation.exportZip({ workspace: true }));
      const bare = await time(
        async () => new Blob([zipSync(Object.fromEntries((await theirs.all()).map(({ path, content }) => [path, content])))]),
      );
      if (round > 0) times[0].push(bare), times[1].push(ours);
    }
    const [bare, ours] = times;
    const columns = { "fflate, bare": median(bare).toFixed(0), threadkeep: median(ours).toFixed(0) };
    yield { label: `${count} files, ${folder}`, columns, ratio: median(bare.map((time, round) => ours[round] / time)) };
    await conversation.close();
    await store.delete(id);
    store.close();
    await theirs.end();
  }
}

function file(folder, n) {
  return { path: `${folder}/${n % 100}/${n}.txt`, content: encoder.encode(`line ${n} of a file\n`.repeat(20)) };
}
