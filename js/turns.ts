// Openings and closings of one conversation in this page, one after the other.
//
// A view that is shown, taken away and shown again (React's StrictMode does it to every one) opens, closes and opens
// within a moment. Whoever opens last would find the conversation taken by a handle that nobody wants any more.
import { reading } from "./errors.js";
import type { Store } from "./store.js";

/** What is under way. A store of a name may have several objects. */
const turns: Array<{ store: unknown; id: string; over: Promise<unknown> }> = [];

/**
 * Does `open` once what is under way is over; who gave up meanwhile can close at once, or behind what it reads first, which
 * `lastRead` tells. @internal
 */
export async function openInTurn<T>(store: Store, id: string, open: () => Promise<T>, lastRead: (opened: T) => Promise<unknown> | undefined): Promise<T> {
  const scope = scopeOf(store);
  for (;;) {
    const before = turns.find((turn) => turn.store === scope && turn.id === id);
    if (!before) break;
    await before.over;
  }
  const opened = open();
  takeTurn(scope, id, opened.then((it) => handlers(() => lastRead(it)), () => handlers()));
  return opened;
}

/**
 * Lets run what waits for a promise that was settled just now, and for what that reads. Who goes on reading stays. No
 * timer: tests of hosts stop those.
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

/** Lets who opens the conversation next wait until it is closed. @internal */
export function closeInTurn(store: Store, id: string, closed: Promise<unknown>): void {
  takeTurn(scopeOf(store), id, closed);
}

function takeTurn(store: unknown, id: string, done: Promise<unknown>): void {
  const turn = { store, id, over: done.catch(() => {}).then(() => void turns.splice(turns.indexOf(turn), 1)) };
  turns.push(turn);
}

function scopeOf(store: Store): unknown {
  return reading("store", () => store?.name ?? store);
}
