// A copy of all conversations in a folder of the user, which follows while a page is open. The folder is remembered; the browser may want
// to be asked again after a reload.

import { directoryStore, indexedDBStore, type Mirror, type MirrorState, mirror, restoreMirror } from "threadkeep";

/** How the backup stands: `null` without a folder; without `state` the user has to allow the folder again. */
export type Backup = { folder: string; state?: MirrorState } | null;

type Folder = FileSystemDirectoryHandle & {
  queryPermission(options: { mode: "readwrite" }): Promise<PermissionState>;
  requestPermission(options: { mode: "readwrite" }): Promise<PermissionState>;
};

const [database, table, key] = ["threadkeep-demo:backup", "folders", "backup"] as const;
const writing = { mode: "readwrite" } as const;

let folder: Folder | undefined;
let running: Mirror | undefined;
let isStarting = false;
const listeners = new Set<() => void>();

export const backup = (): Backup => (folder ? { folder: folder.name, ...(running && { state: running.state }) } : null);

/** Calls `listener` when the backup has changed, and returns the function that ends it. */
export function onBackup(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Goes on with the folder that was chosen in an earlier page, if the browser still allows it. */
export async function startBackup(): Promise<void> {
  if (!("showDirectoryPicker" in globalThis)) return;
  folder = await within<Folder | undefined>("readonly", (rows) => rows.get(key));
  if (folder && (await folder.queryPermission(writing)) === "granted") await begin();
  else tell();
}

/** In the handler of a click. */
export async function chooseBackup(): Promise<void> {
  const { showDirectoryPicker } = globalThis as unknown as { showDirectoryPicker(options: object): Promise<Folder> };
  const chosen = await showDirectoryPicker({ ...writing, id: "threadkeep-backup" });
  await stopBackup();
  await within("readwrite", (rows) => rows.put(chosen, key));
  folder = chosen;
  await begin();
}

/** In the handler of a click. */
export async function allowBackup(): Promise<void> {
  if (folder && (await folder.requestPermission(writing)) === "granted") await begin();
}

/** The folder keeps all that is in it. */
export async function stopBackup(): Promise<void> {
  running?.close();
  running = folder = undefined;
  await within("readwrite", (rows) => rows.delete(key));
  tell();
}

/** Resolves to how many conversations were new or have gone on. */
export async function restoreBackup(): Promise<number> {
  if (!folder) return 0;
  const imported = await restoreMirror(directoryStore(folder));
  return imported.filter(({ outcome }) => outcome !== "up_to_date").length;
}

async function begin(): Promise<void> {
  if (running || isStarting || !folder) return;
  isStarting = true;
  try {
    const begun = await mirror(indexedDBStore(), directoryStore(folder), { onChange: tell });
    running = begun;
  } finally {
    isStarting = false;
  }
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Handles can be stored in databases only. */
function within<T>(mode: IDBTransactionMode, ask: (rows: IDBObjectStore) => IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(database, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(table);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction(table, mode);
      const request = ask(transaction.objectStore(table));
      transaction.oncomplete = () => (opening.result.close(), resolve(request.result as T));
      transaction.onabort = () => (opening.result.close(), reject(transaction.error));
    };
  });
}
