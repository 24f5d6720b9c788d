// What the death of a page leaves.
import { memoryStore } from "../../dist/index.js";

/** A store with what is in this one now, as after a crash of its page. */
export async function remains(store) {
  const copy = memoryStore();
  for (const { conversation, baseState, length, createdAt } of await store.list()) {
    const events = (await store.events(conversation, 0, length)).map(({ id, json }) => ({ id, json }));
    const paths = await store.files(conversation);
    const files = await Promise.all(paths.map(async (path) => ({ path, content: await store.readFile(conversation, path) })));
    await copy.commit(conversation, { expectedLength: 0, events, baseState, files, at: createdAt, durability: "relaxed" });
  }
  return copy;
}
