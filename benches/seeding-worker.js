// Stores a long conversation for smooth.bench.js, in a thread of its own: what is left of that for the garbage collector would
// otherwise hold up the page while it is measured.
import { indexedDBStore } from "/threadkeep/index.js";
import { conversationOf } from "./conversations.js";

onmessage = async ({ data: { name, events } }) => {
  const store = indexedDBStore(name);
  const id = await conversationOf(events, store);
  store.close();
  postMessage(id);
};
