// The settings dialog: model, server, key, and the browser's storage.

import { LLM } from "threadkeep";
import { byId, el } from "../shell/dom.ts";
import { agentServerSettings } from "./agent-server-fields.ts";
import { field, textField } from "./fields.ts";
import { type Keys, serverOf, withKey } from "./keys.ts";
import { notify } from "../shell/notices.ts";
import { profileOf, profiles, readProfiles } from "./profiles.ts";
import { controlSettings } from "./control-fields.ts";
import { keySettings } from "./key-fields.ts";
import { modelFields } from "./model-fields.ts";
import { moreSettings } from "./more-fields.ts";
import { fallbackSettings, profileSettings } from "./profile-fields.ts";
import { serverSettings } from "./server-fields.ts";
import {
  allKeys,
  changeSettings,
  CONNECTIONS,
  keyIsLockedFor,
  keyOf,
  type ModelSettings,
  SCRIPTED,
  type Settings,
  settings,
  DEFAULTS,
} from "./settings.ts";
import { currentSession } from "../shell/stage.ts";
import { storageView } from "./storage-view.ts";
import { themeField } from "./theme-field.ts";
import { askUnlock } from "./unlock.ts";

export function startSettings(): void {
  byId("settings-button").addEventListener("click", openSettings);
  void readProfiles().catch(() => undefined);
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
  const form = settingsForm(() => dialog.close());
  const dialog = el("dialog", { class: "dialog settings", "aria-labelledby": "settings-heading" }, form.element);
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "save") void form.save();
    form.stop();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
  // Another tab may have saved a profile. Without profiles there is still a model to choose.
  void readProfiles().then(form.drawProfiles, () => undefined);
}

/** `leave` closes the dialog without saving. */
function settingsForm(leave: () => void): { element: HTMLElement; save: () => Promise<void>; drawProfiles: () => void; stop: () => void } {
  const now = settings();
  const own = el("optgroup", { label: "Your profiles" });
  const connection = el(
    "select",
    { id: "connection" },
    ...CONNECTIONS.map(({ id, label }) => el("option", { value: id }, label)),
    el("option", { value: "other" }, "Another server"),
    own,
  );
  const baseUrl = textField("base-url", { inputmode: "url", required: true, placeholder: "https://" });
  const urlProblem = el("p", { id: "base-url-problem", class: "outcome", "data-state": "bad", role: "alert" });
  const isScripted = (): boolean => connection.value === "scripted";
  const chosen = (): string => (connection.value.startsWith(PROFILE) ? connection.value.slice(PROFILE.length) : "");
  const described = (): ModelSettings => ({ model: model.value.trim(), baseUrl: baseUrl.value.trim(), ...more.read() });

  const more = moreSettings();
  const named = modelFields(async (needs) => {
    if (!baseUrl.reportValidity() || (needs.model && !model.reportValidity())) return null;
    if (key.apiKey.value === "" && keyIsLockedFor(serverOf(baseUrl.value))) {
      if (!(await askUnlock("The connection is tried with it."))) return null;
      key.apiKey.value = keyOf(baseUrl.value);
    }
    return { model: described(), apiKey: key.apiKey.value.trim() };
  });
  const { model } = named;
  const fallback = fallbackSettings({ baseUrl: () => baseUrl.value, chosen });
  const profile = profileSettings({
    model: () => (baseUrl.reportValidity() && model.reportValidity() ? described() : null),
    chosen,
    onChange: (name) => {
      drawProfiles();
      if (name !== "") connection.value = PROFILE + name;
      fallback.draw();
      follow();
    },
  });
  const key = keySettings({
    takesKey: () => !isScripted() || agentServer.isSetUp(),
    baseUrl: () => baseUrl.value,
    keys: () => agentServer.withKeyIn(servers.withTokens(modelKeys())),
  });
  const modelKeys = (): Keys => (isScripted() ? allKeys() : fallback.withKeyIn(withKey(allKeys(), baseUrl.value, key.apiKey.value.trim())));
  const control = controlSettings();
  const agentServer = agentServerSettings();
  const servers = serverSettings(currentSession());
  const storage = storageView(leave);

  const glance = el("span", { class: "quiet" });
  const unfolded = el(
    "details",
    { class: "more" },
    el("summary", {}, el("span", {}, "More about this model ", glance)),
    el("div", { class: "fields" }, ...more.elements, ...fallback.elements, profile.element),
  );
  // An invalid field cannot be shown while it is folded away.
  unfolded.addEventListener("invalid", () => (unfolded.open = true), true);
  // The stand-in has no key, but an agent server may have one.
  const details = [
    el("div", { class: "fields" }, field("Base URL", baseUrl, urlProblem), ...named.elements, key.element),
    el("div", { class: "fields" }, named.test, unfolded),
  ];
  const keeping = el("div", { class: "fields" }, ...key.keeping);
  const scriptedHelp = el(
    "p",
    { class: "quiet" },
    "This page's own server plays the model: fixed rules, no AI. It is there to try the page without a key. Connect a real model to get real answers.",
  );

  /** Shows and hides fields, depending on what is chosen and entered. */
  const follow = (): void => {
    for (const part of details) part.hidden = isScripted();
    keeping.hidden = isScripted() && !agentServer.isSetUp();
    scriptedHelp.hidden = !isScripted();
    baseUrl.setCustomValidity(
      isUsableUrl(baseUrl.value)
        ? ""
        : "The address has to begin with https:// or http:// and to name a server, such as https://api.openai.com/v1.",
    );
    // Nobody is told so while typing.
    if (baseUrl.validity.valid) urlProblem.textContent = "";
    for (const part of [more, fallback, profile, agentServer, key]) part.follow();
    glance.textContent = [...more.glance(), ...fallback.glance()].join(" · ");
  };
  let server = "";
  const fill = (next: ModelSettings): void => {
    [baseUrl.value, model.value] = [next.baseUrl, next.model];
    more.fill(next);
    key.apiKey.value = keyOf(next.baseUrl);
    server = serverOf(next.baseUrl);
    fallback.draw();
    profile.restart();
    named.restart();
    follow();
  };
  const drawProfiles = (): void => {
    const before = connection.value;
    own.replaceChildren(...[...profiles().keys()].map((name) => el("option", { value: PROFILE + name }, name)));
    own.hidden = profiles().size === 0;
    // The chosen profile may have been deleted.
    connection.value = before;
    if (connection.selectedIndex < 0) connection.value = presetOf(baseUrl.value);
    fallback.draw();
    follow();
  };
  connection.addEventListener("change", () => {
    const preset = CONNECTIONS.find(({ id }) => id === connection.value);
    fill(profiles().get(chosen()) ?? { ...DEFAULTS, baseUrl: preset?.baseUrl ?? "", model: preset?.model ?? "openai/" });
  });
  for (const input of [baseUrl, key.apiKey]) input.addEventListener("input", named.restart);
  // Another server has another key, unless one was just entered.
  baseUrl.addEventListener("change", () => {
    if (key.apiKey.value === keyOf(server)) key.apiKey.value = keyOf(baseUrl.value.trim());
    server = serverOf(baseUrl.value.trim());
    follow();
    urlProblem.textContent = baseUrl.validationMessage;
  });

  const save = async (): Promise<void> => {
    const chosenModel = isScripted() ? {} : { ...described(), ...fallback.read() };
    const rememberKey = key.isRemembered();
    const next: Settings = { ...SCRIPTED, ...chosenModel, rememberKey, ...control.read(), ...servers.read(), ...agentServer.read() };
    const keys = key.keys();
    const locked = await key.lock();
    if (locked === null) {
      // The key was not to be stored unencrypted.
      changeSettings({ ...next, rememberKey: false }, keys);
      return notify("No passkey was made, so the key is in memory only: it is gone when the page closes.");
    }
    const stored = changeSettings(next, keys, locked);
    notify(stored ? "Settings saved." : "Settings are in effect, but this browser does not store them: they are gone after a reload.");
  };

  const element = el(
    "form",
    { method: "dialog", oninput: follow },
    el("h2", { id: "settings-heading" }, "Settings"),
    el(
      "div",
      { class: "dialog-scroll" },
      el("fieldset", {}, el("legend", {}, "Model"), field("Connection", connection), scriptedHelp, details[0], keeping, details[1]),
      control.element,
      servers.element,
      agentServer.element,
      el("fieldset", {}, el("legend", {}, "Appearance"), themeField()),
      el("fieldset", {}, el("legend", {}, "Storage"), storage.element),
    ),
    el(
      "div",
      { class: "buttons" },
      el("button", { value: "save", class: "button primary" }, "Save"),
      el("button", { value: "", class: "button", formnovalidate: true }, "Cancel"),
    ),
  );
  drawProfiles();
  connection.value = profileOf(now) === "" ? presetOf(now.baseUrl) : PROFILE + profileOf(now);
  fill(now);
  const stop = (): void => {
    named.stop();
    servers.stop();
    agentServer.stop();
    storage.stop();
  };
  return { element, save, drawProfiles, stop };
}

/** The prefix of profiles among the options; other connections have ids without it. */
const PROFILE = "profile:";

const presetOf = (baseUrl: string): string => CONNECTIONS.find((each) => each.baseUrl === baseUrl)?.id ?? "other";

function isUsableUrl(text: string): boolean {
  try {
    return new LLM({ model: "openai/any", baseUrl: text }) instanceof LLM;
  } catch {
    return false;
  }
}
