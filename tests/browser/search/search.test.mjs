// The index of the search in real browsers: it finds what reading everything finds, follows every change, also of other tabs, has nothing
// of what was deleted, and can be made again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { isAll } from "../../support/explored.mjs";
import { until } from "../../support/until.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** In the page: stores conversations with random texts of few words, and compares what the index finds with what reading finds. */
async function compareWithReading(seed, rounds) {
  const { Conversation, indexedDBStore, search } = await import("/threadkeep/index.js");
  const { randomFrom } = await import("/support/random.mjs");
  const { saying, unnamed } = await import("/pages/said.mjs");
  const random = randomFrom(seed);
  const store = indexedDBStore(`compared ${seed}`);
  const words = ["alpha", "alps", "Beta", "bêta", "東京", "東京都", "京都", "c", "ca", "cat", "zoo", "zo", "x1", "x12"];
  const text = () => Array.from({ length: random.between(1, 4) }, () => random.of(words)).join(random.of([" ", ", ", "_"]));
  const logs = new Map();
  const append = async (id, count) => {
    const length = logs.get(id) ?? 0;
    const baseState = JSON.stringify({ id, tags: random.chance(0.3) ? { title: text() } : {} });
    await store.commit(id, saying(id, Array.from({ length: count }, text), { expectedLength: length, baseState }));
    logs.set(id, length + count);
  };
  const channel = new BroadcastChannel(`threadkeep:${store.name}`);
  /** Tells the page, and resolves once it has heard. */
  const tell = (id) =>
    new Promise((resolve) => {
      const stop = Conversation.onListChange((change) => change.id === id && (stop(), resolve()), { store });
      channel.postMessage({ id, isListed: true });
    });
  const differences = [];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const known = [...logs.keys()];
    const id = known.length === 0 || random.chance(0.3) ? crypto.randomUUID() : random.of(known);
    if (known.includes(id) && random.chance(0.2)) {
      await store.delete(id);
      logs.delete(id);
    } else await append(id, random.of([1, 2, 5, 300]));
    await tell(id);
    for (const query of [random.of(words), `${random.of(words)} ${random.of(words)}`, random.of(words).slice(0, 2)]) {
      const options = { limit: 1000, perConversation: random.of([1, 3, 30]) };
      let indexed = await search(query, { ...options, store });
      for (let tries = 0; indexed.pending > 0 && tries < 100; tries++) indexed = await search(query, { ...options, store });
      const read = await search(query, { ...options, store: unnamed(store) });
      const placeOf = ({ conversationId, eventIndex, excerpt }) => `${conversationId} ${eventIndex} ${excerpt}`;
      const [one, other] = [indexed.hits.map(placeOf), read.hits.map(placeOf)];
      found += other.length;
      if (JSON.stringify(one) !== JSON.stringify(other))
        differences.push(
          `round ${round}, ${query}: ${one.length} and ${other.length} hits, only in the index ${one.filter((place) => !other.includes(place)).slice(0, 3)}, missing ${other.filter((place) => !one.includes(place)).slice(0, 3)}`,
        );
    }
  }
  channel.close();
  return { found, differences: differences.slice(0, 5) };
}

/** In the page: says something in a new or a stored conversation; resolves to its id. */
async function say(message, { title, id } = {}) {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/test", apiKey: "k" }) });
  const conversation = await Conversation.open({ agent, conversationId: id, ...(title && { tags: { title } }) });
  await conversation.sendMessage(message);
  await conversation.close();
  return conversation.id;
}

/** In the page: the excerpts that are found once nothing is missing in the index. */
async function find(text) {
  const { search } = await import("/threadkeep/index.js");
  let result = await search(text);
  while (result.pending > 0) result = await search(text);
  return result.hits.map(({ excerpt }) => excerpt);
}
const remove = async (id) => (await import("/threadkeep/index.js")).Conversation.delete(id);

/** In the page: everything that the index of this store has, as text. */
async function dump(name = "threadkeep") {
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open(`threadkeep-search:${name}`);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const rows = [];
  for (const table of database.objectStoreNames) {
    const all = database.transaction(table).objectStore(table).getAll();
    rows.push(...(await new Promise((resolve) => (all.onsuccess = () => resolve(all.result)))));
  }
  database.close();
  return JSON.stringify(rows);
}

for (const kind of availableBrowsers) {
  test(`${kind}: the index of the search finds what reading finds, and follows every change of every tab`, async (context) => {
    const browser = await tabs(kind);
    try {
      const page = await browser.page(`${server.origin}/pages/blank.html`);

      await context.test("the index finds what reading everything finds", async () => {
        for (const seed of isAll ? [1, 2, 3] : [1]) {
          const { found, differences } = await page.evaluate(compareWithReading, seed, 25);
          assert.deepEqual(differences, [], `seed ${seed}`);
          assert.ok(found > 500, `${found} hits`);
        }
      });

      await context.test("what another tab writes and deletes is followed, and nothing of it is left", async () => {
        const other = await browser.page(`${server.origin}/pages/blank.html`);
        const id = await other.evaluate(say, "The aardvark sleeps", { title: "Animals" });
        assert.deepEqual(await page.evaluate(find, "aardvark"), ["The aardvark sleeps"]);
        await other.evaluate(say, "The aardvark wakes up", { id });
        await until(async () => (await page.evaluate(find, "wakes")).length === 1, "what was written is found");
        assert.match(await page.evaluate(dump), /aardvark/);
        await other.evaluate(say, "A pangolin is no aardvark");
        await other.evaluate(remove, id);
        await until(async () => (await page.evaluate(find, "wakes")).length === 0, "what was deleted is not found");
        assert.deepEqual(await page.evaluate(find, "aardvark"), ["A pangolin is no aardvark"]);
        // By itself, about a second after the change.
        await until(async () => !(await page.evaluate(dump)).includes("wakes"), "nothing of it is left");
        await other.close();
      });

      await context.test("a page that is opened again reads only what is new", async () => {
        await page.reload();
        const read = await page.evaluate(async () => {
          const { indexedDBStore, search } = await import("/threadkeep/index.js");
          const store = indexedDBStore();
          const asked = [];
          const { events } = store;
          store.events = (...args) => (asked.push(args.slice(1)), events.apply(store, args));
          const { hits } = await search("pangolin", { store });
          return { asked, hits: hits.length };
        });
        assert.deepEqual(read, { asked: [[1, 2]], hits: 1 });
      });

      await context.test("the first query of a page shows nothing that has changed since the index was made", async () => {
        const ids = await page.evaluate(async () => {
          const { indexedDBStore, updateSearchIndex } = await import("/threadkeep/index.js");
          const { saying } = await import("/pages/said.mjs");
          const store = indexedDBStore("changed");
          const ids = [];
          for (let n = 0; n < 120; n++) {
            const id = crypto.randomUUID();
            const tags = n < 4 ? { title: `Oldtitle ${n}` } : {};
            await store.commit(
              id,
              saying(id, [n < 5 ? `a walrus ${n}` : "a herring"], { at: 1000 - n, baseState: JSON.stringify({ id, tags }) }),
            );
            ids.push(id);
          }
          await updateSearchIndex({ store });
          return ids;
        });
        // A page that does not search, so the index is not told.
        await page.reload();
        const other = await browser.page(`${server.origin}/pages/blank.html`);
        await other.evaluate(async (ids) => {
          const { Conversation, indexedDBStore, updateConversations } = await import("/threadkeep/index.js");
          const { saying } = await import("/pages/said.mjs");
          const store = indexedDBStore("changed");
          const baseState = JSON.stringify({ id: ids[0], tags: { title: "Newtitle" } });
          await store.commit(ids[0], saying(ids[0], [], { expectedLength: 1, baseState, at: 2000 }));
          await updateConversations(ids[1], { trashed: true }, { store });
          await Conversation.delete(ids[2], { store });
        }, ids);
        await other.close();
        const found = await page.evaluate(async () => {
          const { indexedDBStore, search } = await import("/threadkeep/index.js");
          const store = indexedDBStore("changed");
          const shown = ({ hits }) => hits.map(({ title, excerpt }) => `${title}: ${excerpt}`);
          const complete = async (text, options) => {
            let result;
            do result = await search(text, { store, ...options });
            while (result.pending > 0);
            return shown(result);
          };
          const first = await search("walrus", { store });
          return {
            pending: String(first.pending),
            first: shown(first),
            old: await complete("oldtitle"),
            new: await complete("newtitle"),
            trashed: await complete("walrus", { trashed: true }),
          };
        });
        assert.deepEqual(found, {
          pending: "Infinity",
          first: ["Newtitle: a walrus 0", "Oldtitle 3: a walrus 3", "null: a walrus 4"],
          old: ["Oldtitle 3: Oldtitle 3"],
          new: ["Newtitle: Newtitle"],
          trashed: ["Oldtitle 1: a walrus 1"],
        });
      });

      await context.test("an index that is gone is made again", async () => {
        await page.evaluate(
          () =>
            new Promise((resolve, reject) => {
              const request = indexedDB.deleteDatabase("threadkeep-search:threadkeep");
              request.onsuccess = resolve;
              request.onerror = reject;
            }),
        );
        await page.reload();
        assert.deepEqual(await page.evaluate(find, "pangolin"), ["A pangolin is no aardvark"]);
      });

      await context.test("a log whose end was replaced is read again", async () => {
        const found = await page.evaluate(async () => {
          const { Conversation, indexedDBStore, search, updateSearchIndex } = await import("/threadkeep/index.js");
          const { saying } = await import("/pages/said.mjs");
          const store = indexedDBStore("replaced");
          const id = crypto.randomUUID();
          await store.commit(id, saying(id, ["one old", "two old"]));
          await updateSearchIndex({ store });
          const before = (await search("old", { store })).hits.length;
          await store.commit(id, saying(id, ["two new", "three new"], { expectedLength: 2, truncateTo: 1 }));
          const channel = new BroadcastChannel("threadkeep:replaced");
          await new Promise((resolve) => {
            const stop = Conversation.onListChange(() => (stop(), resolve()), { store });
            channel.postMessage({ id, isListed: true });
          });
          await updateSearchIndex({ store });
          const hits = async (text) => (await search(text, { store })).hits.map(({ excerpt }) => excerpt);
          return { before, old: await hits("old"), new: await hits("new") };
        });
        assert.deepEqual(found, { before: 2, old: ["one old"], new: ["three new", "two new"] });
      });

      await context.test("an update that fails is repeated as if it had not begun", async () => {
        const found = await page.evaluate(async () => {
          const { memoryStore, search, updateSearchIndex } = await import("/threadkeep/index.js");
          const { saying, unnamed } = await import("/pages/said.mjs");
          const inner = memoryStore();
          let fails = true;
          const store = { ...unnamed(inner), name: "failing" };
          const ids = [crypto.randomUUID(), crypto.randomUUID()];
          for (const [at, id] of ids.entries())
            await inner.commit(id, saying(id, ["first word", "second word", "third word"], { at: 1000 - at }));
          store.events = async (id, ...range) => {
            if (id === ids[1] && fails) throw Object.assign(new Error("not now"), { code: "store_blocked" });
            return inner.events(id, ...range);
          };
          const code = await updateSearchIndex({ store }).then(
            () => undefined,
            (error) => error.code,
          );
          fails = false;
          await updateSearchIndex({ store });
          const places = async (text) => (await search(text, { store })).hits.map(({ eventIndex, excerpt }) => `${eventIndex} ${excerpt}`);
          return { code, third: await places("third"), second: await places("second") };
        });
        assert.deepEqual(found, {
          code: "store_blocked",
          third: ["2 third word", "2 third word"],
          second: ["1 second word", "1 second word"],
        });
        const lengths = [...(await page.evaluate(dump, "failing")).matchAll(/"length":(\d+)/g)].map(([, length]) => Number(length));
        assert.deepEqual(lengths, [3, 3]);
      });

      await context.test("while an update ends, an answer that lacks its events says so", async () => {
        const found = await page.evaluate(async () => {
          const { Conversation, memoryStore, search, updateSearchIndex } = await import("/threadkeep/index.js");
          const { deferred } = await import("/support/deferred.mjs");
          const { saying, unnamed } = await import("/pages/said.mjs");
          const inner = memoryStore();
          const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
          // With titles, so that a list reads no events.
          for (const each of [id, other])
            await inner.commit(each, saying(each, ["a narwhal"], { baseState: JSON.stringify({ id: each, tags: { title: "Whales" } }) }));
          const [asked, goOn] = [deferred(), deferred()];
          // A query looks at the store after it has asked the index, which becomes complete until then.
          let looks = 0;
          const look = async () => {
            if (!hasChanged) return;
            looks++;
            goOn.resolve();
            await isStored;
          };
          let hasChanged = false;
          const store = {
            ...unnamed(inner),
            name: "ending",
            load: (...args) => look().then(() => inner.load(...args)),
            list: (...args) => look().then(() => inner.list(...args)),
            events: async (...args) => (asked.resolve(), await goOn.promise, inner.events(...args)),
          };
          const isStored = new Promise((onProgress) => void updateSearchIndex({ store, onProgress }));
          await asked.promise;
          hasChanged = true;
          const heard = deferred();
          const stop = Conversation.onListChange(heard.resolve, { store });
          new BroadcastChannel("threadkeep:ending").postMessage({ id, isListed: true });
          await heard.promise;
          stop();
          const { hits, pending } = await search("narwhal", { store });
          return { isTold: hits.length === 2 || pending > 0, looks };
        });
        assert.deepEqual(found, { isTold: true, looks: 1 });
      });

      await context.test("without its worker the page makes the index", async () => {
        const apart = await browser.page(`${server.origin}/pages/blank.html`);
        const found = await apart.evaluate(async () => {
          globalThis.Worker = class {
            constructor() {
              throw new DOMException("forbidden", "SecurityError");
            }
          };
          const { indexedDBStore, search, updateSearchIndex } = await import("/threadkeep/index.js");
          const { saying } = await import("/pages/said.mjs");
          const store = indexedDBStore("without a worker");
          const id = crypto.randomUUID();
          await store.commit(id, saying(id, ["an okapi"]));
          await updateSearchIndex({ store });
          return (await search("okapi", { store })).hits.map(({ excerpt }) => excerpt);
        });
        assert.deepEqual(found, ["an okapi"]);
        await apart.close();
      });

      await context.test("a page that dies while the index is made leaves one that goes on", async () => {
        const dying = await browser.page(`${server.origin}/pages/blank.html`);
        // So many that it takes longer than ending the page.
        const [conversations, events] = [30, 200];
        await dying.evaluate(
          async (conversations, events) => {
            const { indexedDBStore, updateSearchIndex } = await import("/threadkeep/index.js");
            const { saying } = await import("/pages/said.mjs");
            const { randomFrom } = await import("/support/random.mjs");
            const random = randomFrom(1);
            const store = indexedDBStore("cut off");
            for (let n = 0; n < conversations; n++) {
              const id = crypto.randomUUID();
              const words = () => Array.from({ length: 150 }, () => random.next().toString(36).slice(2, 7)).join(" ");
              const texts = Array.from({ length: events }, (_, i) => `event ${i} ${words()}`);
              await store.commit(id, saying(id, texts, { at: n }));
            }
            await new Promise((resolve) => void updateSearchIndex({ store, onProgress: resolve }).catch(() => {}));
          },
          conversations,
          events,
        );
        await dying.close();
        const counted = await page.evaluate(async (last) => {
          const { indexedDBStore, search, updateSearchIndex } = await import("/threadkeep/index.js");
          const store = indexedDBStore("cut off");
          const steps = [];
          await updateSearchIndex({ store, onProgress: ({ done, total }) => steps.push(`${done > 0 && done <= total} ${total}`) });
          const { hits, more, pending } = await search(`event ${last}`, { store, limit: 1000, perConversation: 1 });
          return { steps: [...new Set(steps)], hits: hits.length, more, pending };
        }, events - 1);
        assert.deepEqual(counted, { steps: [`true ${conversations * events}`], hits: conversations, more: false, pending: 0 });
      });
    } finally {
      await browser.close();
    }
  });
}
