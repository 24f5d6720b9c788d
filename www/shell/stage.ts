// The main area: the conversation in the URL, a start view if there is none, or the reason why it cannot be opened. See
// thread/ for the state of a conversation and its view.

import { ThreadkeepError } from "threadkeep";
import { type Thread, visibleText } from "threadkeep/thread";
import { deleteStored } from "../agent/agent.ts";
import { tellOfServer } from "../agent/server.ts";
import { drawControlLine } from "../control/line.ts";
import { drawPanel } from "../panel/panel.tsx";
import { nameOf } from "../settings/agent-server.ts";
import { onSettingsChange } from "../settings/settings.ts";
import { composer, showInstead, showThread } from "../thread/chat.tsx";
import { nextThread } from "../thread/next-thread.ts";
import { leaveSession, openSession, stopInBackground } from "../thread/open-sessions.ts";
import { Session } from "../thread/session.ts";
import { announce } from "./announcer.ts";
import { byId, el } from "./dom.ts";
import { explain } from "./failures.ts";
import { forgetElsewhere, offer, report } from "./notices.ts";
import { runRecovery } from "./recoveries.ts";
import { currentRoute, goTo, HOME, nameCurrent, onRoute, type Route } from "./router.ts";
import { startView } from "./start-view.ts";

let session: Session | null = null;
/** The conversation that begins with the next message. It stays on the page when it has begun, until it is opened again. */
let next: Thread | null = null;
let begun: Thread | null = null;
let stopDrawing = (): void => undefined;
/** Opening takes time; only the latest request counts. */
let latestOpening = 0;
const start = startView((message) => composer.fill(message));

export const currentSession = (): Session | null => session;

export function startStage(): void {
  onSettingsChange(() => {
    if (session !== null) void session.applySettings();
    else if (currentRoute() === null) showNew();
  });
  onRoute((route) => void open(route, true));
  // Moving the focus is better than a jump to an anchor, which would change the hash and so the route.
  byId("skip-link").addEventListener("click", (event) => {
    event.preventDefault();
    composer.focus();
  });
  void open(currentRoute());
}

/** `moved`: the user followed a link of this page, so the focus follows too. */
async function open(route: Route, moved = false): Promise<void> {
  if (moved && session !== null && session.id === route?.conversationId) return drawState();
  const mine = (latestOpening += 1);
  if (moved) forgetElsewhere();
  await leave();
  if (route === null) {
    showNew();
    return void (moved && moveFocus());
  }
  setTitle("Opening…", "");
  try {
    const opened = await openSession(route.conversationId);
    if (mine !== latestOpening) return await leaveSession(opened);
    show(opened);
    if (moved) moveFocus();
    announce(`Opened ${opened.title}.`);
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
  showActions(true);
  stopDrawing = opened.onChange(drawState);
  drawState();
}

function showActions(areShown: boolean): void {
  for (const name of ["control-button", "conversation-views", "menu-button", "conversation-actions"]) byId(name).hidden = !areShown;
}

/** Removes the conversation from the page. */
function clear(): void {
  session = null;
  next = null;
  stopDrawing();
  tellOfServer(null);
  drawElsewhere(null);
  showActions(false);
  drawPanel(null);
}

async function leave(): Promise<void> {
  const leaving = session;
  clear();
  if (leaving) await leaveSession(leaving).catch((error: unknown) => report(error));
}

function drawState(): void {
  if (session === null) return;
  const count = session.conversation.events.length;
  showThread(next !== null && session.thread === begun ? next : session.thread, page());
  drawControlLine(session);
  tellOfServer(session);
  drawElsewhere(session);
  drawPanel(session);
  const place = session.server === null ? "stored on this device" : `on ${nameOf(session.server)}`;
  setTitle(visibleText(session.title), `${count === 1 ? "1 event" : `${count} events`}, ${place}`);
}

const page = () => ({ start, fork, onMissing: offerBranch, eventId: currentRoute()?.eventId ?? null });

/** Continues in a copy of the conversation, which ends at this event. */
function fork(eventId: string): void {
  session?.fork(eventId).then(goTo, (error: unknown) => report(error, { title: "The conversation could not be forked", isHere: true }));
}

/** A link does not change what the conversation goes on from; whoever follows it may. */
function offerBranch(eventId: string): void {
  const shown = session;
  if (shown === null) return;
  const showThere = (): boolean => {
    if (session !== shown || !shown.isIdle) return false;
    shown.thread.navigateTo(eventId).catch((error: unknown) => report(error, { title: "That version cannot be shown", isHere: true }));
    return true;
  };
  shown.conversation.events.getIndex(eventId).then(
    () =>
      offer("The message of this link is in another version of the conversation.", "Show it as it was there", showThere, { isHere: true }),
    (error: unknown) => report(error, { title: "The message of this link is not here", isHere: true, recoveries: [] }),
  );
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
  next ??= nextThread(create);
  showThread(next, page());
}

async function create(): Promise<Thread> {
  const mine = latestOpening;
  const created = await Session.create();
  if (mine !== latestOpening) {
    void leaveSession(created);
  } else {
    begun = created.thread;
    nameCurrent(created.id);
    show(created);
    // A key may have been unlocked in between, and a closed dialog gives back the focus without a caret.
    if (document.activeElement?.matches(".composer-text")) composer.focus();
  }
  return created.thread;
}

/** Stops the agent of a conversation, whether it is shown or runs in the background. */
export function stopRun(conversationId: string): void {
  if (session?.id !== conversationId) stopInBackground(conversationId);
  else if (session.running) session.thread.stop();
}

/** Deletes a conversation, whether it is open or could not be opened; shows it again if deleting fails. */
export async function deleteConversation(conversationId: string): Promise<void> {
  const open_ = session?.id === conversationId ? session : null;
  if (open_) clear();
  try {
    await (open_ ? open_.delete() : deleteStored(conversationId));
  } catch (error) {
    void open(currentRoute());
    throw error;
  }
}

let drawElsewhere = (_session: Session | null): void => undefined;

/** Registers a function that is called after each change of the open conversation; with `null` when there is none. */
export function onSession(listener: typeof drawElsewhere): void {
  drawElsewhere = listener;
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
  const button = (name: string, look: string, onclick: () => unknown): HTMLElement =>
    el("button", { type: "button", class: `button ${look}`, onclick }, name);
  const home = el("a", { href: HOME, class: isGone ? "button primary" : "button" }, "Start a conversation");
  const buttons = isGone
    ? [home]
    : [
        button("Try again", "primary", () => void open(currentRoute())),
        session?.id === conversationId && button("Export a copy", "", () => runRecovery("export")),
        home,
        button("Delete it", "", () => removal(conversationId)),
      ];
  showInstead(
    el(
      "section",
      { class: "start", role: "alert" },
      el("h2", {}, title),
      el("p", { class: "start-text" }, text),
      el("div", { class: "buttons" }, ...buttons),
    ),
  );
}
