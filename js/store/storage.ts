// The storage that the browser gives an origin. The code that measures what is in it is loaded with the first use.
import { part } from "../wasm/wasm.js";
import type { StorageStatus, StorageStatusOptions } from "./storage/status.js";

/**
 * How much the browser has stored for this origin and how much it may, whether it has promised to keep that, and how much each
 * conversation of a store has in it. This reads every conversation of the store once, a page of about a megabyte at a time.
 * @throws ThreadkeepError `aborted` if the signal was, and those of the store
 */
export async function storageStatus(options: StorageStatusOptions = {}): Promise<StorageStatus> {
  return (await part(import("./storage/status.js"))).status(options);
}

/**
 * Asks the browser to keep what this origin has stored also when the disk runs full, unless it has promised that already.
 * Resolves to whether it has promised it, `false` also where it cannot. A browser may ask the user, and this waits for the answer.
 */
export async function requestPersistence(): Promise<boolean> {
  // Before anything else is awaited, as a browser may want to see that the user has just pressed something.
  try {
    const { storage } = navigator;
    return (await storage.persisted()) || (await storage.persist());
  } catch {
    return false;
  }
}
