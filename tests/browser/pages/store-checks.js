// The checks that `store.test.mjs` runs inside its pages, one function each.
import { indexedDBStore } from "/threadkeep/index.js";
import * as core from "./core.mjs";
import { MapStore, commit, contents, conversation, eventId, failures, kit, outcome } from "./stores.js";

export async function suiteOnIndexedDb() {
  return failures((name) => kit.runCaseOnDatabase(name));
}

/** The files of the library: its IndexedDB, taken for a store of the host by the library, and that by the suite. */
export async function suiteThroughHost() {
  const open = (place) => core.CoreStore.host(core.CoreStore.indexedDb(`host ${place}`, "relaxed"));
  return failures((name) => kit.runConformanceCase(name, open));
}

export async function kitForHosts() {
  const { checkStore } = await import("/threadkeep/testing.js");
  class Wrong extends MapStore {
    commit(id, { truncateTo, ...commit }) {
      return super.commit(id, commit);
    }
    async readFile(id, path) {
      const content = await super.readFile(id, path);
      return content && [...content];
    }
  }
  return {
    right: await checkStore((place) => new MapStore(place)),
    wrong: await checkStore((place) => new Wrong(`wrong ${place}`), {
      only: ["truncation_cuts_before_it_appends", "files_come_back_exactly"],
    }),
  };
}

export async function badAnswers() {
  const listing = { conversation, baseState: "{}", length: 1, createdAt: 1, updatedAt: 1 };
  const event = { index: 0, id: eventId(0), json: "{}" };
  const odd = [0, -1, 1.5, NaN, "text", true, Symbol("s"), 10n, {}, () => {}, new Date(NaN), new Proxy({}, { get: () => ({}) })];
  const without = (whole) =>
    Object.keys(whole).flatMap((key) => [
      { ...whole, [key]: undefined },
      { ...whole, [key]: {} },
    ]);
  const oddWriters = [-1, 1.5, NaN, "1", {}].map((writer) => ({ ...listing, writer }));
  const answers = {
    list: [undefined, null, ...odd, ...[undefined, null, ...odd, ...without(listing), ...oddWriters].map((value) => [value])],
    load: [...odd, [], ...without(listing), ...oddWriters, { ...listing, conversation: crypto.randomUUID() }],
    events: [
      undefined,
      null,
      ...odd,
      ...[undefined, null, ...odd, ...without(event), { ...event, index: 1 }].map((value) => [value]),
      Array.from({ length: 9 }, (_, index) => ({ ...event, index })),
    ],
    indexOf: [...odd.filter((value) => value !== 0), []],
    files: [undefined, null, ...odd, [1], [null], ["../up"], [""], ["a\\b"]],
    readFile: [...odd, [1, 2], new ArrayBuffer(2), new Uint16Array(2)],
  };
  const calls = {
    list: (store) => store.list(),
    load: (store) => store.load(conversation),
    events: (store) => store.events(conversation, 0, 5),
    indexOf: (store) => store.indexOf(conversation, eventId(0)),
    files: (store) => store.files(conversation),
    readFile: (store) => store.readFile(conversation, "f"),
  };
  const found = [];
  for (const [method, values] of Object.entries(answers)) {
    for (const value of values) {
      const host = Object.assign(new MapStore(crypto.randomUUID()), { [method]: () => value });
      const text =
        typeof value === "object" ? JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) : String(value);
      found.push([method, text, await outcome(calls[method](await core.CoreStore.host(host)))]);
    }
  }
  // Methods that are none, and throwing anything at all: an error each, and the wasm lives on.
  for (const method of [...Object.keys(calls), "commit", "delete"]) {
    const call =
      calls[method] ?? ((store) => (method === "commit" ? store.commit(conversation, commit(0, 1)) : store.delete(conversation)));
    for (const value of [undefined, null, 7, "text", {}]) {
      const host = Object.assign(new MapStore(crypto.randomUUID()), { [method]: value });
      found.push([method, `${value} instead of the method`, await outcome(call(await core.CoreStore.host(host)))]);
    }
    for (const thrown of [
      ...odd,
      undefined,
      null,
      {
        code: 7,
        get message() {
          throw 1;
        },
      },
      { code: "store_corrupt", message: `${method} says so` },
    ]) {
      const host = Object.assign(new MapStore(crypto.randomUUID()), {
        [method]: () => {
          throw thrown;
        },
      });
      const [code] = await outcome(call(await core.CoreStore.host(host)));
      if (code !== "store_corrupt") found.push([method, "a throw", [code, ""]]);
    }
  }
  return found;
}

export async function requestsOfAppends() {
  const store = indexedDBStore("requests");
  const base = (n) => `{"agent":"${"x".repeat(100_000)}","leaf":${n}}`;
  await store.commit(conversation, commit(0, 1, { baseState: base(0) }));
  const requests = { add: 0, put: 0, get: 0 };
  const counted = { add: "add", put: "put", delete: "put", get: "get", getAll: "get", openCursor: "get", count: "get", getKey: "get" };
  const originals = {};
  for (const [method, as] of Object.entries(counted)) {
    originals[method] = IDBObjectStore.prototype[method];
    IDBObjectStore.prototype[method] = function (...args) {
      requests[as]++;
      return originals[method].apply(this, args);
    };
  }
  for (let n = 1; n <= 200; n++) {
    const writer = { expected: n === 1 ? 0 : 1, next: 1 };
    await store.commit(conversation, commit(n, 1, { baseState: base(n), writer }));
  }
  Object.assign(IDBObjectStore.prototype, originals);
  const found = [];
  for (const n of [0, 63, 64, 200]) found.push(await store.indexOf(conversation, eventId(n)));
  return { requests, found, absent: await store.indexOf(conversation, eventId(201)) };
}

export async function appendInTurn(writer) {
  const store = indexedDBStore("two tabs");
  for (let n = 0; n < 25; ) {
    const length = (await store.load(conversation))?.length ?? 0;
    const event = { id: crypto.randomUUID(), json: `${writer}` };
    const [code] = await outcome(store.commit(conversation, commit(length, 0, { events: [event], baseState: "{}" })));
    if (code === "ok") n++;
    else if (code !== "locked_elsewhere") return code;
  }
  return 25;
}

export async function eventsByWriter() {
  const events = await indexedDBStore("two tabs").events(conversation, 0, 1000);
  return [0, 1].map((writer) => events.filter((event) => event.json === `${writer}`).length);
}

export async function holdOpen(name) {
  // The first version of the database, and a connection that does not listen to anybody.
  const store = indexedDBStore(name);
  await store.commit(conversation, commit(0, 1));
  store.close();
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => resolve((window.held = opening.result));
  });
}

export function letGo() {
  window.held.close();
}

export async function openInNextVersion(name) {
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (database, version) {
    return open.call(this, database, version + 1);
  };
  window.store = indexedDBStore(name);
  return outcome(window.store.list());
}

export async function listKept() {
  return outcome(window.store.list());
}

export async function openStore(name) {
  window.store = indexedDBStore(name);
  await window.store.commit(conversation, commit(0, 3, { baseState: "{}" }));
}

export async function loadOpened() {
  const [code, listing] = await outcome(window.store.load(conversation));
  return [code, listing ?? "no conversation"];
}

export async function appendOpened(length) {
  return outcome(window.store.commit(conversation, commit(length, 1, { baseState: "{}" })));
}

export function upgrade(name) {
  return new Promise((resolve) => {
    const opening = indexedDB.open(name, 3);
    opening.onerror = () => resolve(String(opening.error));
    opening.onsuccess = () => {
      opening.result.close();
      resolve("upgraded");
    };
  });
}

export function deleteDatabase(name) {
  return new Promise((resolve) => {
    const deletion = indexedDB.deleteDatabase(name);
    deletion.onsuccess = () => resolve("deleted");
    deletion.onerror = () => resolve(String(deletion.error));
  });
}

export async function lostConnections() {
  const store = indexedDBStore("lost");
  let connection;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...args) {
    connection = this;
    return transaction.apply(this, args);
  };
  const codes = [];
  let length = 0;
  const append = async () => {
    codes.push((await outcome(store.commit(conversation, commit(length++, 1, { baseState: "{}" }))))[0]);
  };
  await append();
  // As the browser does it: closed, and told.
  connection.close();
  connection.dispatchEvent(new Event("close"));
  await append();
  // Closed, and not told.
  connection.close();
  await append();
  connection.close();
  codes.push((await outcome(store.load(conversation)))[0]);
  return codes;
}

/** What the library reads of a database that its first version has made, and the tables that it has then. */
export async function firstVersion() {
  const store = indexedDBStore("copied");
  await store.commit(conversation, commit(0, 3, { baseState: "{}" }));
  store.close();
  const opened = (name, version, make) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open(name, version);
      opening.onupgradeneeded = () => make?.(opening.result);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => resolve(opening.result);
    });
  const copied = await opened("copied");
  const rowsOf = (table) =>
    new Promise((resolve) => {
      const rows = [];
      copied.transaction(table).objectStore(table).openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) return resolve(rows);
        rows.push([cursor.key, cursor.value]);
        cursor.continue();
      };
    });
  const [heads, events] = [await rowsOf("conversations"), await rowsOf("events")];
  copied.close();
  const first = await opened("first", 1, (database) => {
    const conversations = database.createObjectStore("conversations", { keyPath: "conversation" });
    for (const [, head] of heads) conversations.add(head);
    const rows = database.createObjectStore("events");
    for (const [key, row] of events) rows.add(row, key);
    database.createObjectStore("files");
    database.createObjectStore("pages").createIndex("ids", "ids", { multiEntry: true });
  });
  first.close();
  const { length } = await indexedDBStore("first").load(conversation);
  const { version, objectStoreNames } = await opened("first");
  return { length, version, tables: [...objectStoreNames] };
}

export async function foreignDatabase() {
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open("foreign", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("mine");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      opening.result.close();
      resolve();
    };
  });
  return outcome(indexedDBStore("foreign").list());
}

export async function damagedRows() {
  let conversation, hex;
  const store = indexedDBStore("damaged");
  const change = (table, body) =>
    new Promise((resolve, reject) => {
      const opening = indexedDB.open("damaged");
      opening.onsuccess = () => {
        const transaction = opening.result.transaction(table, "readwrite");
        body(transaction.objectStore(table));
        transaction.oncomplete = () => {
          opening.result.close();
          resolve();
        };
        transaction.onabort = () => reject(transaction.error);
      };
    });
  const load = () => store.load(conversation);
  const events = () => store.events(conversation, 0, 10);
  const row = { index: 2, id: "e0000000", json: "{}", at: 1, written: Date.now() };
  const damages = [
    ["a log that lost its end", "events", (table) => table.delete([hex, 2]), load],
    ["a log with a gap", "events", (table) => table.delete([hex, 1]), events],
    ["an event without text", "events", (table) => table.put({ ...row, json: 7 }, [hex, 2]), events],
    ["an event with a bad id", "events", (table) => table.put({ ...row, id: "../x" }, [hex, 2]), events],
    ["an event with a bad index", "events", (table) => table.put({ ...row, index: -1 }, [hex, 2]), events],
    [
      "an event with a patch of nothing",
      "events",
      (table) => table.put({ ...row, index: 3, keep_start: 99, keep_end: 0, middle: "" }, [hex, 3]),
      load,
    ],
    ["an event with half a patch", "events", (table) => table.put({ ...row, index: 3, middle: "" }, [hex, 3]), load],
    ["a head without a length", "conversations", (table) => table.put({ conversation: hex, base_state: "{}" }), load],
    [
      "a base state that is no text",
      "conversations",
      (table) => table.put({ conversation: hex, base_state: 1, created_at: 1, updated_at: 1, written: 1, length: 3, used: 3 }),
      load,
    ],
    ["a file that is no bytes", "files", (table) => table.put("text", [hex, "f"]), () => store.readFile(conversation, "f")],
    ["a file with a path upwards", "files", (table) => table.put(new Uint8Array(1), [hex, "../f"]), () => store.files(conversation)],
  ];
  const found = [];
  for (const [what, table, body, read] of damages) {
    conversation = crypto.randomUUID();
    hex = conversation.replaceAll("-", "");
    await store.commit(conversation, commit(0, 3, { baseState: "{}" }));
    await change(table, body);
    const failed = await outcome(read());
    const deleted = await outcome(store.delete(conversation));
    const listed = await store.list();
    found.push([what, failed, deleted, listed.length + (await contents("damaged")).files.length]);
  }
  return found;
}

export async function refusedWrites() {
  const store = indexedDBStore("full");
  await store.commit(conversation, commit(0, 3, { baseState: "{}" }));
  const length = async () => (await store.load(conversation)).length;
  const results = [];
  const { add } = IDBObjectStore.prototype;
  const full = () => new DOMException("no room", "QuotaExceededError");
  // Refused by the call; then with the first event written already.
  let left = 0;
  IDBObjectStore.prototype.add = function (...args) {
    if (left-- > 0) return add.apply(this, args);
    throw full();
  };
  results.push((await outcome(store.commit(conversation, commit(3, 1))))[0]);
  left = 1;
  results.push((await outcome(store.commit(conversation, commit(3, 2))))[0]);
  results.push(await length());
  IDBObjectStore.prototype.add = add;
  results.push((await outcome(store.commit(conversation, commit(3, 1))))[0]);
  results.push(await length());
  return results;
}

export async function appendMegabytes(megabytes) {
  const content = new Uint8Array(megabytes * 1_048_576);
  for (let n = 0; n < content.length; n += 65_536) crypto.getRandomValues(content.subarray(n, n + 65_536));
  const [code] = await outcome(window.store.commit(conversation, commit(3, 1, { files: [{ path: "big", content }] })));
  return [code, (await window.store.load(conversation)).length];
}

export async function leaveBehind() {
  const { now } = Date;
  const store = indexedDBStore("leftovers");
  const [finished, young] = [crypto.randomUUID(), crypto.randomUUID()];
  // An import that ended early and a deletion, both two days ago; a conversation; an import under way.
  Date.now = () => now() - 2 * 86_400_000;
  await store.commit(conversation, commit(0, 100, { files: [{ path: "f", content: new Uint8Array(9) }] }));
  const deleted = crypto.randomUUID();
  await store.commit(deleted, commit(0, 3, { baseState: "{}" }));
  await store.delete(deleted);
  await store.commit(finished, commit(0, 3, { baseState: "{}" }));
  Date.now = now;
  await store.commit(young, commit(0, 3));
  window.kept = [finished, young].map((id) => id.replaceAll("-", "")).sort();
  await store.list();
}

export async function leftoversAreGone() {
  const { conversations, events, files, pages } = await contents("leftovers");
  const owners = [...new Set(events.map(([of]) => of))].sort();
  return String(conversations) === String(window.kept) && String(owners) === String(window.kept) && files.length + pages.length === 0;
}

const lock = () => core.lockConversation(conversation, core.CoreStore.indexedDb("locks"));

export async function takeLock() {
  const taken = await lock();
  if (taken) window.lock = taken;
  return taken !== undefined;
}

export function releaseLock() {
  window.lock.free();
}

export async function locksWithoutWebLocks() {
  Object.defineProperty(navigator, "locks", { value: undefined });
  const first = await lock();
  const second = await lock();
  first?.free();
  const third = await lock();
  return [first !== undefined, second !== undefined, third !== undefined];
}

async function openNamed(conversationId) {
  const { Agent, Conversation, LLM, indexedDBStore } = await import("/threadkeep/index.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/none", baseUrl: "/v1" }) });
  window.store ??= indexedDBStore("close and delete");
  return { Conversation, opened: await Conversation.open({ agent, store: window.store, conversationId }) };
}

/** Closes, deletes and opens conversations, each right after the other, in a browser that frees locks late; how that went. */
export async function closeThenDelete(times) {
  const { request } = LockManager.prototype;
  LockManager.prototype.request = function (name, options, granted) {
    return request.call(this, name, options, async (lock) => {
      await granted(lock);
      await new Promise((resolve) => setTimeout(resolve, 20));
    });
  };
  const found = [];
  for (let n = 0; n < times; n++) {
    const { Conversation, opened } = await openNamed();
    await opened.close();
    const [deleted] = await outcome(Conversation.delete(opened.id, { store: window.store }));
    const again = await openNamed(opened.id);
    found.push([deleted, again.opened.access]);
    await again.opened.close();
  }
  return found;
}

export async function openAndClose(conversationId) {
  const { opened } = await openNamed(conversationId);
  await opened.close();
  return [opened.id, opened.access];
}

/** What becomes of a promise that waits, of one in which the wasm traps, and of a later one. */
export async function trap(way) {
  const waiting = outcome(kit.waitForever());
  const trapping = outcome(kit.trapInPromise(way));
  return [await waiting, await trapping, await outcome(kit.waitForever())];
}

/** The same of the library itself, where a function of the page throws that never does. */
export async function trapInLibrary() {
  const hanging = await core.CoreStore.host({ list: () => new Promise(() => {}) });
  const waiting = outcome(hanging.list());
  await new Promise((resolve) => setTimeout(resolve, 0));
  window.setTimeout = () => {
    throw new Error("an exception on purpose");
  };
  const trapping = outcome(hanging.list());
  return [await waiting, await trapping, await outcome(core.CoreStore.memory().then((store) => store.list()))];
}

/** A database of this name that another script has opened first, and made no tables in. */
export async function emptyDatabase(name, version) {
  await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, version);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      opening.result.close();
      resolve();
    };
  });
}

/** What several handles in this page store in a database that may be empty. */
export async function appendToEmpty(name, first) {
  const results = [];
  for (const store of [indexedDBStore(name), indexedDBStore(name)]) {
    const id = `0f8fad5b-d9cb-469f-a165-${String(first + results.length).padStart(12, "0")}`;
    results.push(outcome(store.commit(id, commit(0, 1, { baseState: "{}" }))));
  }
  return (await Promise.all(results)).map(([code]) => code);
}

export const listedIn = async (name) => (await indexedDBStore(name).list()).length;

/** Safari's errors when its process for databases has ended: of a connection that was open then, until it is opened again. */
export async function connectionsLostInSafari() {
  const lost = () => new DOMException("Connection to Indexed Database server lost. Refresh the page to try again", "UnknownError");
  const none = () => new DOMException("Attempt to get a record from database without an in-progress transaction", "UnknownError");
  const dead = new WeakSet();
  let connection;
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...args) {
    connection = this;
    if (dead.has(this)) throw lost();
    return transaction.apply(this, args);
  };
  const { get } = IDBObjectStore.prototype;
  const failing = new WeakSet();
  IDBObjectStore.prototype.get = function (...args) {
    if (!failing.has(this.transaction.db)) return get.apply(this, args);
    const request = { error: none(), onsuccess: null, onerror: null, result: undefined };
    queueMicrotask(() => request.onerror?.(new Event("error")));
    return request;
  };
  const store = indexedDBStore("safari");
  const found = [];
  const tried = async (call) => {
    const {
      code = "ok",
      retryable,
      message,
    } = await call().then(
      () => ({}),
      (error) => error,
    );
    found.push([code, retryable, message]);
  };
  await tried(() => store.commit(conversation, commit(0, 1, { baseState: "{}" })));
  dead.add(connection);
  await tried(() => store.commit(conversation, commit(1, 1)));
  await tried(() => store.commit(conversation, commit(1, 1)));
  failing.add(connection);
  await tried(() => store.load(conversation));
  await tried(() => store.load(conversation));
  return found;
}
