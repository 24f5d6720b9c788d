// The page: puts the parts together and follows the route. What happens in a conversation is in session.ts,
// how it looks in transcript.ts.

import { Conversation, ThreadkeepError } from "threadkeep";
import { announce } from "./announcer.ts";
import { Composer } from "./composer.ts";
import { refreshList, startConversationList } from "./conversation-list.ts";
import { askDelete, askTitle } from "./dialogs.ts";
import { append, byId, el } from "./dom.ts";
import { explain } from "./failures.ts";
import { icon } from "./icons.ts";
import { startModelLabel } from "./model-label.ts";
import { notify, report } from "./notices.ts";
import { currentRoute, goHome, HOME, nameCurrent, onRoute, type Route } from "./router.ts";
import { leaveSession, openSession } from "./open-sessions.ts";
import { Session } from "./session.ts";
import { onSettingsChange } from "./settings.ts";
import { openSettings, startSettings } from "./settings-dialog.ts";
import { startSidebar } from "./sidebar.ts";
import { showStart } from "./start-view.ts";
import { Transcript } from "./transcript.ts";
import { exportConversation, startImport } from "./transfer.ts";
import { ownWay } from "./ways.ts";

const TITLE_LENGTH = 60;

let session: Session | null = null;
let transcript: Transcript | null = null;
let stopDrawing = (): void => undefined;
/** Opening takes time; only the latest wish counts. */
let wish = 0;

const composer = new Composer({ send, stop: async () => session?.stop() });

/** `moved`: the user came here by a link of this page, so the focus follows them. */
async function follow(route: Route, { moved = false } = {}): Promise<void> {
  const mine = (wish += 1);
  await leave();
  composer.showDraftOf(route?.conversationId ?? "new");
  if (moved) moveFocus();
  if (route === null) return showNew();
  setTitle("Opening…", "");
  let opened: Session;
  try {
    opened = await openSession(route.conversationId);
  } catch (error) {
    if (mine === wish) showFailure(error, route.conversationId);
    return;
  }
  if (mine !== wish) return leaveSession(opened);
  show(opened);
  announce(`Opened ${opened.title}.`);
}

/** To where one writes; on a phone to the heading, because a focused field would bring up the keyboard. */
function moveFocus(): void {
  if (matchMedia("(pointer: coarse)").matches) byId("title").focus();
  else composer.focus();
}

function show(opened: Session): void {
  session = opened;
  transcript = new Transcript(opened);
  stopDrawing = opened.onChange(drawState);
  byId("conversation-actions").hidden = false;
  drawState();
}

/** What is about to be deleted is not closed here: that is one step with deleting it. */
async function leave(deleted: Session | null = null): Promise<void> {
  const leaving = session;
  session = null;
  stopDrawing();
  transcript?.close();
  transcript = null;
  byId("conversation-actions").hidden = true;
  composer.setState({ running: false, readOnly: false });
  if (leaving && leaving !== deleted) await leaveSession(leaving).catch((error: unknown) => report(error));
}

let wasRunning = false;

function drawState(): void {
  if (session === null) return;
  const { running, conversation } = session;
  composer.setState({ running, readOnly: session.isFollower });
  const count = conversation.events.length;
  setTitle(session.title, `${count === 1 ? "1 event" : `${count} events`}, stored on this device`);
  if (running !== wasRunning) void refreshList();
  wasRunning = running;
}

function setTitle(title: string, subtitle: string): void {
  byId("title").textContent = title;
  byId("subtitle").textContent = subtitle;
  document.title = session === null ? "threadkeep" : `${title} · threadkeep`;
}

function showNew(): void {
  setTitle("New conversation", "");
  showStart((message) => composer.fill(message));
}

/** Resolves with false if the message was not stored; the composer then gives it back. */
async function send(text: string): Promise<boolean> {
  try {
    if (session === null) {
      const created = await Session.create(titleFrom(text));
      wish += 1;
      nameCurrent(created.id);
      composer.showDraftOf(created.id);
      show(created);
    }
    transcript?.followEnd();
    await session!.send(text);
    void refreshList();
    return true;
  } catch (error) {
    report(error, { title: "Your message could not be stored" });
    return false;
  }
}

function titleFrom(text: string): string {
  const line = text.split("\n")[0]!.trim();
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).replace(/\s+\S*$/, "")}…`;
}

function showFailure(error: unknown, conversationId: string): void {
  const { title, text } = explain(error);
  setTitle(title, "");
  const isGone = error instanceof ThreadkeepError && error.code === "not_found";
  const button = (name: string, look: string, onclick: () => unknown): HTMLElement => el("button", { type: "button", class: `button ${look}`, onclick }, name);
  const home = el("a", { href: HOME, class: isGone ? "button primary" : "button" }, "Start a conversation");
  const buttons = isGone
    ? [home]
    : [button("Try again", "primary", () => follow(currentRoute())), home, button("Delete it", "", () => removeConversation(conversationId, conversationId))];
  byId("column").replaceChildren(
    el("section", { class: "start", role: "alert" }, el("h2", {}, title), el("p", { class: "start-text" }, text), el("div", { class: "buttons" }, ...buttons)),
  );
}

async function removeConversation(conversationId: string, title: string): Promise<void> {
  const answer = await askDelete(title);
  if (answer === null) return;
  if (answer === "export") return session === null ? undefined : exportConversation(session.conversation, title);
  try {
    const open = session?.id === conversationId ? session : null;
    await leave(open);
    await (open ? open.delete() : Conversation.delete(conversationId));
    notify(`“${title}” was deleted.`);
    goHome();
  } catch (error) {
    report(error, { title: "The conversation could not be deleted", retry: () => removeConversation(conversationId, title) });
  }
  await refreshList();
}

async function rename(): Promise<void> {
  const title = session && (await askTitle(session.title));
  if (!title) return;
  try {
    await session?.rename(title);
    announce(`Renamed to ${title}.`);
  } catch (error) {
    report(error, { title: "The conversation could not be renamed", retry: rename });
  }
  await refreshList();
}

const exportOpen = (): void => void (session && exportConversation(session.conversation, session.title));

function startActions(): void {
  const actions = { rename, export: exportOpen, delete: () => session && removeConversation(session.id, session.title) } as const;
  for (const [name, act] of Object.entries(actions)) {
    const button = byId(`${name}-button`);
    append(button, [icon(name as keyof typeof actions), el("span", { class: "only-wide" }, button.getAttribute("aria-label")!)]);
    button.addEventListener("click", () => void act());
  }
  byId("import-button").prepend(icon("import"));
  byId("settings-button").prepend(icon("settings"));
  append(byId("open-sidebar"), [icon("menu")]);
  append(byId("close-sidebar"), [icon("close")]);
  ownWay("settings", openSettings);
  ownWay("export", exportOpen);
}

function start(): void {
  addEventListener("unhandledrejection", ({ reason }) => report(reason, { title: "Something in this page went wrong" }));
  addEventListener("error", ({ error, message }) => report(error ?? message, { title: "Something in this page went wrong" }));
  startActions();
  startSidebar();
  startSettings();
  startImport();
  startModelLabel();
  startConversationList();
  onSettingsChange(() => {
    if (session === null) return currentRoute() === null ? showNew() : undefined;
    void session.reopen();
  });
  onRoute((route) => void follow(route, { moved: true }));
  void follow(currentRoute());
}

start();
