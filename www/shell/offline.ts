// The page without a network: a service worker caches its files from the second visit on. A new version is offered and
// never applied by itself, because somebody may be working in the page.

import { notify, offer } from "./notices.ts";
import { byId } from "./dom.ts";
import { isRunningInBackground } from "../thread/open-sessions.ts";

interface InstallPrompt extends Event {
  prompt(): Promise<unknown>;
}

/** `isRunning` returns whether the agent of the open conversation is running. */
export function startOffline(isRunning: () => boolean): void {
  if ("serviceWorker" in navigator) register(() => isRunning() || isRunningInBackground()).catch(() => undefined);
  offerInstallation();
}

/** If it cannot be registered (private window, insecure origin), the page works while there is a network. */
async function register(isBusy: () => boolean): Promise<void> {
  const registration = await navigator.serviceWorker.register("service-worker.js");
  const checkForUpdate = (worker: ServiceWorker | null): void => {
    // The first service worker replaces nothing.
    if (worker?.state === "installed" && navigator.serviceWorker.controller !== null) offerUpdate(worker, isBusy);
  };
  checkForUpdate(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => checkForUpdate(installing));
  });
}

function offerUpdate(worker: ServiceWorker, isBusy: () => boolean): void {
  offer("There is a new version of this page.", "Reload with it", () => {
    if (isBusy()) {
      notify("The agent is at work. Reload when it is done.");
      return false;
    }
    navigator.serviceWorker.addEventListener("controllerchange", () => location.reload(), { once: true });
    worker.postMessage("take over");
    return true;
  });
}

function offerInstallation(): void {
  const button = byId("install-button");
  let asked: InstallPrompt | null = null;
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    asked = event as InstallPrompt;
    button.hidden = false;
  });
  addEventListener("appinstalled", () => (button.hidden = true));
  button.addEventListener("click", () => void asked?.prompt().finally(() => (button.hidden = true)));
}
