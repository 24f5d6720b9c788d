// The worker in which chats of this page can run, for all its tabs. See background-worker.ts.

import { onSettingsChange, settings, storedSettings } from "../settings/settings.ts";

/** Chrome on Android has no shared workers. */
export const hasSharedWorkers = "SharedWorker" in globalThis;

let worker: SharedWorker | null = null;
let hasFailed = false;

/** `null` if its script did not load: then a chat runs in its tab at once. */
export function backgroundWorker(): SharedWorker | null {
  if (worker === null) {
    worker = new SharedWorker(new URL("background-worker.js", document.baseURI), { type: "module" });
    worker.addEventListener("error", () => (hasFailed = true));
  }
  return hasFailed ? null : worker;
}

/** Each tab keeps the worker alive, also for the chats of others. */
export function startBackground(): void {
  const begin = (isWanted: boolean): void => void (isWanted && hasSharedWorkers && backgroundWorker());
  begin(settings().inBackground);
  onSettingsChange(() => begin(settings().inBackground));
  // Another tab may switch it on.
  addEventListener("storage", () => begin(storedSettings().inBackground));
}
