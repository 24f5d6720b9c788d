// The cost of storing a step in a directory: a commit of one event with the base state that goes with it, compared with writing
// the same two files, and what opening a conversation in a directory costs.
//
// Equal on both sides: the names and the bytes of the files, each made with `createWritable()`, written whole and closed.
//
// The difference is what the library does in addition: it replaces the record of the commit first, with the same bytes in it,
// takes a lock, and looks whether another page or program has written.
import { compare, time } from "./measure.js";
import { directoryStore } from "/threadkeep/index.js";

export const title = "Conversations in a directory, milliseconds";

const event = JSON.stringify({ kind: "ObservationEvent", id: crypto.randomUUID(), observation: "What the tool said. ".repeat(45) });
const conversation = "0f8fad5b-d9cb-469f-a165-70867728950e";
const hex = conversation.replaceAll("-", "");
const encoder = new TextEncoder();
const goal = { chromium: 3, firefox: 3 };
/** Longer than this for one file, and the longest log is left out: it would take many minutes. */
const slow = 8;

export async function* run({ rounds = 40 }) {
  const milliseconds = (number) => number.toFixed(2);
  const root = await navigator.storage.getDirectory();
  const name = crypto.randomUUID();
  const directory = await root.getDirectoryHandle(name, { create: true });
  const store = directoryStore(directory);
  const bare = await bareWrites(root);
  let length = 0;
  const append = async (count, at = 1) => {
    for (let n = 0; n < count; n += at) {
      const ids = Array.from({ length: Math.min(at, count - n) }, () => crypto.randomUUID());
      const commit = { expectedLength: length, events: ids.map((id) => ({ id, json: event })), baseState: base(ids.at(-1)) };
      await store.commit(conversation, { ...commit, files: [], at: Date.now(), durability: "relaxed" });
      length += ids.length;
    }
  };
  let fill = 0;
  for (const wanted of [100, 1_000, 10_000]) {
    if (wanted === 10_000 && fill > slow) break;
    const missing = Math.max(wanted - length, 1);
    fill = (await time(() => append(missing, 500))) / missing;
    const { first, second, ratio } = await compare(bare, append, { rounds, block: 1 });
    yield {
      label: `append at ${wanted.toLocaleString("en")} events`,
      columns: { "bare files": milliseconds(first), threadkeep: milliseconds(second) },
      ratio,
      goal,
    };
    const fresh = directoryStore(directory);
    const loading = await time(() => fresh.load(conversation));
    const viewing = await time(() => fresh.events(conversation, length - 50, length));
    const again = await time(() => fresh.events(conversation, length - 100, length - 50));
    yield {
      label: `open at ${wanted.toLocaleString("en")} events`,
      columns: { load: milliseconds(loading), "the last 50 events": milliseconds(viewing), "50 before": milliseconds(again) },
    };
  }
  await root.removeEntry(name, { recursive: true });
}

/** A base state of five kilobytes. */
function base(leaf) {
  return JSON.stringify({ id: conversation, agent: "An agent's settings. ".repeat(238), leaf_event_id: leaf });
}

/** The same two files, written without anything else. */
async function bareWrites(root) {
  const folder = await (await root.getDirectoryHandle(crypto.randomUUID(), { create: true })).getDirectoryHandle(hex, { create: true });
  const events = await folder.getDirectoryHandle("events", { create: true });
  const write = async (directory, name, text) => {
    const writable = await (await directory.getFileHandle(name, { create: true })).createWritable();
    await writable.write(encoder.encode(text));
    await writable.close();
  };
  let index = 0;
  return async (count) => {
    for (let n = 0; n < count; n++) {
      const id = crypto.randomUUID();
      await write(events, `event-${String(index++).padStart(5, "0")}-${id}.json`, event);
      await write(folder, "base_state.json", base(id));
    }
  };
}
