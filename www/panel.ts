// The panel beside the conversation, with parts that are about it but not in it. Beside the text on a wide screen, over it on others.

import { askView } from "./ask-view.ts";
import { contextView } from "./context-view.ts";
import { append, byId, el } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Session } from "./session.ts";

const opener = byId("panel-button");
const narrow = matchMedia("(max-width: 1099.98px)");

/** A part of the panel: `draw` follows the conversation. */
export interface Part {
  element: HTMLElement;
  draw(): void;
}

let panel: HTMLDialogElement | null = null;
let shown: Session | null = null;
let parts: Part[] = [];

export function startPanel(): void {
  append(opener, [icon("panel"), el("span", { class: "only-wide" }, "Context")]);
  opener.addEventListener("click", () => (panel ? panel.close() : open()));
  narrow.addEventListener("change", () => panel?.close());
}

function open(): void {
  const dialog = el(
    "dialog",
    { class: "panel", id: "panel", "aria-labelledby": "panel-heading" },
    el(
      "div",
      { class: "panel-head" },
      el("h2", { id: "panel-heading" }, "Context"),
      el("button", { class: "icon-button", type: "button", "aria-label": "Close the context", onclick: () => dialog.close() }, icon("close")),
    ),
    el("div", { class: "panel-parts" }, ...parts.map(({ element }) => element)),
  );
  // Only a modal dialog closes on Escape by itself.
  dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    panel = null;
    document.body.classList.remove("with-panel");
    opener.setAttribute("aria-expanded", "false");
  });
  document.body.append(dialog);
  if (narrow.matches) dialog.showModal();
  else dialog.show();
  panel = dialog;
  document.body.classList.add("with-panel");
  opener.setAttribute("aria-expanded", "true");
  drawPanel(shown);
}

/** Shows the parts for this conversation; without one the panel closes. */
export function drawPanel(session: Session | null): void {
  if (session !== shown) {
    shown = session;
    parts = session === null ? [] : [contextView(session), askView(session)];
    panel?.querySelector(".panel-parts")!.replaceChildren(...parts.map(({ element }) => element));
  }
  if (session === null) panel?.close();
  if (panel) for (const part of parts) part.draw();
}
