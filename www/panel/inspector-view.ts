// The requests, events and states behind the conversation: the library's inspector. It records from the page's first idle
// moment on, so that what was asked before somebody looked is there.

import type { Conversation } from "threadkeep";
import type { Inspector } from "threadkeep/devtools";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Session } from "../thread/session.ts";
import type { Part } from "./panel.ts";

const load = () => import("threadkeep/devtools");
let recording: Promise<Inspector> | undefined;
let watched: Conversation | null = null;
let stopWatching = (): void => undefined;
/** While the inspector is shown, it records the events itself. */
let isShown = false;

/** Without a network at first, the next call tries again. */
function recorded(): Promise<Inspector> {
  recording ??= load().then(({ inspect }) => inspect());
  recording.catch(() => (recording = undefined));
  return recording;
}

export function startRecording(): void {
  const start = (): void => void recorded().catch(() => undefined);
  if ("requestIdleCallback" in window) requestIdleCallback(start, { timeout: 2000 });
  else setTimeout(start, 500);
}

/** Records the events of the open conversation, too. */
export function record(open: Conversation | null): void {
  const conversation = isShown ? null : open;
  if (conversation === watched) return;
  watched = conversation;
  stopWatching();
  stopWatching = () => undefined;
  if (conversation === null) return;
  recorded().then(
    (inspector) => void (watched === conversation && (stopWatching = inspector.watch(conversation))),
    () => undefined,
  );
}

export function inspectorView(session: Session): Part {
  const element = el("div", { class: "inspector" }, el("p", { class: "quiet" }, "Loading…"));
  let isClosed = false;
  const draw = (): void => {
    const view = element.querySelector("threadkeep-inspector");
    if (view !== null && view.conversation !== session.conversation) view.conversation = session.conversation;
  };
  Promise.all([load(), recorded()]).then(
    ([{ ThreadkeepInspector }, inspector]) => {
      const view = new ThreadkeepInspector();
      view.inspector = inspector;
      if (isClosed) return;
      isShown = true;
      record(null);
      element.replaceChildren(
        el("p", { class: "quiet" }, "Recorded since the page was loaded, without keys. The record is stored nowhere."),
        view,
      );
      draw();
    },
    (error: unknown) => element.replaceChildren(el("p", { class: "quiet", role: "alert" }, explain(error).text)),
  );
  const close = (): void => {
    isClosed = true;
    isShown = false;
    record(session.conversation);
  };
  return { element, draw, close };
}
