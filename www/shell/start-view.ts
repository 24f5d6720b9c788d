// The view without a conversation: an invitation, and some examples. It is in index.html, so that it is painted first.

import { isScripted } from "../settings/settings.ts";
import { byId } from "./dom.ts";

const start = byId("start");
const aboutScripted = byId("start-scripted");

/** `choose` is called with the message of an example that is pressed. */
export function startExamples(choose: (message: string) => void): void {
  start.addEventListener("click", ({ target }) => {
    const message = (target as Element).closest(".suggestion")?.querySelector("q")?.textContent;
    if (message) choose(message);
  });
}

export function showStart(): void {
  // At first it is not shown where the URL names a conversation.
  delete document.documentElement.dataset["opens"];
  aboutScripted.hidden = !isScripted();
  byId("column").replaceChildren(start);
}
