// How fast conversations leave and arrive as zip archives.
import { Conversation, indexedDBStore, load } from "/threadkeep/index.js";
import { agent, conversationOf } from "./conversations.js";

export const title = "Zip archives of 2,000 events";

export async function* run({ rounds = 5 }) {
  await load();
  const store = indexedDBStore(crypto.randomUUID());
  const id = await conversationOf(2_000, store);
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  const out = [];
  const into = [];
  let zip;
  for (let round = 0; round < rounds; round++) {
    out.push(await seconds(async () => (zip = await conversation.exportZip())));
    const other = indexedDBStore(crypto.randomUUID());
    into.push(await seconds(() => Conversation.importZip(zip, { store: other })));
    other.close();
  }
  for (const [what, times] of [["export", out], ["import", into]]) {
    const time = times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
    yield { what, columns: { seconds: time.toFixed(2), "events / s": (2_000 / time).toFixed(0), "zip kB": (zip.size / 1000).toFixed(0) } };
  }
  await conversation.close();
  store.close();
}

async function seconds(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
