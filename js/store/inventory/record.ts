// The record: an entry without content in the Cache API for each conversation. It is removed with the site's data.
import type { CoreFound } from "../../../pkg/threadkeep.js";
import type { Store } from "../store.js";

/**
 * Records a stored conversation that was opened; resolves to a sentence about lost conversations, if there are any. A new one is
 * recorded once it is stored: otherwise it would count as lost if it never is.
 */
export async function opened(store: Store, id: string, found: CoreFound): Promise<string | undefined> {
  const isDamaged = found === "damage";
  const lost = isDamaged || found === "nothing" ? await lostFrom(store, id) : [];
  const wasRecorded = found !== "conversation" && (await isRecorded(store.name!, id));
  if (found === "conversation") await note(store.name!, { stored: [id] });
  if (!wasRecorded && lost.length === 0 && !isDamaged) return undefined;
  const what = isDamaged ? "has removed the content of its damaged database" : "has lost the content of its database";
  const ids = (wasRecorded ? [id, ...lost] : lost).join(", ") || "with unknown ids";
  return `the browser ${what} ${JSON.stringify(store.name)}: conversations ${ids}; import again what you have exported`;
}

/** Records existing conversations, and removes a deleted one. */
export async function note(name: string, { stored = [], removed }: { stored?: string[]; removed?: string }): Promise<void> {
  const record = await entries();
  for (const id of stored) if (!(await record?.match(address(name, id)))) await record?.put(address(name, id), new Response());
  if (removed !== undefined) await record?.delete(address(name, removed));
}

async function isRecorded(name: string, id: string): Promise<boolean> {
  return (await (await entries())?.match(address(name, id))) !== undefined;
}

const known = new WeakMap<Store, Promise<string[]>>();

/** The other conversations that were lost when the store was found empty. */
async function lostFrom(store: Store, id: string): Promise<string[]> {
  if (!known.has(store)) known.set(store, missing(store));
  return (await known.get(store)!).filter((other) => other !== id);
}

async function missing(store: Store): Promise<string[]> {
  const start = address(store.name!, "");
  const recorded = ((await (await entries())?.keys()) ?? []).map(({ url }) => url).filter((url) => url.startsWith(start));
  // On a first visit nothing is recorded: listing the store would load a part of the wasm that such a page does not need.
  if (recorded.length === 0) return [];
  const existing = new Set((await store.list()).map(({ conversation }) => conversation));
  return recorded.map((url) => url.slice(start.length)).filter((id) => !existing.has(id));
}

/** The cache; `undefined` in pages served over plain http, and if the user forbids it. */
async function entries(): Promise<Cache | undefined> {
  return globalThis.caches?.open("threadkeep-conversations");
}

/** A URL that is never requested. */
function address(name: string, id: string): string {
  return `https://conversations.invalid/${encodeURIComponent(name)}/${id}`;
}
