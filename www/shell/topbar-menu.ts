// The rarer actions on the conversation unfold from a button. A narrow screen has no room beside the title for the others either.

import { byId } from "./dom.ts";

const narrow = matchMedia("(max-width: 820px)");

export function startTopbarMenu(): void {
  const opener = byId("menu-button");
  const actions = byId("conversation-actions");
  const views = byId("conversation-views");
  const buttons = [...views.children];
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
  const place = (): void => {
    setOpen(false);
    (narrow.matches ? actions : views).prepend(...buttons);
  };
  narrow.addEventListener("change", place);
  place();
  opener.addEventListener("click", () => {
    setOpen(!isOpen());
    if (isOpen()) actions.querySelector<HTMLElement>("button:not([hidden])")?.focus();
  });
  actions.addEventListener("click", close, true);
  actions.addEventListener("keydown", ({ key }) => key === "Escape" && close());
  document.addEventListener("pointerdown", ({ target }) => {
    if (target instanceof Node && !actions.contains(target) && !opener.contains(target)) setOpen(false);
  });
}
