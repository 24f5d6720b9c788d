// What the page shows: the conversation in the address, a new one, or the reason why it cannot be opened.

import type { Thread } from "threadkeep/thread";
import { deleteStored } from "../agent/agent.ts";
import { composer } from "../layout/chat.tsx";
import { forgetElsewhere, offer, report } from "../layout/notices.tsx";
import { currentRoute, hrefOf, type Route } from "../layout/router.ts";
import { Value } from "../layout/value.ts";
import { onSettingsChange } from "../settings/settings.ts";
import { nextThread } from "./next-thread.ts";
import { isRunningInBackground, leaveSession, openSession, stopInBackground } from "./open-sessions.ts";
import { Session } from "./session.ts";

export interface Stage {
  route: Route;
  /** `null` before the first message, and while it is opened. */
  session: Session | null;
  /** The thread that the chat shows. */
  thread: Thread | null;
  failure: { error: unknown } | null;
}

const nothing: Stage = { route: currentRoute(), session: null, thread: null, failure: null };

/** Is set anew after each change of the open conversation. */
export const stage = new Value<Stage>(nothing);

/** The conversation that began here with its first message: the chat goes on with the thread that it had before. */
let begun: { thread: Thread; shown: Thread } | null = null;
let stopFollowing = (): void => undefined;
/** Opening takes time; only the latest request counts. */
let latest = 0;

export const currentSession = (): Session | null => stage.get().session;
export const isAnyRunning = (): boolean => currentSession()?.running === true || isRunningInBackground();

export function startStage(): void {
  onSettingsChange(() => void currentSession()?.applySettings());
  addEventListener("hashchange", () => void open(true));
  void open();
}

/** `moved`: the user followed a link of this page, so the focus follows too. */
export async function open(moved = false): Promise<void> {
  const route = currentRoute();
  const { session } = stage.get();
  if (moved && session !== null && session.id === route?.conversationId) return stage.set({ ...stage.get(), route });
  const mine = (latest += 1);
  if (moved) forgetElsewhere();
  clear(route);
  if (session) await leaveSession(session).catch((error: unknown) => report(error));
  if (mine !== latest) return;
  if (route === null) {
    showNew();
  } else {
    try {
      const opened = await openSession(route.conversationId);
      if (mine !== latest) return await leaveSession(opened);
      show(opened);
    } catch (error) {
      if (mine === latest) stage.set({ ...nothing, route, failure: { error } });
      return;
    }
  }
  if (moved) setTimeout(moveFocus);
}

/** To the message field; on a phone to the heading, because a focused field would open the keyboard. */
function moveFocus(): void {
  if (matchMedia("(pointer: coarse)").matches) document.getElementById("title")!.focus();
  else composer.focus();
}

function show(session: Session): void {
  const draw = (): void => {
    const thread = session.thread === begun?.thread ? begun.shown : session.thread;
    stage.set({ route: currentRoute(), session, thread, failure: null });
  };
  stopFollowing();
  stopFollowing = session.onChange(draw);
  draw();
}

function clear(route: Route): void {
  stopFollowing();
  stage.set({ ...nothing, route });
}

function showNew(): void {
  const mine = latest;
  const shown = nextThread(async () => {
    const session = await Session.create();
    if (mine !== latest) {
      void leaveSession(session);
      return session.thread;
    }
    begun = { thread: session.thread, shown };
    history.replaceState(null, "", hrefOf(session.id));
    show(session);
    // A key may have been unlocked in between, and a closed dialog gives back the focus without a caret.
    if (document.activeElement?.matches(".composer-text")) composer.focus();
    return session.thread;
  });
  stage.set({ ...nothing, route: null, thread: shown });
}

/** A link does not change what the conversation goes on from; whoever follows it may. */
export function offerBranch(eventId: string): void {
  const session = currentSession();
  const act = (): boolean => {
    if (session === null || session !== currentSession() || !session.isIdle) return false;
    session.thread.navigateTo(eventId).catch((error: unknown) => report(error, { title: "That version cannot be shown", isHere: true }));
    return true;
  };
  offer("The message of this link is in another version of the conversation.", { name: "Show it as it was there", act }, { isHere: true });
}

/** Stops the agent of a conversation, whether it is shown or runs in the background. */
export function stopRun(conversationId: string): void {
  const session = currentSession();
  if (session?.id !== conversationId) stopInBackground(conversationId);
  else if (session.running) session.thread.stop();
}

/** Deletes a conversation, whether it is open or could not be opened; shows it again if deleting fails. */
export async function deleteConversation(conversationId: string): Promise<void> {
  const session = currentSession();
  const isOpen = session?.id === conversationId;
  if (isOpen) clear(currentRoute());
  try {
    await (isOpen ? session.delete() : deleteStored(conversationId));
  } catch (error) {
    void open();
    throw error;
  }
}
