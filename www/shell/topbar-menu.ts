// The actions on the conversation. A narrow screen has no room for them beside the title, so they unfold from a button there.

import { byId } from "./dom.ts";

export function startTopbarMenu(): void {
  const opener = byId("menu-button");
  const actions = byId("conversation-actions");
  const isOpen = (): boolean => actions.classList.contains("open");
  const setOpen = (open: boolean): void => {
    actions.classList.toggle("open", open);
    opener.setAttribute("aria-expanded", String(open));
  };
  const close = (): void => {
    if (!isOpen()) return;
    // Before a dialog opens, which returns the focus to where it was.
    opener.focus();
    setOpen(false);
  };
  opener.addEventListener("click", () => {
    setOpen(!isOpen());
    if (isOpen()) actions.querySelector("button")?.focus();
  });
  actions.addEventListener("click", close, true);
  actions.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !actions.contains(target) && !opener.contains(target)) setOpen(false);
  });
}
