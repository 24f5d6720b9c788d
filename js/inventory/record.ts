// The record itself: an entry without content in the Cache API for each conversation. It is gone when the site's data is.
import type { Store } from "../store.js";

/** Notes a conversation that was opened, and says what is lost. */
export async function opened(store: Store, id: string, found: number): Promise<string | undefined> {
  const lost = found > 1 ? await lostFrom(store, id) : [];
  const wasHere = found > 0 && (await isKept(store.name!, id));
  await note(store.name!, { kept: [id] });
  if (!wasHere && lost.length === 0 && found < 3) return undefined;
  const why = found < 3 ? "has lost what was in its database" : "found its database damaged and removed all that was in";
  const which = (wasHere ? [id, ...lost] : lost).join(", ") || "which nothing is known of";
  return `the browser ${why} ${JSON.stringify(store.name)}: conversations ${which}; import again what you have exported`;
}

/** Notes conversations that are there, and one that is not any more. */
export async function note(name: string, { kept = [], removed }: { kept?: string[]; removed?: string }): Promise<void> {
  const record = await entries();
  for (const id of kept) if (!(await record?.match(address(name, id)))) await record?.put(address(name, id), new Response());
  if (removed !== undefined) await record?.delete(address(name, removed));
}

async function isKept(name: string, id: string): Promise<boolean> {
  return (await (await entries())?.match(address(name, id))) !== undefined;
}

const known = new WeakMap<Store, Promise<string[]>>();

/** The others that were there when the store was found empty. */
async function lostFrom(store: Store, id: string): Promise<string[]> {
  if (!known.has(store)) known.set(store, missing(store));
  return (await known.get(store)!).filter((other) => other !== id);
}

async function missing(store: Store): Promise<string[]> {
  const start = address(store.name!, "");
  const kept = ((await (await entries())?.keys()) ?? []).map(({ url }) => url).filter((url) => url.startsWith(start));
  const there = new Set((await store.list()).map(({ conversation }) => conversation));
  return kept.map((url) => url.slice(start.length)).filter((id) => !there.has(id));
}

/** There is none in pages that came over plain http:, and none where the user forbids it. */
async function entries(): Promise<Cache | undefined> {
  return globalThis.caches?.open("threadkeep-conversations");
}

/** Nothing is ever requested from there. */
function address(name: string, id: string): string {
  return `https://conversations.invalid/${encodeURIComponent(name)}/${id}`;
}
