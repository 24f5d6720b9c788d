// The settings dialog: the model with its key, which is saved at once, and a form for what is this page's own.

import { h, render } from "preact";
import { ModelView } from "threadkeep/preact";
import { byId, el } from "../shell/dom.ts";
import { sentence } from "../shell/failures.ts";
import { notify } from "../shell/notices.ts";
import { currentSession } from "../shell/stage.ts";
import { agentServerSettings } from "./agent-server-fields.ts";
import { controlSettings } from "./control-fields.ts";
import { serverSettings } from "./server-fields.ts";
import { changeSettings, models, providers } from "./settings.ts";
import { storageView } from "./storage-view.ts";
import { themeField } from "./theme-field.ts";

export function startSettings(): void {
  byId("settings-button").addEventListener("click", openSettings);
}

/** Opens the settings at what takes up room. */
export function openStorage(): void {
  openSettings();
  const storage = document.querySelector<HTMLElement>(".settings .storage");
  storage?.scrollIntoView({ block: "start" });
  storage?.focus();
}

export function openSettings(): void {
  if (document.querySelector("dialog[open]")) return;
  const model = el("div", { class: "threadkeep" });
  render(h(ModelView, { store: models, providers, labels: { save: "Use this model" } }), model);
  const control = controlSettings();
  const servers = serverSettings(currentSession());
  const agentServer = agentServerSettings();
  const storage = storageView(() => dialog.close());
  const form = el(
    "form",
    { id: "settings-form", method: "dialog", oninput: agentServer.follow },
    control.element,
    servers.element,
    agentServer.element,
    el("fieldset", {}, el("legend", {}, "Appearance"), themeField()),
    el("fieldset", {}, el("legend", {}, "Storage"), storage.element),
  );
  const save = async (): Promise<void> => {
    const next = { ...control.read(), ...servers.read(), ...agentServer.read() };
    try {
      await agentServer.keepKey();
      await servers.keepTokens();
    } catch (error) {
      return notify(sentence((error as Error).message));
    }
    const isStored = changeSettings(next);
    notify(isStored ? "Settings saved." : "Settings are in effect, but this browser does not store them: they are gone after a reload.");
  };
  const dialog = el(
    "dialog",
    { class: "dialog settings", "aria-labelledby": "settings-heading" },
    el(
      "div",
      { class: "dialog-parts" },
      el("h2", { id: "settings-heading" }, "Settings"),
      el("div", { class: "dialog-scroll" }, el("fieldset", {}, el("legend", {}, "Model"), model), form),
      el(
        "div",
        { class: "buttons" },
        el("button", { value: "save", form: form.id, class: "button primary" }, "Save"),
        el("button", { value: "", form: form.id, class: "button", formnovalidate: true }, "Cancel"),
      ),
    ),
  );
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "save") void save();
    for (const part of [servers, agentServer, storage]) part.stop();
    render(null, model);
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  // The browser would choose the part that scrolls.
  model.querySelector("select")?.focus();
}
