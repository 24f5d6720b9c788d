// The view without a conversation: an invitation, and some examples. It is in index.html, so that it is painted first.

import { isScripted, onSettingsChange } from "../settings/settings.ts";
import { byId } from "./dom.ts";

/** `choose` is called with the message of an example that is pressed. */
export function startView(choose: (message: string) => void): HTMLElement {
  const start = byId("start");
  const aboutScripted = byId("start-scripted");
  const draw = (): void => void (aboutScripted.hidden = !isScripted());
  start.addEventListener("click", ({ target }) => {
    const message = (target as Element).closest(".suggestion")?.querySelector("q")?.textContent;
    if (message) choose(message);
  });
  onSettingsChange(draw);
  draw();
  // At first it is not shown where the URL names a conversation.
  start.remove();
  delete document.documentElement.dataset["opens"];
  return start;
}
