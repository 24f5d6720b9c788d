// The panel beside the conversation, for what is about it but not in it. Beside the text on a wide screen, over it on others.

import { askView } from "./ask-view.ts";
import { contextView } from "./context-view.ts";
import { append, byId, el } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Session } from "./session.ts";

const panel = byId<HTMLDialogElement>("panel");
const opener = byId("panel-button");
const narrow = matchMedia("(max-width: 1099.98px)");

/** A part of the panel: `draw` follows the conversation. */
export interface Part {
  element: HTMLElement;
  draw(): void;
}

let shown: Session | null = null;
let parts: Part[] = [];

export function startPanel(): void {
  append(opener, [icon("panel"), el("span", { class: "only-wide" }, "Context")]);
  append(byId("close-panel"), [icon("close")]);
  opener.addEventListener("click", () => (panel.open ? panel.close() : open()));
  byId("close-panel").addEventListener("click", () => panel.close());
  panel.addEventListener("close", () => {
    document.body.classList.remove("with-panel");
    opener.setAttribute("aria-expanded", "false");
    opener.focus();
  });
  // A modal dialog closes on Escape by itself.
  panel.addEventListener("keydown", (event) => event.key === "Escape" && panel.close());
  narrow.addEventListener("change", () => panel.open && panel.close());
}

function open(): void {
  if (narrow.matches) panel.showModal();
  else panel.show();
  document.body.classList.add("with-panel");
  opener.setAttribute("aria-expanded", "true");
  drawPanel(shown);
}

/** Shows what is about this conversation; without one the panel closes. */
export function drawPanel(session: Session | null): void {
  if (session !== shown) {
    shown = session;
    parts = session === null ? [] : [contextView(session), askView(session)];
    byId("panel-parts").replaceChildren(...parts.map(({ element }) => element));
  }
  if (session === null && panel.open) panel.close();
  if (panel.open) for (const part of parts) part.draw();
}
