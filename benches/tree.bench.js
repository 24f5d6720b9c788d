// Branches: moving to a near event in a long log, and copying a conversation.
import { Conversation, indexedDBStore, load } from "/threadkeep/index.js";
import { agent, conversationOf } from "./conversations.js";
import { compare, median } from "./measure.js";

export const title = "Branches, milliseconds";

const milliseconds = (number) => number.toFixed(1);

export async function* run({ rounds = 20 }) {
  await load();
  const store = indexedDBStore(crypto.randomUUID());
  yield await copying(store, rounds);
  store.close();
}

/** The copy of a conversation, beside reading all its events, which a copy through memory would have to do at least. */
async function copying(store, rounds) {
  const conversationId = await conversationOf(10_000, store);
  const original = await Conversation.open({ agent, store, conversationId });
  const [copies, reads] = [[], []];
  for (let round = 0; round < Math.max(3, rounds / 4); round++) {
    let begun = performance.now();
    const copy = await original.fork();
    copies.push(performance.now() - begun);
    if (copy.events.length !== 10_000) throw new Error("the copy is not complete");
    await copy.close();
    begun = performance.now();
    for (let start = 0; start < 10_000; start += 500) await original.events.slice(start, start + 500);
    reads.push(performance.now() - begun);
  }
  await original.close();
  return { label: "fork of 10,000 events against reading them", columns: { reading: milliseconds(median(reads)), fork: milliseconds(median(copies)) }, ratio: median(copies) / median(reads) };
}
