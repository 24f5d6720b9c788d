// Actions on a conversation: rename, export, delete. Their buttons are in the bar above it.

import { announce } from "./announcer.ts";
import { askDelete, askExport, askTitle } from "./dialogs.ts";
import { removeFromList } from "./conversation-list.ts";
import { append, byId, el } from "./dom.ts";
import { icon } from "./icons.ts";
import { notify, report } from "./notices.ts";
import { currentRoute, goHome } from "./router.ts";
import { currentSession, deleteConversation } from "./stage.ts";
import { exportConversation } from "./transfer.ts";
import { registerRecovery } from "./recoveries.ts";

export function startActions(): void {
  const actions = { rename, export: exportInSomeForm, delete: removeCurrent } as const;
  for (const [name, act] of Object.entries(actions)) {
    const button = byId(`${name}-button`);
    append(button, [icon(name as keyof typeof actions), el("span", { class: "only-wide" }, button.getAttribute("aria-label")!)]);
    button.addEventListener("click", () => void act());
  }
  registerRecovery("export", exportCurrent);
}

async function rename(): Promise<void> {
  const session = currentSession();
  const title = session && (await askTitle(session.title));
  if (!title) return;
  try {
    await session.rename(title);
    announce(`Renamed to ${title}.`);
  } catch (error) {
    report(error, { title: "The conversation could not be renamed", isHere: true, retry: rename });
  }
}

async function exportInSomeForm(): Promise<void> {
  const session = currentSession();
  const form = session && (await askExport(`Export “${session.title}”`));
  if (form) await exportConversation(session.conversation, session.title, form);
}

async function exportCurrent(): Promise<void> {
  const session = currentSession();
  if (session) await exportConversation(session.conversation, session.title);
}

async function removeCurrent(): Promise<void> {
  const session = currentSession();
  if (session !== null) await removeFromList(session.id);
}

/** Deletes a conversation for ever that could not be opened, and so cannot be exported. */
export async function removeConversation(conversationId: string): Promise<void> {
  if ((await askDelete()) === null) return;
  try {
    await deleteConversation(conversationId);
    if (currentRoute()?.conversationId === conversationId) goHome();
    notify("The conversation was deleted.");
  } catch (error) {
    report(error, { title: "The conversation could not be deleted", retry: () => removeConversation(conversationId) });
  }
}
