// What is known outside the database of the conversations in it: a browser that finds its database damaged removes all of
// it. Nobody waits long for this, and nothing fails because of it.
import { part } from "./wasm.js";
import { type Store, isInBrowser } from "./store.js";

/** How long an opening waits to hear whether anything is lost. */
const patience = 1_000;

/** What is waited for, or `undefined` when it takes too long. @internal */
export async function inTime<T>(waited: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    return await Promise.race([waited, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Notes a conversation that was opened. `found` is what was there: 0 for the conversation, 1 for its store, 2 for nothing,
 * 3 for damage. Resolves to what the browser has lost, in words. @internal
 */
export async function opened(store: Store, id: string, isGiven: boolean, found: number): Promise<string | undefined> {
  if (!isInBrowser(store)) return undefined;
  const told = part(import("./inventory/record.js")).then((record) => record.opened(store, id, found)).catch(() => undefined);
  // Nobody can have had an id before that was chosen just now.
  return found > (isGiven ? 0 : 1) ? inTime(told, patience) : undefined;
}

/** Notes conversations that came in, and one that was removed. @internal */
export function noted(store: Store, change: { kept?: string[]; removed?: string }): void {
  if (isInBrowser(store)) part(import("./inventory/record.js")).then((record) => record.note(store.name!, change)).catch(() => {});
}
