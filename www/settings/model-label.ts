// The line under the message field that names the model. The scripted model is always labelled as such.

import { visibleText } from "threadkeep/thread";
import { byId, el } from "../shell/dom.ts";
import type { Session } from "../thread/session.ts";
import { nameOf } from "./agent-server.ts";
import { isScripted, keyIsLocked, models, modelUrl, onSettingsChange } from "./settings.ts";
import { askUnlock } from "./unlock.ts";
import { openSettings } from "./dialog.ts";

export function startModelLabel(): void {
  onSettingsChange(draw);
  draw();
}

/** The model of the conversation on a server that is shown; empty for others, which ask the model of the settings. */
let onServer = "";
let server = "";

/** Called after each change of the open conversation; `null` if there is none. */
export function drawModelLabel(session: Session | null): void {
  const model = session?.server ? session.conversation.state.agent?.llm?.model : undefined;
  const next = model ?? "";
  const host = session?.server ?? "";
  if (next === onServer && host === server) return;
  [onServer, server] = [next, host];
  draw();
}

function draw(): void {
  const change = (name: string, onclick: () => void = openSettings): HTMLElement =>
    el("button", { type: "button", class: "link", onclick }, name);
  const label = byId("model-label");
  if (server !== "") {
    const isStandIn = onServer.endsWith("/scripted-model");
    // It has the model with which the conversation began there.
    label.replaceChildren(
      isStandIn ? el("span", { class: "badge" }, "Scripted stand-in, not an AI") : visibleText(onServer.replace(/^[^/]+\//, "")),
      `, asked by ${nameOf(server)}`,
    );
  } else if (isScripted()) {
    label.replaceChildren(el("span", { class: "badge" }, "Scripted stand-in, not an AI"), " ", change("Connect a model"));
  } else if (keyIsLocked()) {
    label.replaceChildren(
      el("span", { class: "badge" }, "The key is locked"),
      " ",
      change("Unlock it", () => void askUnlock()),
    );
  } else {
    label.replaceChildren(`${models.settings!.model.replace(/^[^/]+\//, "")} at ${modelUrl().host} `, change("Change"));
  }
}
