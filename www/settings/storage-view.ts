// The state of the browser's storage, and a button that asks the browser not to clear it.

import { el } from "../shell/dom.ts";

export function storageView(): HTMLElement {
  const text = el("p", { class: "quiet", "aria-live": "polite" }, "Everything is stored on this device, in this browser.");
  const protect = el("button", { type: "button", class: "button small", hidden: true }, "Ask the browser to protect it");
  const show = (persisted: boolean, usage: number | undefined): void => {
    const size = usage === undefined || usage < 1000 ? "" : ` It takes up ${formatSize(usage)}.`;
    const promise = persisted
      ? " The browser has promised not to clear it when the disk runs full."
      : " The browser may clear it when the disk runs full, so export what you want to keep.";
    text.textContent = `Everything is stored on this device, in this browser.${size}${promise}`;
    protect.hidden = persisted;
  };
  const read = async (ask: boolean): Promise<void> => {
    const persisted = await (ask ? navigator.storage.persist() : navigator.storage.persisted());
    show(persisted, (await navigator.storage.estimate()).usage);
    if (ask && !persisted)
      text.textContent += " It did not agree to protect it; browsers do so for pages that are installed or visited often.";
  };
  protect.addEventListener("click", () => void read(true).catch(() => (protect.hidden = true)));
  // Without the Storage API (an insecure origin, an old browser) there is nothing more to show.
  if ("storage" in navigator) void read(false).catch(() => undefined);
  return el("div", { class: "storage" }, text, protect);
}

function formatSize(bytes: number): string {
  const [unit, size] = bytes >= 1e6 ? (["megabyte", bytes / 1e6] as const) : (["kilobyte", bytes / 1e3] as const);
  return new Intl.NumberFormat("en", { style: "unit", unit, maximumSignificantDigits: 2 }).format(size);
}
