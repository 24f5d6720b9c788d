// The settings of profiles: saving the form's model as a profile, deleting one, and choosing the fallback.

import { el } from "../shell/dom.ts";
import { sentence } from "../shell/failures.ts";
import { field, help, textField } from "./fields.ts";
import { type Keys, serverOf, withKey } from "./keys.ts";
import { deleteProfile, saveProfile, profiles } from "./profiles.ts";
import { keyOf, type ModelSettings, settings } from "./settings.ts";

interface Form {
  /** The model in the form; null, and the invalid field is shown, if it is incomplete. */
  model: () => ModelSettings | null;
  baseUrl: () => string;
  /** The profile that is chosen as the connection; empty for none. */
  chosen: () => string;
  /** Called when profiles have changed, with the one to choose, or none. */
  onChange: (chosen: string) => void;
}

/** Saves and deletes profiles, both at once. */
export function profileSettings(form: Omit<Form, "baseUrl">) {
  const name = textField("profile-name", { maxlength: 64, placeholder: "such as fast" });
  const saveButton = el("button", { type: "button", class: "button" }, "Save profile");
  const remove = el("button", { type: "button", class: "button small" });
  const status = el("p", { class: "saved", role: "status" });
  const failed = el("p", { class: "wrong", role: "alert" });

  const attempt = async (act: () => Promise<void>): Promise<boolean> => {
    status.textContent = failed.textContent = "";
    return act().then(
      () => true,
      (error: unknown) => ((failed.textContent = sentence(error instanceof Error ? error.message : String(error))), false),
    );
  };
  const save = async (): Promise<void> => {
    const model = form.model();
    if (model === null) return;
    const saved = name.value.trim();
    if (!(await attempt(() => saveProfile(saved, model)))) return name.focus();
    form.onChange(saved);
    status.textContent = model.background
      ? `Saved as “${saved}”, except for background answers, which a profile does not contain.`
      : `Saved as “${saved}”.`;
  };
  const removeChosen = async (): Promise<void> => {
    const removed = form.chosen();
    if (!(await attempt(() => deleteProfile(removed)))) return;
    form.onChange("");
    status.textContent = `“${removed}” is deleted. Its settings are still in this form.`;
    name.focus();
  };
  saveButton.addEventListener("click", () => void save());
  remove.addEventListener("click", () => void removeChosen());
  // Enter would save the settings instead of the profile.
  name.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    void save();
  });

  const follow = (): void => {
    const chosen = form.chosen();
    remove.hidden = chosen === "";
    remove.textContent = `Delete “${chosen}”`;
  };
  /** Called when another connection was chosen. */
  const restart = (): void => {
    name.value = form.chosen();
    status.textContent = failed.textContent = "";
    follow();
  };
  const row = el("div", { class: "name-row" }, name, saveButton);
  const explained = help("profile-help", "A profile can be chosen as a connection or as a fallback. It does not contain the key.");
  name.setAttribute("aria-describedby", explained.id);
  const element = el(
    "div",
    { class: "field" },
    el("label", { for: name.id }, "Save this model as a profile"),
    row,
    status,
    failed,
    explained,
    remove,
  );
  return { element, follow, restart };
}

/** The field for the fallback model. */
export function fallbackSettings(form: Pick<Form, "baseUrl" | "chosen">) {
  const choice = el("select", { id: "fallback" });
  const choiceHelp = help("fallback-help");
  const key = textField("fallback-key", { type: "password" });
  const keyName = el("span");
  const keyField = field(keyName, key, help("fallback-key-help", "Sent only to that server. Stored like the other key."));
  let server = "";
  let wanted = settings().fallback;

  /** The fallback's base URL, if its server, and so its key, differs. */
  const fallbackUrl = (): string => {
    const baseUrl = profiles().get(choice.value)?.baseUrl ?? "";
    return baseUrl === "" || serverOf(baseUrl) === serverOf(form.baseUrl()) ? "" : baseUrl;
  };
  const draw = (): void => {
    const names = [...profiles().keys()].filter((name) => name !== form.chosen());
    choice.replaceChildren(el("option", { value: "" }, "No other model"), ...names.map((name) => el("option", { value: name }, name)));
    choice.value = names.includes(wanted) ? wanted : "";
    choice.disabled = names.length === 0;
    choiceHelp.textContent =
      names.length === 0
        ? "Save another model as a profile first; then you can choose it as the fallback for this one."
        : "When this model cannot be reached, is overloaded or takes too long, before anything of an answer is shown.";
    follow();
  };
  const follow = (): void => {
    const baseUrl = fallbackUrl();
    keyField.hidden = baseUrl === "";
    const next = serverOf(baseUrl);
    if (next === server) return;
    server = next;
    key.value = next === "" ? "" : keyOf(next);
    keyName.textContent = next === "" ? "" : `Key for ${new URL(next).host}`;
  };
  choice.addEventListener("input", () => (wanted = choice.value));

  return {
    elements: [field("If it fails, ask", choice, choiceHelp), keyField],
    draw,
    follow,
    glance: (): string[] => (choice.value === "" ? [] : [`fallback: ${choice.value}`]),
    read: () => ({ fallback: choice.value, fallbackServer: key.value.trim() === "" ? "" : serverOf(fallbackUrl()) }),
    withKeyIn: (keys: Keys): Keys => (fallbackUrl() === "" ? keys : withKey(keys, fallbackUrl(), key.value.trim())),
  };
}
