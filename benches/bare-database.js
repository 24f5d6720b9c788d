// A database that holds nothing but rows: the least that can be done with the same data.

export const isNode = typeof window === "undefined";

/** Rows by number, written in one transaction; in Node into a Map. */
export async function bareDatabase() {
  if (isNode) {
    const map = new Map();
    return {
      put: async (rows) => rows.forEach((row) => map.set(row.index, row)),
      all: async () => [...map.values()],
      end: async () => map.clear(),
    };
  }
  const name = crypto.randomUUID();
  const database = await new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("rows");
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => resolve(opening.result);
  });
  return {
    put: (rows) =>
      new Promise((resolve, reject) => {
        const transaction = database.transaction(["rows"], "readwrite", { durability: "strict" });
        const store = transaction.objectStore("rows");
        for (const row of rows) store.put(row, row.index);
        transaction.oncomplete = resolve;
        transaction.onabort = () => reject(transaction.error);
      }),
    all: () =>
      new Promise((resolve, reject) => {
        const request = database.transaction(["rows"]).objectStore("rows").getAll();
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      }),
    async end() {
      database.close();
      await new Promise((resolve) => (indexedDB.deleteDatabase(name).onsuccess = resolve));
    },
  };
}
