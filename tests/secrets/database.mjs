// The records of an IndexedDB database as texts, whatever they are made of.

/** Every record of every object store, with its key. */
export async function textsOf(part) {
  const names = (await indexedDB.databases()).map(({ name }) => name).filter((name) => name.includes(part));
  const texts = [];
  for (const name of names) {
    const database = await settled(indexedDB.open(name));
    for (const store of database.objectStoreNames) {
      const records = database.transaction(store).objectStore(store);
      const [keys, values] = await Promise.all([settled(records.getAllKeys()), settled(records.getAll())]);
      for (const [index, value] of values.entries()) texts.push(`${textOf(keys[index])} ${await unpacked(value)}`);
    }
    database.close();
  }
  return texts;
}

async function unpacked(value) {
  return value instanceof Blob ? value.text() : textOf(value);
}

function textOf(value) {
  if (value instanceof ArrayBuffer) return new TextDecoder().decode(value);
  if (ArrayBuffer.isView(value)) return new TextDecoder().decode(value);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name}: ${textOf(inner)}`)
    .join("\n");
}

function settled(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
