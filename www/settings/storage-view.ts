// The storage of this page: its size, whether the browser keeps it, and the conversations that take up most of it, to be opened, exported or
// deleted.

import { Conversation, type ConversationSize, requestPersistence, type StorageStatus, storageStatus } from "threadkeep";
import { visibleText } from "threadkeep/thread";
import { sizeText } from "../files/size.ts";
import { askDelete } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import { icon, type IconName } from "../shell/icons.ts";
import { currentRoute, goHome, hrefOf } from "../shell/router.ts";
import { deleteConversation } from "../shell/stage.ts";
import { exportStored } from "../shell/transfer.ts";
import { nameOf } from "./agent-server.ts";
import { backupView } from "./backup-view.ts";

/** How many conversations are shown. */
const MOST = 5;

/** `onLeave` is called when the user follows a link to a conversation. */
export function storageView(onLeave: () => void): { element: HTMLElement; stop: () => void } {
  const about = el("p", { class: "quiet", "aria-live": "polite" }, "Everything is stored on this device, in this browser.");
  const protect = el("button", { type: "button", class: "button small", hidden: true }, "Ask the browser to protect it");
  const heading = el("h3", { id: "largest-heading", hidden: true }, "Largest conversations");
  const list = el("ul", { class: "largest", "aria-labelledby": "largest-heading" });
  const rest = el("p", { class: "quiet", "aria-live": "polite" });
  const outcome = el("p", { class: "outcome", role: "status" });
  const closed = new AbortController();

  const tell = (text: string, state: "good" | "bad"): void => {
    outcome.dataset["state"] = state;
    outcome.textContent = text;
  };
  const drawNumbers = (status: StorageStatus): void => {
    about.textContent = sentences(status);
    protect.hidden = status.persisted !== false;
  };
  const drawList = (conversations: ConversationSize[]): void => {
    heading.hidden = conversations.length === 0;
    list.replaceChildren(...conversations.slice(0, MOST).map(row));
    const others = conversations.slice(MOST);
    const bytes = others.reduce((sum, each) => sum + each.bytes, 0);
    rest.textContent = others.length === 0 ? "" : `And ${others.length} more with ${sizeText(bytes)} together.`;
  };
  const row = ({ id, title, bytes }: ConversationSize): HTMLElement => {
    const name = visibleText(title ?? "Untitled conversation");
    const button = (verb: string, look: IconName, act: () => Promise<void>): HTMLElement =>
      el(
        "button",
        { type: "button", class: "icon-button", "aria-label": `${verb} “${name}”`, title: verb, onclick: () => void act() },
        icon(look),
      );
    return el(
      "li",
      {},
      el("a", { href: hrefOf(id), onclick: onLeave }, name),
      el("span", { class: "quiet" }, sizeText(bytes)),
      button("Export", "export", () => exportIt(id, name)),
      button("Delete", "delete", () => deleteIt(id, name)),
    );
  };
  const exportIt = async (id: string, name: string): Promise<void> => {
    tell(`Exporting “${name}”…`, "good");
    if (await exportStored(id, name)) tell(`“${name}” is in your downloads.`, "good");
    else tell(`“${name}” could not be exported.`, "bad");
  };
  const deleteIt = async (id: string, name: string): Promise<void> => {
    const server = (await Conversation.list()).find((each) => each.id === id)?.server ?? null;
    const answer = await askDelete(name, server && nameOf(server));
    if (answer === "export") return exportIt(id, name);
    if (answer === null) return;
    try {
      await deleteConversation(id);
      if (currentRoute()?.conversationId === id) goHome();
      tell(`“${name}” was deleted.`, "good");
    } catch (error) {
      tell(`“${name}” could not be deleted. ${explain(error).text}`, "bad");
    }
    await measure();
    // The button that had the focus is gone.
    list.querySelector<HTMLElement>("a")?.focus();
  };

  const measure = async (): Promise<void> => {
    try {
      drawNumbers(await storageStatus({ conversations: false }));
      if (list.childElementCount === 0) rest.textContent = "Measuring the conversations…";
      const status = await storageStatus({ signal: closed.signal });
      drawNumbers(status);
      drawList(status.conversations);
      // Somebody who was led here shall see all of it.
      if (document.activeElement === element) element.scrollIntoView({ block: "start" });
    } catch (error) {
      if (!closed.signal.aborted) rest.textContent = `The conversations could not be measured. ${explain(error).text}`;
    }
  };
  protect.addEventListener("click", async () => {
    const isKept = await requestPersistence();
    drawNumbers(await storageStatus({ conversations: false }));
    if (isKept) tell("The browser keeps it.", "good");
    else tell("It did not agree to protect it; browsers do so for pages that are installed or visited often.", "bad");
  });
  const copy = backupView();
  const parts = [about, protect, outcome, ...(copy ? [copy.element] : []), heading, list, rest];
  const element = el("div", { class: "storage", tabindex: -1 }, ...parts);
  void measure();
  return { element, stop: () => (closed.abort(), copy?.stop()) };
}

/** The quota is a limit of the browser, and says nothing about the room on the disk: see docs/keeping.md. */
function sentences({ persisted, usage, quota }: StorageStatus): string {
  const used = usage === null ? "" : ` It takes up ${sizeText(usage)}.`;
  const limit = quota === null ? "" : ` The browser's limit is ${sizeText(quota)}, if the disk has that much room.`;
  const promises = {
    true: " The browser has promised not to clear it when the disk runs full.",
    false: " The browser may clear it when the disk runs full, so export what you want to keep.",
    null: "",
  };
  return `Everything is stored on this device, in this browser.${used}${limit}${promises[`${persisted}`]}`;
}
