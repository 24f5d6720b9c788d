// The requests, events and states behind the conversation: the library's inspector, whose code is loaded when it is opened.

import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Session } from "../thread/session.ts";
import type { Part } from "./panel.ts";

export function inspectorView(session: Session): Part {
  const element = el("div", { class: "inspector" }, el("p", { class: "quiet" }, "Loading…"));
  const draw = (): void => {
    const inspector = element.querySelector("threadkeep-inspector");
    if (inspector !== null && inspector.conversation !== session.conversation) inspector.conversation = session.conversation;
  };
  import("threadkeep/devtools").then(
    () => {
      element.replaceChildren(el("p", { class: "quiet" }, "What happens while this is open is recorded here, without keys. It is stored nowhere."), el("threadkeep-inspector"));
      draw();
    },
    (error: unknown) => element.replaceChildren(el("p", { class: "quiet", role: "alert" }, explain(error).text)),
  );
  return { element, draw };
}
