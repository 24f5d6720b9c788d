// Actions on a conversation: rename, export, delete. Their buttons are in the bar above it.

import { announce } from "./announcer.ts";
import { askDelete, askExport, askTitle } from "./dialogs.ts";
import { isInTrash } from "../conversations/in-trash.ts";
import { append, byId, el } from "./dom.ts";
import { icon, type IconName } from "./icons.ts";
import { notify, report } from "./notices.ts";
import { currentRoute, goHome } from "./router.ts";
import { nameOf } from "../settings/agent-server.ts";
import { settings } from "../settings/settings.ts";
import { closedDuring, currentSession, deleteConversation } from "./stage.ts";
import { exportConversation, exportStored } from "./transfer.ts";
import type { Session } from "../thread/session.ts";
import { registerRecovery } from "./recoveries.ts";

export function startActions(): void {
  const actions = { rename, export: exportInSomeForm, delete: removeCurrent } as const;
  for (const [name, act] of Object.entries(actions)) {
    const button = byId(`${name}-button`);
    append(button, [icon(name as keyof typeof actions), el("span", { class: "only-wide" }, button.getAttribute("aria-label")!)]);
    button.addEventListener("click", () => void act());
  }
  byId("move-button").addEventListener("click", () => void moveCurrent());
  registerRecovery("export", exportCurrent);
}

/** The name of the button that moves the open conversation, and where: `null` if there is no such place. */
function destination(session: Session | null): { name: string; icon: IconName; host: string; isHome: boolean } | null {
  if (session === null) return null;
  if (session.server !== null) return { name: "Bring home", icon: "home", host: session.server, isHome: true };
  const { agentServer } = settings();
  return agentServer && { name: "Move to server", icon: "server", host: agentServer.host, isHome: false };
}

let drawnName = "";

/** Called after each change of the open conversation; `null` if there is none. */
export function drawMoveButton(session: Session | null): void {
  const button = byId("move-button");
  const to = destination(session);
  button.hidden = to === null;
  // A run is not moved; where another tab runs it, that one moves it.
  button.setAttribute("aria-disabled", String(session?.running === true || session?.home === "tab"));
  if (to === null || to.name === drawnName) return;
  drawnName = to.name;
  button.setAttribute("aria-label", to.name);
  button.replaceChildren(icon(to.icon), el("span", { class: "only-wide" }, to.name));
}

async function moveCurrent(): Promise<void> {
  const session = currentSession();
  const to = destination(session);
  if (session === null || to === null) return;
  if (byId("move-button").getAttribute("aria-disabled") === "true")
    return notify(session.home === "tab" ? "It runs in another tab. Move it there." : "The agent is at work. Move it when it is done.");
  const { moveHome, moveThere } = await import("./moving.ts");
  const moved = { id: session.id, title: session.title, closedDuring };
  await (to.isHome ? moveHome : moveThere)(moved, to.host);
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

/** Into the trash, from which it can come back; the copy of a conversation on a server has none. */
async function removeCurrent(): Promise<void> {
  const session = currentSession();
  if (session === null) return;
  const { id, title, server } = session;
  if (server !== null) return removeConversation(id, title, server);
  const { deleteForEver, mark } = await import("../conversations/acts.ts");
  await (isInTrash(session) ? deleteForEver({ id, title }) : mark([{ id, title }], "trashed", true));
}

/** Deletes it for ever. A conversation without a title could not be opened, and so cannot be exported. `server` runs it. */
export async function removeConversation(conversationId: string, title?: string, server: string | null = null): Promise<void> {
  const answer = await askDelete(title, server && nameOf(server));
  if (answer === "export") return void (await exportStored(conversationId, title ?? ""));
  if (answer === null) return;
  try {
    await deleteConversation(conversationId);
    if (currentRoute()?.conversationId === conversationId) goHome();
    notify(title === undefined ? "The conversation was deleted." : `“${title}” was deleted.`);
  } catch (error) {
    report(error, { title: "The conversation could not be deleted", retry: () => removeConversation(conversationId, title, server) });
  }
}
