// The worker in which chats of this page can run, for all its tabs. See background-worker.ts.

import { onSettingsChange, settings, storedSettings } from "../settings/settings.ts";

/** Chrome on Android has no shared workers. */
export const hasSharedWorkers = "SharedWorker" in globalThis;

let worker: SharedWorker | null = null;
let hasFailed = false;

/** `null` if there is none, or its script did not load: then a chat runs in its tab at once. */
export function backgroundWorker(): SharedWorker | null {
  if (worker === null && hasSharedWorkers) {
    worker = new SharedWorker(new URL("background-worker.js", document.baseURI), { type: "module" });
    worker.addEventListener("error", () => (hasFailed = true));
  }
  return hasFailed ? null : worker;
}

/** Each tab keeps the worker alive, also for the chats of others. Another tab may switch it on. */
export function startBackground(): void {
  const begin = (): void => void ((settings().inBackground || storedSettings().inBackground) && backgroundWorker());
  begin();
  onSettingsChange(begin);
  addEventListener("storage", begin);
}
