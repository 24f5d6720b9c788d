// A menu that opens at a button: a modal dialog of buttons, which holds the focus, gives it back, and closes on Escape.

import { el } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";

export interface MenuItem {
  name: string;
  icon: IconName;
  act: () => unknown;
}

/** The distance of the menu from its button and from the edges of the window, in pixels. */
const GAP = 4;

export function openMenu(opener: HTMLElement, name: string, items: readonly MenuItem[]): void {
  const buttons = items.map((item) =>
    el(
      "button",
      {
        type: "button",
        class: "button plain",
        onclick: () => {
          // The opener has the focus again before the action moves it, so that what opens next gives it back there.
          dialog.close();
          item.act();
        },
      },
      icon(item.icon),
      item.name,
    ),
  );
  const dialog = el("dialog", { class: "menu", "aria-label": name }, ...buttons);
  dialog.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons.at(next % buttons.length)!.focus();
  });
  // Of the dialog itself only the part around it is pressed: its buttons fill it.
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  place(dialog, opener.getBoundingClientRect());
}

/** Below the button, or above it if there is no room. */
function place(dialog: HTMLElement, { left, top, bottom }: DOMRect): void {
  const { width, height } = dialog.getBoundingClientRect();
  const fits = bottom + GAP + height <= innerHeight - GAP;
  dialog.style.left = `${Math.max(GAP, Math.min(left, innerWidth - width - GAP))}px`;
  dialog.style.top = `${Math.max(GAP, fits ? bottom + GAP : top - GAP - height)}px`;
}
