// A button that copies text and says so.
import type { Chat } from "./context.js";
import { el } from "./dom.js";

export function copyButton(text: () => string, name: string, { labels, announce }: Pick<Chat, "labels" | "announce">): HTMLButtonElement {
  const button = el("button", { type: "button", class: "button plain small copy", "aria-label": name }, labels.copy);
  const say = (words: string): void => {
    button.textContent = words;
    announce(words);
    setTimeout(() => (button.textContent = labels.copy), 1600);
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      say(labels.copied);
    } catch {
      say(labels.copyNotAllowed);
    }
  });
  return button;
}
