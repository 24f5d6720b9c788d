// Reads all that an origin has stored, for tests that look for a key in it. In pages: as a module, or by the text of the function.

/** The address of the page and everything that its origin has stored, as one text; bytes as characters. */
export async function everything() {
  const texts = [location.href, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.cookie];
  const promised = (request) =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  const asText = (_, value) => {
    const bytes = ArrayBuffer.isView(value) ? value.buffer : value;
    return bytes instanceof ArrayBuffer ? new TextDecoder("latin1").decode(bytes) : value;
  };
  for (const { name } of await indexedDB.databases()) {
    const database = await promised(indexedDB.open(name));
    const stores = [...database.objectStoreNames];
    if (stores.length > 0) {
      const transaction = database.transaction(stores);
      for (const each of stores) {
        const all = transaction.objectStore(each);
        const [keys, values] = await Promise.all([promised(all.getAllKeys()), promised(all.getAll())]);
        texts.push(name, each, JSON.stringify([keys, values], asText));
      }
    }
    database.close();
  }
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) texts.push(request.url, await (await cache.match(request)).text());
  }
  return texts.join("\n");
}
