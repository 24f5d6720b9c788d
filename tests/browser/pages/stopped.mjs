// The checks of `stopped.test.mjs`: every method of the store, each while a synchronous request stops this page after one of the
// requests that the method makes to the database.
import * as core from "./core.mjs";
import { commit, eventId, outcome } from "./stores.js";

const one = "0f8fad5b-d9cb-469f-a165-70867728950e";
const other = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const files = ["a", "b", "long/c"].map((path, n) => ({ path, content: new Uint8Array([n]) }));

/** After how many requests the page is stopped; `undefined` if it is not to be. */
let after;
/** How many transactions have not ended. */
let open = 0;
/** The number of the stop that is under way. */
let stopped;
let last = 0;
const next = new MessageChannel();

/** Stops the page in the next task, before the answer of another process can be one. */
function count() {
  if (after === undefined || --after > 0) return;
  after = undefined;
  next.port2.postMessage(undefined);
}

/** `delivers` tells whether the database's answers arrive during a stop, which then ends with the end of a transaction. */
function watch(delivers) {
  next.port1.onmessage = () => {
    stopped = ++last;
    const request = new XMLHttpRequest();
    request.open("GET", delivers && open > 0 ? `/stop?${stopped}` : "/pass", false);
    request.send();
    stopped = undefined;
  };
  for (const { prototype } of [IDBObjectStore, IDBIndex])
    for (const name of ["get", "getAll", "getAllKeys", "openCursor", "openKeyCursor", "add", "put", "delete"]) {
      const request = prototype[name];
      if (!request) continue;
      prototype[name] = function (...given) {
        count();
        return request.apply(this, given);
      };
    }
  const { transaction } = IDBDatabase.prototype;
  const over = () => {
    open--;
    if (stopped) fetch(`/answered?${stopped}`);
  };
  IDBDatabase.prototype.transaction = function (...given) {
    const begun = transaction.apply(this, given);
    open++;
    begun.addEventListener("complete", over);
    begun.addEventListener("abort", over);
    return begun;
  };
}

/** What a method is called with, on a store that has read nothing and, for appends, on the one that has written everything. */
const calls = {
  list: ({ fresh }) => fresh.list(),
  load: ({ fresh }) => fresh.load(one),
  events: ({ fresh }) => fresh.events(one, 1, 70),
  indexOf: ({ fresh }) => fresh.indexOf(one, eventId(69)),
  "indexOf on a page": ({ fresh }) => fresh.indexOf(one, eventId(3)),
  files: ({ fresh }) => fresh.files(one),
  readFile: ({ fresh }) => fresh.readFile(one, "b"),
  readFiles: ({ fresh }) => fresh.readFiles(one, ["b", "none", "a"], 1000),
  "commit without reading": ({ used }) => used.commit(one, commit(70, 2)),
  "commit after reading": ({ fresh }) => fresh.commit(one, commit(70, 2, { baseState: "{}" })),
  "commit that fills a page": ({ fresh }) => fresh.commit(one, commit(70, 60)),
  "commit that cuts off": ({ fresh }) => fresh.commit(one, commit(70, 1, { truncateTo: 66, events: [{ id: eventId(99), json: "{}" }] })),
  "commit of files of another": ({ fresh }) =>
    fresh.commit(
      one,
      commit(70, 1, { filesOf: { conversation: other, createdAt: 1000, files: [{ path: "d", content: new Uint8Array([7]) }] } }),
    ),
  delete: ({ fresh }) => fresh.delete(one),
};

/** What a call returns and leaves, and whether the page was stopped during it. */
async function made(call, stopsAfter) {
  const name = crypto.randomUUID();
  const used = core.CoreStore.indexedDb(name);
  const fresh = core.CoreStore.indexedDb(name);
  await used.commit(other, commit(0, 1, { baseState: '{"of":"other"}' }));
  await used.commit(one, commit(0, 70, { baseState: '{"of":"one"}', files }));
  await fresh.files(one);
  after = stopsAfter;
  const found = await outcome(call({ used, fresh }));
  const wasStopped = after === undefined && stopsAfter !== undefined;
  after = undefined;
  const left = [];
  for (const id of [one, other]) left.push(await fresh.load(id), await fresh.events(id, 0, 1000), await fresh.files(id));
  used.close();
  fresh.close();
  return { result: JSON.stringify({ found, left }), wasStopped };
}

/** For each method what differs if the page is stopped, and how often it was. */
export async function checkStopped(delivers) {
  watch(delivers);
  const checked = [];
  for (const [name, call] of Object.entries(calls)) {
    const { result: expected } = await made(call, undefined);
    const differences = [];
    let stops = 0;
    for (;;) {
      const { result, wasStopped } = await made(call, stops + 1);
      if (!wasStopped) break;
      stops++;
      if (result !== expected) differences.push(`after ${stops}: ${result.slice(0, 300)} instead of ${expected.slice(0, 300)}`);
    }
    checked.push({ name, differences, stops });
  }
  return checked;
}
