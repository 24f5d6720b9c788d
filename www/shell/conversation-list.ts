// The list of stored conversations: links under headings, newest first, and at its end the archive and the trash, folded. See
// conversations/ for its parts, and for what is done with a row, which is loaded with the first use.

import type { ConversationInfo } from "threadkeep";
import { type ConversationList, conversationList } from "threadkeep/thread";
import { focusRow, keepingFocus, rove, stopsOf } from "../conversations/focus.ts";
import { groupsOf } from "../conversations/groups.ts";
import { createRow, type Row, type RowAct, type RowKind, titleOf } from "../conversations/row.ts";
import { createFoldedSection, createMore, createSection, place, type Section } from "../conversations/sections.ts";
import { isSelecting, keepSelected, select, selectedIds, setSelecting } from "../conversations/selection.ts";
import { removeConversation } from "./actions.ts";
import { byId, el } from "./dom.ts";
import { report } from "./notices.ts";
import { currentRoute, hrefOf } from "./router.ts";

const list = byId("conversation-list");
const search = byId("conversation-search") as HTMLInputElement;
const selectButton = byId("select-button");
const selectionBar = byId("selection-bar");
const stored = conversationList();
const trash = conversationList({ trashed: true });

/** How many rows of a part of the list are drawn at first, and with each “Show more”. */
const PORTION = 100;
/** From how many letters on messages are searched, too, and for how many milliseconds nothing more is typed by then. */
const SHORTEST = 2;
const DEBOUNCE = 150;
type Part = "list" | "archived" | "trash";
let most: Record<Part, number> = { list: PORTION, archived: PORTION, trash: PORTION };

const more = createMore("list");
const archiveSection = createFoldedSection("Archived", "archived");
const trashSection = createFoldedSection("Trash", "trash", [
  el("p", { class: "quiet" }, "What has been here for 30 days is deleted for ever."),
  el("button", { type: "button", class: "button small", id: "empty-trash", "data-focus": "trash empty" }, "Empty trash"),
]);
const sections = new Map<string, Section>();
const rows = new Map<string, Row>();

/** The parts that are unfolded, and those while something is sought, which may be in the archive. */
const unfolded = new Set<Part>();
let unfoldedInSearch = new Set<Part>();
let sought = "";
/** The messages that were found, below the titles; `null` while none are sought. */
let foundMessages: HTMLElement | null = null;
let seeking = new AbortController();
/** While a title is edited in a row, the list stays as it is. */
let isRenaming = false;

const acts = () => import("../conversations/acts.ts");
const bar = () => import("../conversations/selection-bar.ts");

export function startConversationList(): void {
  stored.subscribe(draw);
  // The trash is at the end, and folded.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(startTrash, { timeout: 2000 });
  else setTimeout(startTrash, 300);
  addEventListener("hashchange", markCurrent);
  list.addEventListener("keydown", onKey);
  list.addEventListener("click", onClick);
  search.addEventListener("input", seek);
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    // Otherwise the key would also follow the link.
    event.preventDefault();
    stopsOf(list)[0]?.focus();
  });
  selectButton.addEventListener("click", () => changeMode(!isSelecting()));
  byId("conversations").addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isSelecting() || (event.target === search && search.value !== "")) return;
    // It would close the drawer, too.
    event.stopPropagation();
    changeMode(false);
  });
  // The times in it are relative.
  document.addEventListener("visibilitychange", () => document.hidden || draw());
}

function startTrash(): void {
  let isEmptied = false;
  trash.subscribe(() => {
    draw();
    // One that is just being opened must not be deleted under its view.
    const isOpening = infosOf(trash).some(({ id }) => id === currentRoute()?.conversationId);
    if (!isEmptied && !isOpening && infosOf(trash).length > 0) void emptyOld();
    isEmptied = true;
  });
}

/** Never rejects: nobody waits for it, and the next page that starts tries again. */
const emptyOld = (): Promise<void> =>
  acts()
    .then(({ emptyOldTrash }) => emptyOldTrash())
    .catch(() => undefined);

/** Moves the focus to the field in which titles are sought; on a narrow screen it is in the drawer. */
export function searchConversations(): void {
  const opener = byId("open-sidebar");
  if (getComputedStyle(opener).display !== "none" && opener.getAttribute("aria-expanded") === "false") opener.click();
  search.focus();
  search.select();
}

/** Moves the focus to the row of a conversation, or to the first one if it is not drawn. */
export const focusConversation = (id: string): void => focusRow(list, id);

/** Reads the list again, and draws it. Never rejects. */
export async function refreshConversations(): Promise<void> {
  await Promise.all([stored.refresh(), trash.refresh()]);
  // A row has moved perhaps, and what has the focus shall be in sight.
  if (list.contains(document.activeElement)) document.activeElement!.scrollIntoView({ block: "nearest" });
}

const infosOf = (source: ConversationList): readonly ConversationInfo[] => source.getSnapshot().conversations;
const infoOf = (id: string | undefined): ConversationInfo | undefined =>
  [...infosOf(stored), ...infosOf(trash)].find((info) => info.id === id);

function draw(): void {
  const { phase, error } = stored.getSnapshot();
  if (phase === "failed") report(error, { title: "Your conversations could not be listed", retry: () => void stored.refresh() });
  if (isRenaming) return;
  keepingFocus(list, drawParts);
  const isEmpty = infosOf(stored).length === 0;
  const isNothing = isEmpty && infosOf(trash).length === 0;
  // A field that has the focus would lose it.
  search.hidden = isNothing && search !== document.activeElement;
  if (isEmpty && isSelecting()) changeMode(false);
  selectButton.hidden = isEmpty;
  byId("conversation-list-empty").hidden = phase === "loading" || !isNothing;
  byId("conversation-search-empty").hidden = sought === "" || list.querySelector("[data-id], .fold, #found-messages") !== null;
  markCurrent();
  void drawBar();
}

function drawParts(): void {
  const isSought = (info: ConversationInfo): boolean => titleOf(info).toLocaleLowerCase().includes(sought);
  const found = infosOf(stored).filter(isSought);
  const shown = found.filter(({ archivedAt }) => archivedAt === null);
  const archived = found.filter(({ archivedAt }) => archivedAt !== null);
  const trashed = isSelecting() ? [] : infosOf(trash).filter(isSought).sort(byDeletion);
  // A part that has become empty begins folded again.
  if (infosOf(trash).length === 0) unfolded.delete("trash");
  if (sought === "" && archived.length === 0) unfolded.delete("archived");
  const drawn = new Set<string>();
  const kind = isSelecting() ? "check" : "link";
  const rowsFor = (infos: readonly ConversationInfo[], kind: RowKind): HTMLElement[] =>
    infos.map((info) => {
      const key = `${kind} ${info.id}`;
      drawn.add(key);
      const row = rows.get(key) ?? createRow(info.id, kind);
      rows.set(key, row);
      row.show(info);
      return row.element;
    });
  const groups = groupsOf(shown, most.list).map(({ name, conversations }) => {
    const section = sections.get(name) ?? createSection(name);
    sections.set(name, section);
    section.show(rowsFor(conversations, kind));
    return section.element;
  });
  more.show(shown.length - most.list);
  const folded = (part: "archived" | "trash", infos: readonly ConversationInfo[], kind: RowKind): HTMLElement[] => {
    if (infos.length === 0) return [];
    const { element, show } = part === "trash" ? trashSection : archiveSection;
    const isOpen = openParts().has(part);
    show(isOpen ? rowsFor(infos.slice(0, most[part]), kind) : [], infos.length, isOpen);
    return [element];
  };
  const messages = foundMessages !== null && !isSelecting() ? [foundMessages] : [];
  place(list, [...groups, more.element, ...folded("archived", archived, kind), ...messages, ...folded("trash", trashed, "trash")]);
  for (const key of rows.keys()) if (!drawn.has(key)) rows.delete(key);
}

/** The one that was deleted last comes first. */
const byDeletion = (one: ConversationInfo, other: ConversationInfo): number => Number(other.trashedAt) - Number(one.trashedAt);

const openParts = (): Set<Part> => (sought === "" ? unfolded : unfoldedInSearch);

function seek(): void {
  const before = sought;
  sought = search.value.trim().toLocaleLowerCase();
  if (before === "") unfoldedInSearch = new Set<Part>(["archived"]);
  most = { list: PORTION, archived: PORTION, trash: PORTION };
  draw();
  seeking.abort();
  seeking = new AbortController();
  if (sought.length >= SHORTEST) setTimeout(() => void seekMessages(sought, seeking.signal), DEBOUNCE);
  else showMessages(null);
}

async function seekMessages(text: string, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { findMessages, foundMessages: element } = await import("../conversations/found-messages.ts");
  await findMessages(text, signal, (count, fill) => {
    keepingFocus(list, fill);
    // Without a message, it says something only while older ones are being read.
    showMessages(count > 0 || element.querySelector("p:not([hidden])") ? element : null);
  });
}

function showMessages(element: HTMLElement | null): void {
  foundMessages = element;
  draw();
}

function changeMode(selecting: boolean): void {
  setSelecting(selecting);
  selectButton.textContent = selecting ? "Done" : "Select";
  selectionBar.hidden = !selecting;
  list.classList.toggle("selecting", selecting);
  // The checkbox of a row takes the focus of its link; whoever has pressed a button of the bar has none left.
  if (!selecting && selectionBar.contains(document.activeElement)) selectButton.focus();
  draw();
}

async function drawBar(): Promise<void> {
  if (!isSelecting()) return;
  const { drawSelectionBar } = await bar();
  // In the meantime it may have changed.
  const infos = infosOf(stored);
  keepSelected((id) => infos.some((info) => info.id === id));
  if (isSelecting())
    drawSelectionBar(
      infos.filter(({ id }) => selectedIds().has(id)),
      () => changeMode(false),
    );
}

function onClick(event: MouseEvent): void {
  const target = event.target as HTMLElement;
  const button = target.closest<HTMLElement>("button");
  const { fold, more: portion } = (button?.dataset ?? {}) as { fold?: Part; more?: Part };
  const row = target.closest<HTMLElement>("[data-id]");
  if (fold) toggle(fold);
  else if (portion && portion in most) showMore(portion, button!);
  else if (button?.id === "empty-trash") void acts().then(({ emptyWholeTrash }) => emptyWholeTrash(infosOf(trash)));
  else if (row && button) press(row, button);
  else if (row && isSelecting()) choose(event, row);
}

function toggle(part: Part): void {
  const open = openParts();
  if (!open.delete(part)) open.add(part);
  draw();
}

/** The first of the further rows gets the focus. */
function showMore(part: Part, button: HTMLElement): void {
  const group = part === "list" ? list : button.parentElement!;
  const isBefore = (stop: HTMLElement): boolean => Boolean(stop.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
  const before = stopsOf(group).filter(isBefore).length;
  most[part] += PORTION;
  draw();
  stopsOf(group)[before]?.focus();
}

function press(row: HTMLElement, button: HTMLElement): void {
  const info = infoOf(row.dataset["id"]);
  if (info === undefined) return;
  const act = button.dataset["act"] as RowAct;
  if (act === "menu") {
    void import("../conversations/row-menu.ts").then(({ openRowMenu }) => openRowMenu(button, info, () => void rename(row, info)));
  } else if (act === "restore") void acts().then(({ mark }) => mark([info], "trashed", false));
  else void acts().then(({ deleteForEver }) => deleteForEver(info));
}

/** A click beside the box counts as one on it. Firefox ignores one on a label with Shift. */
function choose(event: MouseEvent, row: HTMLElement): void {
  const box = row.querySelector("input")!;
  if (box.disabled) return;
  const isOnBox = event.target === box;
  if (!isOnBox) event.preventDefault();
  const ids = stopsOf(list).map((stop) => stop.closest<HTMLElement>("[data-id]")!.dataset["id"]!);
  select(row.dataset["id"]!, isOnBox ? box.checked : !box.checked, event.shiftKey ? ids : null);
  box.focus({ preventScroll: true });
  draw();
}

async function rename(row: HTMLElement, info: ConversationInfo): Promise<void> {
  const { renameInRow } = await import("../conversations/rename.ts");
  isRenaming = true;
  await renameInRow(row, info);
  isRenaming = false;
  draw();
}

function onKey(event: KeyboardEvent): void {
  const row = (event.target as Element).closest<HTMLElement>("[data-id]");
  if (row === null) return;
  const info = infoOf(row.dataset["id"]);
  if (event.key === "F2" && info && info.server === null && info.trashedAt === null && !isSelecting()) {
    event.preventDefault();
    void rename(row, info);
  } else if (info && (event.key === "Delete" || (event.key === "Backspace" && event.metaKey))) {
    event.preventDefault();
    remove(info);
  } else {
    moveFocus(event);
  }
}

/** The key Delete means those that are selected, or this one. */
function remove(info: ConversationInfo): void {
  if (isSelecting() && selectedIds().size > 0) void bar().then(({ act }) => act("trashed"));
  else if (info.server !== null) void removeConversation(info.id, titleOf(info), info.server);
  else void acts().then(({ mark, deleteForEver }) => (info.trashedAt === null ? mark([info], "trashed", true) : deleteForEver(info)));
}

function moveFocus(event: KeyboardEvent): void {
  const stops = stopsOf(list);
  const at = stops.findIndex((stop) => stop.closest("[data-id]")!.contains(document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: stops.length - 1 }[event.key];
  if (at < 0 || next === undefined) return;
  event.preventDefault();
  stops[Math.max(0, Math.min(next, stops.length - 1))]!.focus();
  rove(list);
}

function markCurrent(): void {
  const route = currentRoute();
  for (const link of list.querySelectorAll("a")) {
    if (route !== null && link.getAttribute("href") === hrefOf(route.conversationId)) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  rove(list);
}
