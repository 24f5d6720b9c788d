// Branches: moving to a near event in a long log, and copying a conversation.
import { Conversation, indexedDBStore, load } from "/threadkeep/index.js";
import { agent, conversationOf } from "./conversations.js";
import { compare, median } from "./measure.js";

export const title = "Branches, milliseconds";

const milliseconds = (number) => number.toFixed(1);
const goal = { chromium: 1.5, firefox: 1.5 };

export async function* run({ rounds = 20 }) {
  await load();
  const store = indexedDBStore(crypto.randomUUID());
  // The model sees 100 events of each: the last summary and what follows it.
  const ids = [];
  for (const length of [1_000, 100_000]) ids.push(await conversationOf(length + 99, store, 100));
  const line = (label, { first, second, ratio }) => ({
    label,
    columns: { "1,000 events": milliseconds(first), "100,000 events": milliseconds(second) },
    ratio,
    // A copy, because WebDriver BiDi passes on an object only once.
    goal: { ...goal },
  });
  yield line("open", await compare(...ids.map((id) => opened(store, id, () => {})), { rounds, block: 2 }));
  yield line("open and navigateTo a near event", await compare(...ids.map((id) => opened(store, id, move)), { rounds, block: 2 }));
  yield line(
    "open, navigateTo and the last 20 events of the branch",
    await compare(
      ...ids.map((id) =>
        opened(store, id, async (conversation, n) => {
          await move(conversation, n);
          await conversation.activeBranch({ limit: 20 });
        }),
      ),
      { rounds, block: 2 },
    ),
  );
  // Reading the view once takes as long as the log; moving does not make it necessary again.
  const held = await Promise.all(ids.map((conversationId) => Conversation.open({ agent, store, conversationId })));
  for (const conversation of held) await conversation.finalResponse();
  yield line(
    "navigateTo and the view, in a page that has read it",
    await compare(
      ...held.map((conversation) => async (count) => {
        for (let n = 0; n < count; n++) {
          await move(conversation, n);
          await conversation.finalResponse();
        }
      }),
      { rounds, block: 2 },
    ),
  );
  for (const conversation of held) await conversation.close();
  yield await copying(store, rounds);
  store.close();
}

const opened = (store, conversationId, act) => async (count) => {
  for (let n = 0; n < count; n++) {
    const conversation = await Conversation.open({ agent, store, conversationId });
    await act(conversation, n);
    await conversation.close();
  }
};

/** Moves to one of two near events, the ends of answers. */
async function move(conversation, n) {
  const { length } = conversation.events;
  const last = length - 1 - (length % 4);
  await conversation.navigateTo(await conversation.events.getId(last - (n % 2 ? 4 : 8)));
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
  return {
    label: "fork of 10,000 events beside reading them",
    columns: { reading: milliseconds(median(reads)), fork: milliseconds(median(copies)) },
    ratio: median(copies) / median(reads),
  };
}
