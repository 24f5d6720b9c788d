// Conversations as messages, plain sessions and trajectories, and back. What knows these forms is a wasm of its own, which
// is loaded when one of them is first asked for; like the archive's it has neither stores nor locks.
import type { ImportedConversation } from "./archive.js";
import { fromCore, invalidOptions, reading } from "./errors.js";
import type { JSONValue } from "./events.js";
import { locking } from "./locking.js";
import type { Store } from "./store.js";
import { loader, part } from "./wasm.js";

/** Imports what another program wrote down as JSON, as a new conversation. @internal */
export async function importJSON(json: unknown, store: Store): Promise<ImportedConversation> {
  const text = await reading("the JSON", () => (json instanceof Blob ? json.text() : typeof json === "string" ? json : JSON.stringify(json)));
  if (text === undefined) throw invalidOptions("importJSON takes JSON: its text, a Blob of it, or what it stands for");
  return locking(store, parts, ({ importForeign }, claim) => importForeign(text, store, claim));
}

/** A stored conversation as JSON of another form. @internal */
export async function written<T>(store: Store, id: string, form: string, llm?: { [field: string]: JSONValue }): Promise<T> {
  try {
    return (await (await parts()).written(store, id, form, llm)) as T;
  } catch (error) {
    throw fromCore(error);
  }
}

const load = loader({
  advice: "serve threadkeep_messages_bg.wasm beside the module",
  file: () => new URL("./threadkeep_messages_bg.wasm", import.meta.url),
  copy: () => import("./wasm-messages-inline.js"),
  instantiate: async (module) => (await importParts()).instantiate(module),
});

async function parts(): ReturnType<typeof importParts> {
  const [loaded] = await Promise.all([importParts(), load()]);
  return loaded;
}

function importParts() {
  return part(import("./foreign/parts.js"));
}
