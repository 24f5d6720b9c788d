// The page without a network: a service worker caches its files from the second visit on. A new version is offered and
// never applied by itself, because somebody may be working in the page.

import { isAnyRunning } from "../conversation/stage.ts";
import { notify, offer } from "./notices.tsx";

export function startOffline(): void {
  // If it cannot be registered (private window, insecure origin), the page works while there is a network.
  if ("serviceWorker" in navigator) register().catch(() => undefined);
}

async function register(): Promise<void> {
  const registration = await navigator.serviceWorker.register("service-worker.js");
  const offerUpdate = (worker: ServiceWorker | null): void => {
    // The first service worker replaces nothing.
    if (worker?.state !== "installed" || navigator.serviceWorker.controller === null) return;
    offer("There is a new version of this page.", { name: "Reload with it", act: () => take(worker) });
  };
  offerUpdate(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => offerUpdate(installing));
  });
}

function take(worker: ServiceWorker): boolean {
  if (isAnyRunning()) {
    notify("The agent is at work. Reload when it is done.");
    return false;
  }
  navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
  worker.postMessage("take over");
  return true;
}
