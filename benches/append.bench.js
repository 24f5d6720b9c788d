// The cost of storing a step: a commit of one event, with the base state that goes with it, compared with the cheapest
// thing that IndexedDB can do with the same bytes and the same durability.
//
// Equal on both sides: one transaction for each event, with the same `durability`, on one object store, told to commit at
// once, and awaited until it has completed; one `add` of an object with the event's JSON as text, under a key of the
// conversation's id and a number; an id that is generated for each event.
//
// The difference is what the library does in addition: the text comes from the memory of the wasm, as UTF-8; the row
// has its index and two times, and the changed part of the base state, while the plain row has all of it; every 64
// events their ids become a row of their own; writers take turns.
import initialize, { Database } from "/pkg/threadkeep_testing.js";
import { compare } from "./measure.js";

export const title = "Append, milliseconds per event";

// A tool's result of one kilobyte.
const event = JSON.stringify({ kind: "ObservationEvent", id: crypto.randomUUID(), observation: "What the tool said. ".repeat(45) });
const conversation = "0f8fad5b-d9cb-469f-a165-70867728950e";
const goal = { chromium: 1.2, firefox: 1.5 };

export async function* run({ rounds = 80 }) {
  await initialize({ module_or_path: "/pkg/threadkeep_testing_bg.wasm" });
  const milliseconds = (number) => number.toFixed(3);
  const settings = { rounds, block: 16 };
  for (const durability of ["relaxed", "strict"]) {
    for (const [label, baseState] of [
      ["event", ""],
      ["event + 5 kB base state", base(5_000)],
      ["event + 100 kB base state", base(100_000)],
    ]) {
      const bare = await bareAdds(durability, baseState);
      const store = storeAppends(durability, baseState);
      const { first, second, ratio } = await compare(bare.add, store.append, settings);
      yield {
        label: `${label}, ${durability}`,
        columns: { "bare add": milliseconds(first), threadkeep: milliseconds(second) },
        ratio,
        goal: { ...goal },
      };
      await bare.end();
      store.end();
    }
  }
  for (const durability of ["relaxed", "strict"]) {
    const short = storeAppends(durability, base(5_000));
    const long = storeAppends(durability, base(5_000));
    await short.append(100);
    await long.append(10_000);
    const { first, second, ratio } = await compare(short.append, long.append, settings);
    yield {
      label: `event 10,000 after event 100, ${durability}`,
      columns: { "at 100": milliseconds(first), "at 10,000": milliseconds(second) },
      ratio,
      goal: { chromium: 1.1, firefox: 1.1 },
    };
    short.end();
    long.end();
  }
}

/** A base state of about this size; LEAF is replaced by the newest event's id. */
function base(size) {
  return JSON.stringify({
    id: conversation,
    agent: "An agent's settings. ".repeat(size / 21),
    execution_status: "running",
    leaf_event_id: "LEAF",
    stats: { usage_to_metrics: { agent: "Some numbers. ".repeat(40) } },
  });
}

/** One `add` per event to a database that holds nothing else, each in a transaction that is told to commit at once. */
async function bareAdds(durability, baseState) {
  const name = crypto.randomUUID();
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("events");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => resolve(opening.result);
  });
  let index = 0;
  const addOne = () =>
    new Promise((resolve, reject) => {
      const id = crypto.randomUUID();
      const value = baseState ? { id, json: event, baseState: baseState.replace("LEAF", id) } : { id, json: event };
      const transaction = database.transaction(["events"], "readwrite", { durability });
      transaction.objectStore("events").add(value, [conversation, index++]);
      transaction.commit();
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  return {
    async add(count) {
      for (let n = 0; n < count; n++) await addOne();
    },
    async end() {
      database.close();
      await new Promise((resolve) => (indexedDB.deleteDatabase(name).onsuccess = resolve));
    },
  };
}

/** One commit per event through the store, called from inside the wasm as a conversation does it. */
function storeAppends(durability, baseState) {
  const store = new Database(crypto.randomUUID(), durability === "strict");
  let index = 0;
  return {
    async append(count) {
      await store.append(conversation, index, count, event, baseState);
      index += count;
    },
    end() {
      store.close();
    },
  };
}
