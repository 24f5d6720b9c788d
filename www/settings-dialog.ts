// The settings: which model, where, with which key, and what the browser does with the storage.

import { byId, el } from "./dom.ts";
import { isUnderPasskey, lockKey, lockKeyWithPasskey } from "./locked-key.ts";
import { notify } from "./notices.ts";
import { passkeysCanLock } from "./passkey.ts";
import { controlSettings } from "./settings-control.ts";
import { changeSettings, CONNECTIONS, key, keyIsLocked, lockedKey, SCRIPTED, settings } from "./settings.ts";
import { storageView } from "./storage-view.ts";

export function startSettings(): void {
  byId("settings-button").addEventListener("click", openSettings);
}

export function openSettings(): void {
  if (document.querySelector("dialog[open]")) return;
  const form = settingsForm();
  const dialog = el("dialog", { class: "dialog settings", "aria-labelledby": "settings-heading" }, form.element);
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "save") void form.save();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}

function settingsForm(): { element: HTMLElement; save: () => Promise<void> } {
  const now = settings();
  const known = CONNECTIONS.find(({ baseUrl }) => baseUrl === now.baseUrl);

  const connection = el(
    "select",
    { id: "connection" },
    ...CONNECTIONS.map(({ id, label }) => el("option", { value: id }, label)),
    el("option", { value: "other" }, "Another OpenAI-compatible server"),
  );
  connection.value = known?.id ?? "other";
  const baseUrl = el("input", { id: "base-url", type: "text", inputmode: "url", required: true, spellcheck: "false", autocomplete: "off", value: now.baseUrl });
  const model = el("input", { id: "model", type: "text", required: true, spellcheck: "false", autocomplete: "off", value: now.model });
  const apiKey = el("input", { id: "api-key", type: "password", autocomplete: "off", spellcheck: "false", value: key(), "aria-describedby": "key-help" });
  const rememberKey = el("input", { id: "remember-key", type: "checkbox", "aria-describedby": "remember-help" });
  rememberKey.checked = now.rememberKey;
  const inputPrice = priceField("input-price", now.inputPrice);
  const outputPrice = priceField("output-price", now.outputPrice);
  const control = controlSettings();
  const encryption = el("select", { id: "encryption", "aria-describedby": "remember-help" }, el("option", { value: "none" }, "Unencrypted"), el("option", { value: "passphrase" }, "Encrypted under a passphrase"));
  const offerPasskey = (): void => void encryption.append(el("option", { value: "passkey" }, "Encrypted with a passkey"));
  const lockedNow = lockedKey() === "" ? "none" : isUnderPasskey(lockedKey()) ? "passkey" : "passphrase";
  if (lockedNow === "passkey") offerPasskey();
  else void passkeysCanLock().then((can) => can && offerPasskey());
  encryption.value = lockedNow;
  const passphrase = el("input", { id: "passphrase", type: "password", autocomplete: "new-password", minlength: 8, "aria-describedby": "remember-help" });
  const passphraseField = field("Passphrase", passphrase);
  const encryptionField = field("Kept", encryption);
  const rememberHelp = el("p", { class: "quiet", id: "remember-help" });
  const keepsLocked = (): boolean => encryption.value === lockedNow && apiKey.value.trim() === key() && passphrase.value === "";
  const keyHelp = el("p", { class: "quiet", id: "key-help" });
  const explainKey = (): void => {
    const whereabouts = rememberKey.checked ? "Stored in this browser until you clear it here." : "Kept in memory: gone when the page closes.";
    keyHelp.textContent = `Sent to the base URL and nowhere else. ${keyIsLocked() ? "It is locked now; what you enter here takes its place. " : ""}${whereabouts}`;
    encryptionField.hidden = !rememberKey.checked;
    passphraseField.hidden = encryptionField.hidden || encryption.value !== "passphrase" || details.hidden;
    // A field that is not to be seen must not keep the form from closing.
    if (passphraseField.hidden) passphrase.value = "";
    // The key that is locked already needs no passphrase again.
    passphrase.required = !passphraseField.hidden && !keepsLocked();
    rememberHelp.textContent = protection[encryption.value as keyof typeof protection];
  };
  for (const control of [rememberKey, encryption, apiKey]) control.addEventListener("input", explainKey);

  const details = el(
    "div",
    { class: "fields" },
    field("Base URL", baseUrl),
    field("Model", model, el("p", { class: "quiet", id: "model-help" }, "With the name of its API in front, such as openai/gpt-4o")),
    el("div", { class: "pair" }, field("Dollars per million tokens read", inputPrice), field("and written", outputPrice)),
    field("Key", apiKey, keyHelp),
    el(
      "div",
      { class: "check" },
      rememberKey,
      el("label", { for: "remember-key" }, "Keep the key on this device"),
      rememberHelp,
    ),
    encryptionField,
    passphraseField,
  );
  const scriptedHelp = el(
    "p",
    { class: "quiet" },
    "This page's own server plays the model: fixed rules, no AI. It is there to try the page without a key. Connect a real model to get real answers.",
  );

  const follow = (chosen: boolean): void => {
    const preset = CONNECTIONS.find(({ id }) => id === connection.value);
    details.hidden = preset?.id === "scripted";
    scriptedHelp.hidden = !details.hidden;
    explainKey();
    if (!chosen) return;
    baseUrl.value = preset?.baseUrl ?? "https://";
    model.value = preset?.model ?? "openai/";
    inputPrice.value = outputPrice.value = "";
  };
  connection.addEventListener("change", () => follow(true));
  follow(false);

  const check = (): void => baseUrl.setCustomValidity(isUsableUrl(baseUrl.value) ? "" : "An address that begins with https:// or http://, such as https://api.openai.com/v1");
  baseUrl.addEventListener("input", check);
  connection.addEventListener("change", check);

  const save = async (): Promise<void> => {
    const scripted = connection.value === "scripted";
    const own = { model: model.value.trim(), baseUrl: baseUrl.value.trim(), rememberKey: rememberKey.checked, inputPrice: price(inputPrice), outputPrice: price(outputPrice) };
    const next = { ...SCRIPTED, ...(scripted ? {} : own), ...control.read() };
    const nextKey = scripted ? "" : apiKey.value.trim();
    const under = next.rememberKey && nextKey !== "" ? encryption.value : "none";
    const isKept = next.rememberKey && lockedNow !== "none" && keepsLocked();
    const locked = isKept ? lockedKey() : under === "passphrase" ? await lockKey(nextKey, passphrase.value) : under === "passkey" ? await lockKeyWithPasskey(nextKey) : "";
    if (locked === null) {
      // In the clear it was not to be kept.
      changeSettings({ ...next, rememberKey: false }, nextKey);
      return notify("No passkey was made, so the key is in memory only: it is gone when the page closes.");
    }
    const stored = changeSettings(next, nextKey, locked);
    notify(stored ? "Settings saved." : "Settings are in effect, but this browser does not store them: they are gone after a reload.");
  };

  const element = el(
    "form",
    { method: "dialog" },
    el("h2", { id: "settings-heading" }, "Settings"),
    el(
      "div",
      { class: "dialog-scroll" },
      el("fieldset", {}, el("legend", {}, "Model"), field("Connection", connection), scriptedHelp, details),
      control.element,
      el("fieldset", {}, el("legend", {}, "Storage"), storageView()),
    ),
    el(
      "div",
      { class: "buttons" },
      el("button", { value: "save", class: "button primary" }, "Save"),
      el("button", { value: "", class: "button", formnovalidate: true }, "Cancel"),
    ),
  );
  return { element, save };
}

/** What it helps against to keep the key so, and what not. */
const protection = {
  none: "In this browser's local storage, unencrypted. Not on a shared computer.",
  passphrase:
    "In this browser's local storage, encrypted. That helps against a copy of the browser's profile. It does not help against a script or an extension that reads this page while the key is unlocked, nor against a passphrase that can be guessed.",
  passkey:
    "In this browser's local storage, encrypted with a secret that your device gives after you agreed. That helps against a copy of the browser's profile. It does not help against a script or an extension that reads this page while the key is unlocked. Without the passkey the key has to be entered again.",
};

function field(name: string, control: HTMLElement, help?: HTMLElement): HTMLElement {
  if (help && !control.hasAttribute("aria-describedby")) control.setAttribute("aria-describedby", help.id);
  return el("div", { class: "field" }, el("label", { for: control.id }, name), control, help);
}

const priceField = (id: string, value: number): HTMLInputElement =>
  el("input", { id, type: "number", inputmode: "decimal", min: 0, step: "any", placeholder: "unknown", value: value || "" });

/** Not known is nothing. */
const price = (field: HTMLInputElement): number => field.valueAsNumber || 0;

function isUsableUrl(text: string): boolean {
  if (text.startsWith("/") && !text.startsWith("//")) return true;
  try {
    return /^https?:$/.test(new URL(text).protocol);
  } catch {
    return false;
  }
}
