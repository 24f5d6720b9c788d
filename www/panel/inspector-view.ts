// The requests, events and states behind the conversation: the library's inspector. It is loaded when it is first shown,
// and records from then on, also while another view is shown.

import type { Inspector } from "threadkeep/devtools";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Session } from "../thread/session.ts";
import type { Part } from "./panel.ts";

let recording: Inspector | undefined;

export function inspectorView(session: Session): Part {
  const element = el("div", { class: "inspector" }, el("p", { class: "quiet" }, "Loading…"));
  const draw = (): void => {
    const view = element.querySelector("threadkeep-inspector");
    if (view !== null && view.conversation !== session.conversation) view.conversation = session.conversation;
  };
  import("threadkeep/devtools").then(
    ({ inspect, ThreadkeepInspector }) => {
      recording ??= inspect();
      const view = new ThreadkeepInspector();
      view.inspector = recording;
      element.replaceChildren(el("p", { class: "quiet" }, "Recorded since the page was loaded, without keys. The record is stored nowhere."), view);
      draw();
    },
    (error: unknown) => element.replaceChildren(el("p", { class: "quiet", role: "alert" }, explain(error).text)),
  );
  return { element, draw };
}
