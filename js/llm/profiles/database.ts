// Stores profiles in an IndexedDB database of their own: one row per name, JSON texts.
import { within } from "../../store/database.js";
import type { ProfileStorage } from "../types.js";

export function databaseOf(name: string): ProfileStorage {
  const table = {
    database: `${name}-profiles`,
    name: "profiles",
    instead: "pass an object with read(), write() and names() to LLMProfileStore",
  };
  return {
    read: (key) => within(table, "readonly", (rows) => rows.get(key) as IDBRequest<string | undefined>),
    write: (key, json) =>
      within<unknown>(table, "readwrite", (rows) => (json === undefined ? rows.delete(key) : rows.put(json, key)) as IDBRequest).then(
        () => {},
      ),
    names: () => within(table, "readonly", (rows) => rows.getAllKeys() as IDBRequest<string[]>),
  };
}
