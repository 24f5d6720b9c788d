// Conversations in the formats of other programs. A chunk of the wasm knows these formats; it is loaded when one of them is
// first used.
import type { JSONValue } from "../events/types.js";
import { fromCore, invalidOptions, reading } from "../input/errors.js";
import { locking } from "../store/locking.js";
import type { Store } from "../store/store.js";
import { load, part } from "../wasm/wasm.js";
import type { ImportedConversation } from "./types.js";

/** Imports JSON of another program as a new conversation. @internal */
export async function importJSON(json: unknown, store: Store): Promise<ImportedConversation> {
  const text = await reading("the JSON", () =>
    json instanceof Blob ? json.text() : typeof json === "string" ? json : JSON.stringify(json),
  );
  if (text === undefined) throw invalidOptions("importJSON takes JSON: as text, as a Blob of the text, or as the parsed value");
  return locking(store, parts, ({ importInterchange }, claim) => importInterchange(text, store, claim));
}

/** A stored conversation in another format. @internal */
export async function written<T>(store: Store, id: string, form: string, llm?: { [field: string]: JSONValue }): Promise<T> {
  try {
    await load();
    return (await (await parts()).written(store, id, form, llm)) as T;
  } catch (error) {
    throw fromCore(error);
  }
}

function parts() {
  return part(import("./interchange/parts.js"));
}
