// The library's inspector as a view of the panel. It is loaded when it is first shown, and records from then on, also
// while another view is shown.

import type { Inspector } from "threadkeep/devtools";
import { el } from "../shell/dom.ts";
import type { Session } from "../thread/session.ts";
import type { Part } from "./panel.ts";

let recording: Inspector | undefined;

export function inspectorView(session: Session): Part {
  const element = el("div", { class: "inspector" }, el("p", { class: "quiet" }, "Loading…"));
  let isShown = true;
  void import("threadkeep/devtools").then(
    ({ inspect, ThreadkeepInspector }) => {
      if (!isShown) return;
      recording ??= inspect();
      const view = new ThreadkeepInspector();
      view.inspector = recording;
      view.conversation = session.conversation;
      element.replaceChildren(view);
    },
    () => element.replaceChildren(el("p", {}, "The inspector could not be loaded: check the network, and open it again.")),
  );
  return { element, draw: () => undefined, close: () => void (isShown = false) };
}
