// The line under the message field that names the model. The scripted model is always labelled as such.

import { byId, el } from "../shell/dom.ts";
import { absoluteBaseUrl, isScripted, keyIsLocked, keyWasForgotten, onSettingsChange, settings } from "./settings.ts";
import { askUnlock } from "./unlock.ts";
import { openSettings } from "./dialog.ts";

export function startModelLabel(): void {
  onSettingsChange(draw);
  draw();
}

function draw(): void {
  const change = (name: string, onclick: () => void = openSettings): HTMLElement =>
    el("button", { type: "button", class: "link", onclick }, name);
  const label = byId("model-label");
  if (isScripted()) {
    label.replaceChildren(el("span", { class: "badge" }, "Scripted stand-in, not an AI"), " ", change("Connect a model"));
  } else if (keyIsLocked()) {
    label.replaceChildren(
      el("span", { class: "badge" }, "The key is locked"),
      " ",
      change("Unlock it", () => void askUnlock()),
    );
  } else if (keyWasForgotten()) {
    label.replaceChildren(el("span", { class: "badge" }, "The key was not stored"), " ", change("Enter it again"));
  } else {
    const { model, baseUrl, fallback } = settings();
    const or = fallback === "" ? "" : `, else ${fallback}`;
    label.replaceChildren(`${model.replace(/^[^/]+\//, "")} at ${new URL(absoluteBaseUrl(baseUrl)).host}${or} `, change("Change"));
  }
}
