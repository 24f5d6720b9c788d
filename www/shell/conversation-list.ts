// The list of stored conversations is the library's; what this page adds to it: addresses, and sessions that are open.

import { createElement, createRef, render } from "preact";
import { updateConversations } from "threadkeep";
import { type ConversationsHandle, ConversationsView, type ConversationsViewProps } from "threadkeep/preact";
import type { Session } from "../thread/session.ts";
import { byId } from "./dom.ts";
import { offer, report, withdraw } from "./notices.ts";
import { currentRoute, goHome, HOME, hrefOf } from "./router.ts";
import { currentSession, deleteConversation, stopRun } from "./stage.ts";

const handle = createRef<ConversationsHandle>();

export function startConversationList(): void {
  addEventListener("hashchange", draw);
  draw();
}

function draw(): void {
  const conversationId = currentRoute()?.conversationId ?? null;
  const props = { conversationId, linkOf, beforeDelete, onUpdate, onImport, handle, trashDays: 30 };
  render(createElement(ConversationsView, props), byId("conversation-list"));
}

const linkOf: ConversationsViewProps["linkOf"] = (id, eventId) => (id === null ? HOME : hrefOf(id, eventId));

/** Moves the focus to the field in which titles are sought; on a narrow screen it is in the drawer. */
export function searchConversations(): void {
  const opener = byId("open-sidebar");
  if (getComputedStyle(opener).display !== "none" && opener.getAttribute("aria-expanded") === "false") opener.click();
  handle.current?.search();
}

export const importFiles: ConversationsHandle["importFiles"] = async (files) => handle.current?.importFiles(files);

/** Into the trash, from which it can come back; what is there already, and the copy of a server's, is deleted after a question. */
export const removeFromList = async (conversationId: string): Promise<void> => handle.current?.deleteConversation(conversationId);

/** Another tab may show it, which only this page knows how to end. */
const beforeDelete = async (conversationId: string): Promise<void> => {
  await deleteConversation(conversationId);
  if (currentRoute()?.conversationId === conversationId) goHome();
};

const onUpdate: ConversationsViewProps["onUpdate"] = (ids, { trashed }) => {
  if (trashed) for (const id of ids) stopRun(id);
};

const onImport: ConversationsViewProps["onImport"] = (imported) => {
  const open = currentSession();
  const isContinued = imported.some(({ id, outcome }) => id === open?.id && /^(continued|merged)$/.test(outcome));
  if (isContinued) void open!.reopen();
  return !isContinued;
};

const NOTICE = "This conversation is in the trash.";
/** The tab in which it is deleted leaves it within this time. */
const PATIENCE = 700;

let told: string | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Called after each change of the open conversation; `null` if there is none. Another tab may have put it into the trash. */
export function followSession(session: Session | null): void {
  // A conversation that has begun gets its address without an event.
  draw();
  const trashed = session !== null && "trashed" in session.conversation.state.tags ? session.id : null;
  if (trashed === told) return;
  told = trashed;
  clearTimeout(timer);
  withdraw(NOTICE);
  if (trashed !== null) timer = setTimeout(() => offer(NOTICE, "Restore", () => restore(trashed)), PATIENCE);
}

/** The notice goes when that is done, and its button cannot keep the focus. */
function restore(id: string): boolean {
  byId("title").focus();
  updateConversations(id, { trashed: false }).catch((error: unknown) => report(error, { title: "It could not be restored" }));
  return false;
}
