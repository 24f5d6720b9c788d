// Opens and closes one conversation in this page in turn.
//
// A component that is mounted, unmounted and mounted again (React's StrictMode does this) opens, closes and opens within a
// moment. Without turns, the last one would find the conversation locked by a handle that is no longer needed.
import { reading } from "../input/errors.js";
import { waitsFor } from "../wasm/idle.js";
import type { Store } from "./store.js";

/** The turns under way. Several store objects may have the same name. */
const turns: Array<{ store: unknown; id: string; over: Promise<unknown> }> = [];

/**
 * Calls `open` after the turns under way. A caller that has given up meanwhile can close the handle before the next turn
 * begins, or after the reads that it starts first; `lastRead` returns the last of these. @internal
 */
export async function openInTurn<T>(
  store: Store,
  id: string,
  open: () => Promise<T>,
  lastRead: (opened: T) => Promise<unknown> | undefined,
): Promise<T> {
  const scope = scopeOf(store);
  for (;;) {
    const before = turns.find((turn) => turn.store === scope && turn.id === id);
    if (!before) break;
    await before.over;
  }
  const opened = open();
  const over = opened.then(
    (it) => handlers(() => lastRead(it)),
    () => handlers(),
  );
  waitsFor(over);
  takeTurn(scope, id, over);
  return opened;
}

/**
 * Lets the handlers of a promise run that was just settled, and those of the reads that they start. Uses no timer,
 * because tests of hosts replace timers.
 */
async function handlers(lastRead?: () => Promise<unknown> | undefined): Promise<void> {
  let read: Promise<unknown> | undefined;
  for (let turn = 0; turn < 10; turn++) {
    for (let tick = 0; tick < 100; tick++) await undefined;
    const next = lastRead?.();
    if (next === read) return;
    read = next;
    await read?.catch(() => {});
  }
}

/** Makes the next `openInTurn` wait until the conversation is closed. @internal */
export function closeInTurn(store: Store, id: string, closed: Promise<unknown>): void {
  takeTurn(scopeOf(store), id, closed);
}

function takeTurn(store: unknown, id: string, done: Promise<unknown>): void {
  const turn = { store, id, over: done.catch(() => {}).then(() => void turns.splice(turns.indexOf(turn), 1)) };
  turns.push(turn);
}

/** Stores with the same name are the same store. @internal */
export function scopeOf(store: Store): unknown {
  return reading("store", () => store?.name ?? store);
}
