// The settings of keys: the key of the chosen server, and whether and how keys are stored on this device.

import { el } from "../shell/dom.ts";
import { check, checkbox, field, help, options, textField } from "./fields.ts";
import { areSame, isEmpty, type Keys, serverOf, textOf } from "./keys.ts";
import { isUnderPasskey, lockKey, lockKeyWithPasskey } from "./locked-key.ts";
import { passkeysCanLock } from "./passkey.ts";
import { allKeys, keyIsLocked, lockedKey, settings } from "./settings.ts";

interface Form {
  /** Whether the chosen connection needs a key. */
  takesKey: () => boolean;
  baseUrl: () => string;
  /** All keys that the form would save. */
  keys: () => Keys;
}

export function keySettings(form: Form) {
  const apiKey = textField("api-key", { type: "password" });
  const remember = checkbox("remember-key");
  remember.checked = settings().rememberKey;
  const encryption = el(
    "select",
    { id: "encryption", "aria-describedby": "remember-help" },
    ...options({ none: "Unencrypted", passphrase: "Encrypted under a passphrase" }),
  );
  const offerPasskey = (): void => void encryption.append(el("option", { value: "passkey" }, "Encrypted with a passkey"));
  const lockedNow = lockedKey() === "" ? "none" : isUnderPasskey(lockedKey()) ? "passkey" : "passphrase";
  if (lockedNow === "passkey") offerPasskey();
  else void passkeysCanLock().then((can) => can && offerPasskey());
  encryption.value = lockedNow;
  const passphrase = el("input", {
    id: "passphrase",
    type: "password",
    autocomplete: "new-password",
    minlength: 8,
    "aria-describedby": "remember-help",
  });
  const passphraseField = field("Passphrase", passphrase);
  const encryptionField = field("Kept", encryption);
  const rememberHelp = help("remember-help");
  const keyHelp = help("key-help");
  /** Keys that are already encrypted need no passphrase again. */
  const staysLocked = (): boolean =>
    lockedNow !== "none" && encryption.value === lockedNow && passphrase.value === "" && areSame(form.keys(), allKeys());

  const follow = (): void => {
    const others = Object.keys(form.keys()).filter((server) => server !== serverOf(form.baseUrl()));
    const like =
      others.length === 0
        ? ""
        : `, like ${others.length === 1 ? "that" : "those"} for ${others.map((server) => new URL(server).host).join(", ")}`;
    const whereabouts = remember.checked
      ? `Stored in this browser until you clear it here${like}.`
      : "Kept in memory: gone when the page closes.";
    keyHelp.textContent = `Sent to the base URL and nowhere else. ${keyIsLocked() ? "It is locked now; what you enter here takes its place. " : ""}${whereabouts}`;
    encryptionField.hidden = !remember.checked;
    passphraseField.hidden = encryptionField.hidden || encryption.value !== "passphrase" || !form.takesKey();
    // A hidden field must not make the form invalid.
    if (passphraseField.hidden) passphrase.value = "";
    passphrase.required = !passphraseField.hidden && !staysLocked();
    rememberHelp.textContent = protection[encryption.value as keyof typeof protection];
  };

  /** The encrypted keys to store; empty if they are not stored encrypted, null if no passkey was made. */
  const lock = async (): Promise<string | null> => {
    if (!remember.checked || !form.takesKey()) return "";
    if (staysLocked()) return lockedKey();
    const keys = form.keys();
    if (isEmpty(keys) || encryption.value === "none") return "";
    return encryption.value === "passkey" ? lockKeyWithPasskey(textOf(keys)) : lockKey(textOf(keys), passphrase.value);
  };

  return {
    element: field("Key", apiKey, keyHelp),
    /** How keys are kept. */
    keeping: [check("Keep the key on this device", remember, rememberHelp), encryptionField, passphraseField],
    apiKey,
    follow,
    lock,
    keys: form.keys,
    isRemembered: () => remember.checked && form.takesKey(),
  };
}

/** The threats that each way of storing the key protects against. */
const protection = {
  none: "In this browser's local storage, unencrypted. Not on a shared computer.",
  passphrase:
    "In this browser's local storage, encrypted. That helps against a copy of the browser's profile. It does not help against a script or an extension that reads this page while the key is unlocked, nor against a passphrase that can be guessed.",
  passkey:
    "In this browser's local storage, encrypted with a secret that your device gives after you agreed. That helps against a copy of the browser's profile. It does not help against a script or an extension that reads this page while the key is unlocked. Without the passkey the key has to be entered again.",
};
