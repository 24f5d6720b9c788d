// A button that copies text and says so.

import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";

export function copyButton(text: () => string, name: string): HTMLButtonElement {
  const button = el("button", { type: "button", class: "button plain small", "aria-label": name }, "Copy");
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(text()).then(
      () => say(button, "Copied"),
      () => say(button, "Not allowed"),
    );
  });
  return button;
}

function say(button: HTMLButtonElement, text: string): void {
  button.textContent = text;
  announce(text);
  setTimeout(() => (button.textContent = "Copy"), 1600);
}
