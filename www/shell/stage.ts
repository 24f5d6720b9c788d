// The main area: the conversation in the URL, a start view if there is none, or the reason why it cannot be opened. See
// session.ts for the state of a conversation and transcript.ts for its view.

import { Conversation, ThreadkeepError } from "threadkeep";
import { announce } from "./announcer.ts";
import { askPending } from "../thread/approval-dialogs.ts";
import { Composer } from "../thread/composer.ts";
import { drawControlLine } from "../control/line.ts";
import { refreshList } from "./conversation-list.ts";
import { byId, el } from "./dom.ts";
import { explain } from "./failures.ts";
import { forgetFolder } from "../files/folders.ts";
import { drawTasks } from "../files/tasks-view.ts";
import { notify, report } from "./notices.ts";
import { currentRoute, HOME, nameCurrent, onRoute, type Route } from "./router.ts";
import { leaveSession, openSession } from "../thread/open-sessions.ts";
import { drawPanel } from "../panel/panel.ts";
import { askToFetchSecrets } from "../control/secret-consent.ts";
import { Session } from "../thread/session.ts";
import { onSettingsChange } from "../settings/settings.ts";
import { showStart, startExamples } from "./start-view.ts";
import { Transcript } from "../thread/transcript.ts";
import { runRecovery } from "./recoveries.ts";

const TITLE_LENGTH = 60;

let session: Session | null = null;
let transcript: Transcript | null = null;
let stopDrawing = (): void => undefined;
/** Opening takes time; only the latest request counts. */
let latestOpening = 0;
/** A message that is sent while a conversation is being created waits for this. */
let opening: Promise<unknown> = Promise.resolve();
let wasListed = "";

const composer = new Composer({ send, stop: async () => session?.stop(), pause: async () => session?.pause() });

/** Attaches these images to the next message. */
export const attach = (images: Blob[]): void => composer.attach(images);

export const currentSession = (): Session | null => session;

export function startStage(): void {
  onSettingsChange(() => {
    if (session !== null) opening = session.applySettings();
    else if (currentRoute() === null) showNew();
  });
  startExamples((message) => composer.fill(message));
  onRoute((route) => follow(route, { moved: true }));
  follow(currentRoute());
}

/** `moved`: the user followed a link of this page, so the focus follows too. */
function follow(route: Route, { moved = false } = {}): void {
  opening = open(route, moved);
}

async function open(route: Route, moved: boolean): Promise<void> {
  const mine = (latestOpening += 1);
  await leave();
  composer.showDraftOf(route?.conversationId ?? "new");
  if (moved) moveFocus();
  if (route === null) return showNew();
  setTitle("Opening…", "");
  try {
    const opened = await openSession(route.conversationId);
    if (mine !== latestOpening) return await leaveSession(opened);
    show(opened);
    announce(`Opened ${opened.title}.`);
    void askToFetchSecrets(opened, moveFocus);
  } catch (error) {
    if (mine === latestOpening) showFailure(error, route.conversationId);
  }
}

/** To the message field; on a phone to the heading, because a focused field would open the keyboard. */
function moveFocus(): void {
  if (matchMedia("(pointer: coarse)").matches) byId("title").focus();
  else composer.focus();
}

function show(opened: Session): void {
  session = opened;
  // The conversation is open, so it can be exported even if something below fails.
  byId("conversation-actions").hidden = byId("control-button").hidden = false;
  stopDrawing = opened.onChange(drawState);
  transcript = new Transcript(opened);
  drawState();
}

/** Removes the conversation from the page. */
function clear(): void {
  session = null;
  stopDrawing();
  transcript?.close();
  transcript = null;
  byId("conversation-actions").hidden = byId("control-button").hidden = true;
  drawPanel(null);
  drawTasks(null);
  composer.setState({ running: false, readOnly: false });
}

async function leave(): Promise<void> {
  const leaving = session;
  clear();
  if (leaving) await leaveSession(leaving).catch((error: unknown) => report(error));
}

function drawState(): void {
  if (session === null) return;
  const { running, conversation } = session;
  composer.setState({ running, readOnly: session.isFollower });
  const count = conversation.events.length;
  drawControlLine(session);
  drawPanel(session);
  drawTasks(session);
  setTitle(session.title, `${count === 1 ? "1 event" : `${count} events`}, stored on this device`);
  // The parts of a conversation that the list shows.
  const listed = `${running} ${session.title}`;
  if (listed !== wasListed) void refreshList();
  wasListed = listed;
}

function setTitle(title: string, subtitle: string): void {
  byId("title").textContent = title;
  byId("subtitle").textContent = subtitle;
  document.title = session === null ? "threadkeep" : `${title} · threadkeep`;
}

function showNew(): void {
  byId("control-button").hidden = false;
  drawControlLine(null);
  setTitle("New conversation", "");
  showStart();
}

/** Resolves to false if the message was not stored; the composer then restores it. */
async function send(text: string, images: Blob[]): Promise<boolean> {
  try {
    await opening;
    if (session === null) await (opening = create(titleFrom(text || "An image")));
    const waiting = session!.openCallsAre === "waiting" && !session!.running ? session!.pending.length : 0;
    const pending = waiting > 0 ? await askPending(waiting) : undefined;
    if (pending === null) return false;
    transcript?.followEnd();
    await session!.send(text, images, pending);
    if (pending === "keep") notify("Your message is stored. It reaches the agent when you have decided about the calls.");
    void refreshList();
    return true;
  } catch (error) {
    report(error, { title: "Your message could not be stored" });
    return false;
  }
}

async function create(title: string): Promise<void> {
  const created = await Session.create(title);
  latestOpening += 1;
  nameCurrent(created.id);
  composer.showDraftOf(created.id);
  show(created);
}

function titleFrom(text: string): string {
  const line = text.split("\n")[0]!.trim();
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH).replace(/\s+\S*$/, "")}…`;
}

/** Deletes a conversation, whether it is open or could not be opened; shows it again if deleting fails. */
export async function deleteConversation(conversationId: string): Promise<void> {
  const open = session?.id === conversationId ? session : null;
  if (open) clear();
  try {
    await (open ? open.delete() : Conversation.delete(conversationId));
    void forgetFolder(conversationId).catch(() => undefined);
  } catch (error) {
    follow(currentRoute());
    throw error;
  }
}

let removal = (_conversationId: string): unknown => undefined;

/** Registers the function that asks before a conversation is deleted that cannot be opened. */
export function onRemovalRequest(listener: (conversationId: string) => unknown): void {
  removal = listener;
}

function showFailure(error: unknown, conversationId: string): void {
  const { title, text } = explain(error);
  setTitle(title, "");
  const isGone = error instanceof ThreadkeepError && error.code === "not_found";
  const button = (name: string, look: string, onclick: () => unknown): HTMLElement => el("button", { type: "button", class: `button ${look}`, onclick }, name);
  const open = session;
  const home = el("a", { href: HOME, class: isGone ? "button primary" : "button" }, "Start a conversation");
  const buttons = isGone
    ? [home]
    : [
        button("Try again", "primary", () => follow(currentRoute())),
        open?.id === conversationId && button("Export a copy", "", () => runRecovery("export")),
        home,
        button("Delete it", "", () => removal(conversationId)),
      ];
  byId("column").replaceChildren(
    el("section", { class: "start", role: "alert" }, el("h2", {}, title), el("p", { class: "start-text" }, text), el("div", { class: "buttons" }, ...buttons)),
  );
}
