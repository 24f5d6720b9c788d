// The time to export a conversation as a zip archive and to import one, compared with the least that can be done with the
// same rows: fflate over the rows of a database that holds nothing else, and back into one in a single transaction. Node
// has no database: there a Map is compared with `memoryStore()`.
//
// The difference is what the library does in addition: it reads in pages, so that memory stays small, names and checks
// every entry, searches for secrets, checks everything before it stores anything, takes a lock, and indexes ids.
import { bareDatabase, isNode } from "./bare-database.js";
import { rows } from "./events.js";
import { median, time } from "./measure.js";

export const title = "Zip archives, milliseconds";

const goal = (ratio) => ({ node: ratio, chromium: ratio, firefox: ratio });

export async function* run({ rounds }) {
  const library = await import(isNode ? "../dist/index.js" : "/threadkeep/index.js");
  const peer = await import(isNode ? "fflate" : "/fflate/browser.js");
  const { Agent, Conversation, LLM, indexedDBStore, memoryStore } = library;
  await library.load();
  const agent = new Agent({ llm: new LLM({ model: "openai/none", baseUrl: "/v1" }) });
  const newStore = () => (isNode ? memoryStore() : indexedDBStore(crypto.randomUUID()));
  for (const [length, usual] of [
    [100, 21],
    [2_000, 7],
    [20_000, 3],
  ]) {
    const store = newStore();
    const made = rows(0, length);
    const conversation = await Conversation.open({ agent, store });
    const { id, state } = conversation;
    await conversation.close();
    const baseState = JSON.stringify({ ...state, leaf_event_id: made.parent });
    await store.commit(id, { expectedLength: 0, events: made.rows, baseState, files: [], at: Date.now(), durability: "relaxed" });
    const ours = await Conversation.open({ agent, store, conversationId: id });
    const theirs = await bareDatabase();
    await theirs.put(made.rows.map((row, index) => ({ index, ...row })));

    const out = [[], []];
    const into = [[], []];
    for (let round = 0; round <= (rounds ?? usual); round++) {
      let zip;
      const ourExport = await time(async () => (zip = await ours.exportZip()));
      const theirExport = await time(async () => new Blob([peer.zipSync(files(await theirs.all()))]));
      const bytes = new Uint8Array(await zip.arrayBuffer());
      const [ourStore, theirStore] = [newStore(), await bareDatabase()];
      // Both databases are open before the measurement starts.
      await ourStore.list();
      const ourImport = await time(() => Conversation.importZip(zip, { store: ourStore }));
      const theirImport = await time(() => theirStore.put(parsed(peer.unzipSync(bytes))));
      ourStore.close();
      await theirStore.end();
      // The first round only warms up.
      if (round === 0) continue;
      out[0].push(theirExport), out[1].push(ourExport);
      into[0].push(theirImport), into[1].push(ourImport);
    }
    for (const [label, [bare, threadkeep], most] of [
      ["export", out, 1.5],
      ["import", into, 3],
    ]) {
      const ratios = bare.map((time, round) => threadkeep[round] / time);
      const columns = { "fflate, bare": median(bare).toFixed(1), threadkeep: median(threadkeep).toFixed(1) };
      yield { label: `${label} ${length} events`, columns, ratio: median(ratios), goal: goal(most) };
    }
    await ours.close();
    store.close();
    await theirs.end();
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function files(rows) {
  const entries = rows.map(({ index, id, json }) => [`events/event-${String(index).padStart(5, "0")}-${id}.json`, encoder.encode(json)]);
  return Object.fromEntries(entries);
}

function parsed(files) {
  const names = Object.keys(files).filter((name) => !name.endsWith("/"));
  return names.map((name, index) => ({ index, id: name.slice(-41, -5), json: decoder.decode(files[name]) }));
}
