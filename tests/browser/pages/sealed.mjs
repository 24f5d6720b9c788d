// A store whose search index has to be sealed, and what that index has stored.
import { unnamed } from "./said.mjs";

/** A store of this name over another one, with `lock()` and `unlock()`. `library` is one with its `sealings`. */
export async function sealedStore(name, inner, { ThreadkeepError, sealings }) {
  const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  const listeners = new Set();
  let isLocked = false;
  const store = { ...unnamed(inner), name };
  sealings.set(store, {
    async indexKey() {
      if (isLocked) throw new ThreadkeepError("permission_required", "the store is locked");
      return key;
    },
    onLock(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  return {
    store,
    lock() {
      isLocked = true;
      for (const listener of listeners) listener();
    },
    unlock() {
      isLocked = false;
    },
  };
}

/** Does this with the tables of a database, in one transaction; resolves to what `work` returns. */
export async function inDatabase(name, work) {
  const database = await settled(indexedDB.open(name));
  const names = [...database.objectStoreNames];
  const transaction = database.transaction(names, "readwrite");
  const over = new Promise((resolve) => (transaction.oncomplete = resolve));
  const done = await work(Object.fromEntries(names.map((table) => [table, transaction.objectStore(table)])));
  await over;
  database.close();
  return done;
}

export const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Everything that a database holds, as text: each text in it, and all bytes read in every way in which they may be text. */
export async function textOf(name) {
  const rows = await inDatabase(name, async (tables) => {
    const all = [];
    for (const table of Object.values(tables)) all.push(await settled(table.getAllKeys()), await settled(table.getAll()));
    return all;
  });
  const texts = [];
  const collect = (value) => {
    if (ArrayBuffer.isView(value)) {
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      texts.push(new TextDecoder().decode(bytes));
      for (const from of [0, 1]) texts.push(new TextDecoder("utf-16le").decode(bytes.subarray(from)));
    } else if (typeof value === "object" && value !== null)
      for (const [key, inner] of Object.entries(value)) texts.push(key), collect(inner);
    else texts.push(String(value));
  };
  collect(rows);
  return texts.join("\n");
}
