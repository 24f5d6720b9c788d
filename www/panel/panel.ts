// The panel beside the conversation, with views that are about it but not in it. Beside the text on a wide screen, over it on others.

import { askView } from "./ask-view.tsx";
import { contextView } from "./context-view.ts";
import { append, byId, el } from "../shell/dom.ts";
import { commandView } from "../files/command-view.ts";
import { filesView } from "../files/files-view.ts";
import { icon } from "../shell/icons.ts";
import { type Moment, pastView } from "../files/past-view.ts";
import { inspectorView, record, startRecording } from "./inspector-view.ts";
import type { Session } from "../thread/session.ts";

const narrow = matchMedia("(max-width: 1099.98px)");

/** A part of the panel: `draw` follows the conversation, and `close` ends this. */
export interface Part {
  element: HTMLElement;
  draw(): void;
  close?(): void;
}

/** On a server there is a terminal beside the files. */
function filesOf(session: Session): Part[] {
  const files = filesView(session);
  return session.server === null ? [files] : [files, commandView(session, files.refresh)];
}

const VIEWS = {
  files: { name: "Files", icon: "folder", opener: byId("files-button"), parts: filesOf },
  context: {
    name: "Context",
    icon: "panel",
    opener: byId("panel-button"),
    parts: (session: Session) => [contextView(session), askView(session)],
  },
  // Rarely used, so it is reached from the panel only.
  inspector: { name: "Inspector", icon: "search", opener: null, parts: (session: Session) => [inspectorView(session)] },
} as const;
type ViewName = keyof typeof VIEWS;
const NAMES = Object.keys(VIEWS) as ViewName[];

let panel: HTMLDialogElement | null = null;
let shown: Session | null = null;
let view: ViewName = "context";
let parts: Part[] = [];
/** Whether the files are those of an earlier message. */
let isPast = false;
/** Has the focus when the panel closes. */
let returnTo: HTMLElement | null = null;

export function startPanel(): void {
  startRecording();
  for (const name of NAMES) {
    const { opener } = VIEWS[name];
    if (opener === null) continue;
    append(opener, [icon(VIEWS[name].icon), el("span", { class: "only-wide" }, VIEWS[name].name)]);
    opener.addEventListener("click", () => (panel && view === name && !isPast ? panel.close() : open(name)));
  }
  narrow.addEventListener("change", () => panel?.close());
}

function open(name: ViewName): void {
  const wasOpen = panel !== null;
  panel ??= openPanel();
  show(name);
  // The browser has moved the focus to the first tab.
  if (!wasOpen) byId(`${name}-tab`).focus();
}

/** Shows the files as they were at a message. The focus goes there, and back to where it is now. */
export function showFilesAt(moment: Moment): void {
  const from = document.activeElement;
  open("files");
  returnTo = from instanceof HTMLElement ? from : null;
  isPast = true;
  showParts((session) => [
    pastView(session, moment, () => {
      show("files");
      byId("files-tab").focus();
    }),
  ]);
  byId("past-heading").focus();
}

function openPanel(): HTMLDialogElement {
  const dialog = el(
    "dialog",
    { class: "panel", id: "panel", "aria-label": "About this conversation" },
    el(
      "div",
      { class: "panel-head" },
      tabs(),
      el("button", { class: "icon-button", type: "button", "aria-label": "Close the panel", onclick: () => dialog.close() }, icon("close")),
    ),
    el("div", { class: "panel-parts", id: "panel-parts", role: "tabpanel", tabindex: -1 }),
  );
  // Only a modal dialog closes on Escape by itself.
  dialog.addEventListener("keydown", (event) => event.key === "Escape" && dialog.close());
  dialog.addEventListener("close", () => {
    dialog.remove();
    panel = null;
    closeParts();
    document.body.classList.remove("with-panel");
    markOpeners();
    // The browser gives it back to where it was when the panel was opened.
    if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
    returnTo = null;
  });
  document.body.append(dialog);
  if (narrow.matches) dialog.showModal();
  else dialog.show();
  document.body.classList.add("with-panel");
  return dialog;
}

function tabs(): HTMLElement {
  const tab = (name: ViewName): HTMLElement =>
    el(
      "button",
      { type: "button", role: "tab", id: `${name}-tab`, "aria-controls": "panel-parts", onclick: () => show(name) },
      VIEWS[name].name,
    );
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the panel" }, ...NAMES.map(tab));
  list.addEventListener("keydown", ({ key }) => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? NAMES.length - 1 : 0;
    if (step === 0) return;
    show(NAMES[(NAMES.indexOf(view) + step) % NAMES.length]!);
    byId(`${view}-tab`).focus();
  });
  return list;
}

function show(name: ViewName): void {
  view = name;
  for (const each of NAMES) {
    const tab = byId(`${each}-tab`);
    tab.setAttribute("aria-selected", String(each === view));
    tab.tabIndex = each === view ? 0 : -1;
  }
  byId("panel-parts").setAttribute("aria-labelledby", `${view}-tab`);
  isPast = false;
  showParts(VIEWS[view].parts);
  markOpeners();
}

function showParts(partsOf: (session: Session) => Part[]): void {
  closeParts();
  parts = shown === null ? [] : partsOf(shown);
  byId("panel-parts").replaceChildren(...parts.map(({ element }) => element));
  for (const part of parts) part.draw();
}

function closeParts(): void {
  for (const part of parts) part.close?.();
  parts = [];
}

function markOpeners(): void {
  for (const name of NAMES) VIEWS[name].opener?.setAttribute("aria-expanded", String(panel !== null && name === view));
}

/** Shows the view for this conversation; without one the panel closes. */
export function drawPanel(session: Session | null): void {
  const isOther = session !== shown;
  shown = session;
  record(session?.conversation ?? null);
  if (session === null) panel?.close();
  else if (panel && isOther) show(view);
  else for (const part of parts) part.draw();
}
