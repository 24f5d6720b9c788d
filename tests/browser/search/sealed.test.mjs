// The index of a store that seals its rows: nothing in it can be read, it finds what a plain one finds, it ends when the store is locked,
// and one that was tampered with is made again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { textFromSource } from "../../support/bundled.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";

let server;
before(async () => {
  // With what no page can import. Its other files are those beside it.
  const library = await textFromSource(["entries/index.ts", "store/sealing.ts"]);
  const send = (_, response) => response.writeHead(200, { "content-type": "text/javascript" }).end(library);
  server = await startServer({ mounts: { "/threadkeep/with-sealings.js": (...args) => (send(...args), true) } });
});
after(() => server.close());

/** In the page: a sealed store with conversations, and a plain one with the same. */
async function prepare() {
  const library = await import("/threadkeep/with-sealings.js");
  const { saying, unnamed } = await import("/pages/said.mjs");
  const { inDatabase, sealedStore, settled, textOf } = await import("/pages/sealed.mjs");
  const { randomFrom } = await import("/support/random.mjs");
  const random = randomFrom(7);
  const inner = library.memoryStore();
  const words = Array.from({ length: 3_000 }, (_, n) => `wolverine${n}`);
  for (let n = 0; n < 30; n++) {
    const id = crypto.randomUUID();
    const texts = Array.from({ length: 20 }, () => Array.from({ length: 30 }, () => random.of(words)).join(" "));
    const tags = n % 3 === 0 ? { title: `Tasmanian devil ${n}`, animal: "quoll" } : {};
    await inner.commit(id, saying(id, texts, { baseState: JSON.stringify({ id, tags }), at: n }));
  }
  const sealed = await sealedStore("sealed", inner, library);
  const plain = { ...unnamed(inner), name: "plain" };
  const find = async (text, store = sealed.store) => {
    let result;
    do result = await library.search(text, { store, limit: 100 });
    while (result.pending > 0);
    return result.hits.map(({ conversationId, eventIndex, excerpt, title }) => `${conversationId} ${eventIndex} ${excerpt} ${title}`);
  };
  const database = "threadkeep-sealed-search:sealed";
  Object.assign(globalThis, { library, sealed, plain, inner, find, words, random, database, inDatabase, settled, textOf, saying });
}

for (const kind of availableBrowsers) {
  test(`${kind}: the index of a store that seals its rows is sealed too, and finds the same`, async (context) => {
    const browser = await launch(kind);
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      await browser.evaluate(prepare);

      await context.test("it finds what a plain index finds", async () => {
        const { found, differences } = await browser.evaluate(async () => {
          const queries = ["tasmanian", "wolverine1", "wolverine12 wolverine2", ...Array.from({ length: 20 }, () => random.of(words))];
          const differences = [];
          let found = 0;
          for (const query of queries) {
            const [one, other] = [await find(query), await find(query, plain)];
            found += one.length;
            if (JSON.stringify(one) !== JSON.stringify(other)) differences.push(query);
          }
          return { found, differences };
        });
        assert.deepEqual(differences, []);
        assert.ok(found > 200, `${found} hits`);
      });

      await context.test("nothing of it can be read", async () => {
        const found = await browser.evaluate(async () => {
          const planted = ["wolverine", "devil", "Tasmanian", "tasmanian", "quoll", "title", "firsts"];
          const inIndex = async (name) => {
            const text = await textOf(name);
            return planted.filter((word) => text.includes(word));
          };
          return [await inIndex(database), await inIndex("threadkeep-search:plain")];
        });
        assert.deepEqual(found[0], []);
        assert.ok(found[1].includes("wolverine") && found[1].includes("Tasmanian"), `a plain index has ${found[1]}`);
      });

      await context.test("while the store is locked nothing is found, and the worker has ended", async () => {
        const found = await browser.evaluate(async () => {
          let ended = 0;
          const { terminate } = Worker.prototype;
          Worker.prototype.terminate = function () {
            ended++;
            return terminate.call(this);
          };
          const codeOf = (promise) =>
            promise.then(
              () => "found",
              ({ code }) => code,
            );
          const underWay = codeOf(library.search("wolverine1", { store: sealed.store }));
          sealed.lock();
          const locked = [await underWay, await codeOf(library.search("wolverine1", { store: sealed.store }))];
          const update = await codeOf(library.updateSearchIndex({ store: sealed.store }));
          sealed.unlock();
          const [one, other] = [await find("wolverine1"), await find("wolverine1", plain)];
          return { ended, locked, update, isSame: JSON.stringify(one) === JSON.stringify(other), count: one.length };
        });
        const { count, ...rest } = found;
        assert.ok(count > 0);
        const locked = "permission_required";
        assert.deepEqual(rest, { ended: 1, locked: [locked, locked], update: locked, isSame: true });
      });

      for (const [what, tamper] of Object.entries({
        "changed pages": async ({ pages }) => {
          for (const key of await settled(pages.getAllKeys())) {
            const row = await settled(pages.get(key));
            row[row.length >> 1] ^= 1;
            pages.put(row, key);
          }
        },
        "pages in each other's place": async ({ pages }) => {
          const [keys, rows] = [await settled(pages.getAllKeys()), await settled(pages.getAll())];
          if (rows.length < 2) throw new Error(`${rows.length} pages`);
          for (const [i, key] of keys.entries()) pages.put(rows[(i + 1) % rows.length], key);
        },
        "a conversation in the place of another": async ({ conversations }) => {
          const keys = await settled(conversations.getAllKeys());
          conversations.put(await settled(conversations.get(keys[0])), keys[1]);
        },
        "a segment that is none": async ({ segments }) => {
          for (const key of await settled(segments.getAllKeys())) segments.put({ firsts: ["a"], size: 1, blocks: [0] }, key);
        },
      })) {
        await context.test(`${what} do no harm: the index is made again`, async () => {
          const found = await browser.evaluate(async (source) => {
            await inDatabase(database, new Function(`return ${source}`)());
            // The next query reads everything.
            sealed.lock();
            sealed.unlock();
            const before = await find("wolverine1", plain);
            const isSame = JSON.stringify(await find("wolverine1")) === JSON.stringify(before);
            // Were it not made again, this would fail.
            sealed.lock();
            sealed.unlock();
            return { isSame, again: (await find("wolverine1")).length === before.length, count: before.length };
          }, String(tamper));
          assert.ok(found.count > 0);
          assert.deepEqual([found.isSame, found.again], [true, true]);
        });
      }

      await context.test("without a worker the page seals it", async () => {
        const found = await browser.evaluate(async () => {
          const id = crypto.randomUUID();
          await inner.commit(id, saying(id, ["a wolverine77 and a numbat"]));
          const { Worker } = globalThis;
          globalThis.Worker = undefined;
          sealed.lock();
          sealed.unlock();
          const hits = await find("numbat");
          sealed.lock();
          const code = await find("numbat").catch((error) => error.code);
          sealed.unlock();
          globalThis.Worker = Worker;
          return { hits: hits.length, code, isReadable: (await textOf(database)).includes("numbat") };
        });
        assert.deepEqual(found, { hits: 1, code: "permission_required", isReadable: false });
      });

      await context.test("what an index had when the store was not sealed is removed", async () => {
        const left = await browser.evaluate(async () => {
          const { sealedStore } = await import("/pages/sealed.mjs");
          const later = await sealedStore("plain", inner, library);
          await find("wolverine1", later.store);
          return (await indexedDB.databases()).map(({ name }) => name).filter((name) => name.endsWith(":plain"));
        });
        assert.deepEqual(left, ["threadkeep-sealed-search:plain"]);
      });
    } finally {
      await browser.close();
    }
  });
}
