// What a user notices in a page whose agent works: how long its thread is busy at once.
import { Conversation, indexedDBStore } from "/threadkeep/index.js";
import { agentThatCalls } from "./home-worker.js";
import { beating } from "./measure.js";

export const title = "The page's thread during a run";

/** The longest task of the page during a run of 100 steps on a log of 10,000 events, whose loop is in the page or in a worker. */
export async function* run() {
  const calls = 99;
  for (const home of ["in a worker", "in the page"]) {
    const name = `bench ${crypto.randomUUID()}`;
    const store = indexedDBStore(name);
    const conversationId = await seeded(10_000, name);
    const worker = home === "in a worker" && new Worker("/benches/home-worker.js", { type: "module" });
    const conversation = await Conversation.open({
      agent: agentThatCalls(calls),
      store,
      conversationId,
      stuckDetection: false,
      ...(worker && { home: { worker, data: { name, calls } } }),
    });
    if (conversation.home !== (worker ? "worker" : "here")) throw new Error("it runs elsewhere");
    await conversation.sendMessage("Look it up");
    const heartbeat = beating();
    const { steps } = await conversation.run();
    const { longest, over50 } = heartbeat();
    if (steps !== calls + 1) throw new Error(`${steps} steps`);
    yield {
      label: `100 steps on 10,000 events, the loop ${home}: ${over50} tasks over 50 ms`,
      columns: { "longest task": `${longest.toFixed(0)} ms` },
    };
    await conversation.close();
    if (worker) worker.terminate();
    store.close();
  }
}

/** Stores a conversation of so many events in the store of this name; resolves to its id. */
async function seeded(events, name) {
  const worker = new Worker("/benches/seeding-worker.js", { type: "module" });
  const id = await new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
    worker.postMessage({ name, events });
  });
  worker.terminate();
  return id;
}
