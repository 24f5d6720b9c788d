// The search in the conversations of a store: making the index, which happens in the background, and what a query costs then.
//
// The texts are words of a vocabulary of 50,000, drawn as often as words are in a language (Zipf), the same in each run.
import { beating, median, time } from "./measure.js";
import { randomFrom } from "/tests/support/random.mjs";
import { indexedDBStore, search, updateSearchIndex } from "/threadkeep/index.js";

export const title = "Search in conversations";

const eventsOfEach = 100;
const vocabulary = 50_000;
const chance = randomFrom(1);
/** A whole number from 0 to below this one. */
const random = (below) => chance.between(0, below - 1);

export async function* run({ rounds = 15, megabytes }) {
  if (megabytes !== undefined) return yield* runLarge(megabytes, rounds);
  for (const conversations of [100, 1_000]) {
    characters = 0;
    const events = (conversations * eventsOfEach).toLocaleString("en");
    const name = `bench ${crypto.randomUUID()}`;
    const store = indexedDBStore(name);
    for (let n = 0; n < conversations; n++) await seed(store, n);
    const before = await used();
    const heartbeat = beating();
    const making = await time(() => updateSearchIndex({ store }));
    const { longest, over50 } = heartbeat();
    yield {
      label: `index of ${events} events in ${conversations.toLocaleString("en")} conversations: ${over50} tasks over 50 ms`,
      columns: {
        "all of it": `${(making / 1000).toFixed(1)} s`,
        "longest task": `${longest.toFixed(0)} ms`,
        "takes up": `${(((await used()) - before) / 1e6).toFixed(0)} MB`,
        texts: `${(characters / 1e6).toFixed(0)} MB`,
      },
    };
    const started = [];
    for (let round = 0; round < 5; round++) started.push(await inNewPage(name));
    const ofAll = (which) => `${median(started.map((one) => one[which])).toFixed(0)} ms`;
    yield { label: `a new page, ${events} events`, columns: { "first hits": ofAll("first"), "after the wasm": ofAll("search") } };
    const queries = {
      "a word that is everywhere": () => word(0),
      "a frequent word and another": () => `${word(20)} ${word(60)}`,
      "two words that few events have": () => `${word(2_000 + random(1_000))} ${word(1_000 + random(1_000))}`,
      "a rare word": () => word(30_000 + random(10_000)),
      "two letters that words begin with": () => word(100 + random(1_000)).slice(0, 2),
      nothing: () => "qqqqqqqq",
    };
    for (const [label, query] of Object.entries(queries)) {
      const times = [];
      let found = 0;
      for (let round = 0; round < rounds; round++) {
        const text = query();
        times.push(await time(async () => (found = (await search(text, { store })).hits.length)));
      }
      yield {
        label: `${label}, ${events} events`,
        columns: { hits: String(found), median: `${median(times).toFixed(1)} ms`, longest: `${Math.max(...times).toFixed(1)} ms` },
      };
    }
    const id = await seed(store, conversations);
    await search("nothing", { store });
    const one = [];
    for (let round = 0; round < rounds; round++) {
      await append(store, id, round);
      one.push(await time(() => updateSearchIndex({ store })));
    }
    yield { label: `one more event, ${events} events`, columns: { "in the index after": `${median(one).toFixed(1)} ms` } };
    store.close();
  }
}

/** With so many megabytes of texts, only what it costs in memory, and a few queries. */
async function* runLarge(megabytes, rounds) {
  const store = indexedDBStore(`bench ${crypto.randomUUID()}`);
  let conversations = 0;
  yield { label: "before anything was stored", columns: { memory: await memory() } };
  while (characters < megabytes * 1e6) await seed(store, conversations++);
  yield { label: `${(characters / 1e6).toFixed(0)} MB of texts are stored`, columns: { memory: await memory() } };
  const heartbeat = beating();
  const making = await time(() => updateSearchIndex({ store }));
  const { longest, over50 } = heartbeat();
  yield {
    label: `index of ${(conversations * eventsOfEach).toLocaleString("en")} events, ${over50} tasks over 50 ms`,
    columns: { memory: await memory(), time: `${(making / 1000).toFixed(0)} s`, "longest task": `${longest.toFixed(0)} ms` },
  };
  const times = [];
  for (let round = 0; round < rounds; round++) times.push(await time(() => search(word(round), { store })));
  yield { label: "a frequent word", columns: { memory: await memory(), time: `${median(times).toFixed(1)} ms` } };
  store.close();
}

/** The memory of the page and its workers, where the browser tells it. */
async function memory() {
  const { bytes } = (await performance.measureUserAgentSpecificMemory?.()) ?? {};
  return bytes === undefined ? "" : `${(bytes / 1e6).toFixed(0)} MB`;
}

/** The word with this rank: the first ones are the most frequent. */
function word(rank) {
  let [text, rest] = ["", (rank * 7_919 + 13) % vocabulary];
  for (let i = 0; i < 3; i++) {
    text += "bdfghklmnprstvz"[rest % 15] + "aeiou"[Math.floor(rest / 15) % 5];
    rest = Math.floor(rest / 75);
  }
  return text + rank.toString(36);
}

const words = (count) => Array.from({ length: count }, () => word(Math.floor(vocabulary ** chance.next()) - 1)).join(" ");

const message = (text) => ({
  id: crypto.randomUUID(),
  kind: "MessageEvent",
  source: "user",
  timestamp: "2026-01-31T09:15:02.123456",
  llm_message: { role: "user", content: [{ type: "text", text }] },
});

const used = async () => (await navigator.storage.estimate()).usage;

/** The texts that were made so far. */
let characters = 0;

async function seed(store, number) {
  const id = crypto.randomUUID();
  const texts = Array.from({ length: eventsOfEach }, () => words(60 + random(80)));
  characters += texts.join("").length;
  const events = texts.map(message).map((event) => ({
    id: event.id,
    json: JSON.stringify(event),
  }));
  const baseState = JSON.stringify({ id, tags: { title: words(4) } });
  await store.commit(id, { expectedLength: 0, events, baseState, files: [], at: 1e12 + number, durability: "relaxed" });
  return id;
}

async function append(store, id, number) {
  const event = message(words(100));
  const { length } = await store.load(id);
  const commit = { expectedLength: length, events: [{ id: event.id, json: JSON.stringify(event) }], files: [] };
  // As a writer that has no handle, so the searcher is told nothing; the list is.
  await store.commit(id, {
    ...commit,
    baseState: JSON.stringify({ id, tags: { number: String(number) } }),
    at: Date.now(),
    durability: "relaxed",
  });
  const channel = new BroadcastChannel(`threadkeep:${store.name}`);
  channel.postMessage({ id, isListed: true });
  await new Promise((resolve) => setTimeout(resolve, 20));
  channel.close();
}

/** The times of the first search in a page that has just been opened. */
async function inNewPage(name) {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const result = new Promise((resolve) => addEventListener("message", ({ data }) => data.search && resolve(data), { once: true }));
  const script = frame.contentDocument.createElement("script");
  script.type = "module";
  script.textContent = `
    const begun = performance.now();
    const { Conversation, indexedDBStore, search } = await import("/threadkeep/index.js");
    const store = indexedDBStore(${JSON.stringify(name)});
    await store.load(crypto.randomUUID());
    const loaded = performance.now();
    const { hits } = await search("${word(0)}", { store });
    if (hits.length === 0) throw new Error("nothing was found");
    parent.postMessage({ first: performance.now() - begun, search: performance.now() - loaded });`;
  frame.contentDocument.head.append(script);
  const times = await result;
  frame.remove();
  return times;
}
