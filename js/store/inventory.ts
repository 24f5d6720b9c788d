// A record of the stored conversations outside their database, because a browser that finds its database damaged removes
// all of it. Nobody waits long for this record, and its failures are ignored.
import { type CoreFound, deleteConversation } from "../../pkg/threadkeep.js";
import { settle } from "../input/errors.js";
import { whenIdle } from "../wasm/idle.js";
import { part } from "../wasm/wasm.js";
import { announce } from "./changes.js";
import { sealings } from "./sealing.js";
import { type Store, coreStore, isInBrowser } from "./store.js";

/** How many milliseconds opening a conversation waits for the record. */
const timeout = 1_000;

/** The result of a promise, or `undefined` if it takes too long. @internal */
export async function withTimeout<T>(result: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  try {
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Records a conversation that was opened, if it is stored. Resolves to a sentence about lost conversations, if there are any.
 * @internal
 */
export async function opened(store: Store, id: string, isGiven: boolean, found: CoreFound): Promise<string | undefined> {
  const database = databaseOf(store);
  if (!database) return undefined;
  const lookUp = () => part(import("./inventory/record.js")).then((record) => record.opened(database, id, found));
  // An id that was just generated cannot have been lost.
  const isThere = found === "conversation" || (found === "store" && !isGiven);
  const lost = (isThere ? whenIdle().then(lookUp) : lookUp()).catch(() => undefined);
  return isThere ? undefined : withTimeout(lost, timeout);
}

/** Records imported or copied conversations, or a deleted one, and tells lists. @internal */
export function recordChange(store: Store, change: { stored: string[] } | { removed: string }): void {
  if ("stored" in change) announce(store, change.stored);
  else announce(store, [change.removed], true);
  record(store, change);
}

/** Deletes a conversation. @throws ThreadkeepError `locked_elsewhere` while it is open. @internal */
export async function remove(id: string, store: Store): Promise<void> {
  await settle(deleteConversation(id, await coreStore(store)));
  recordChange(store, { removed: id });
}

/** Records stored conversations, or a deleted one. @internal */
export function record(store: Store, change: { stored: string[] } | { removed: string }): void {
  const database = databaseOf(store);
  if (database)
    part(import("./inventory/record.js"))
      .then((record) => record.note(database.name!, change))
      .catch(() => {});
}

/** The database that holds the conversations, also those that are sealed. */
function databaseOf(store: Store): Store | undefined {
  const inner = sealings.get(store)?.inner ?? store;
  return isInBrowser(inner) ? inner : undefined;
}
