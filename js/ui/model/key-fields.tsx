/** @jsxImportSource preact */
// The key of the chosen server, and how keys are kept. A key that is there is never shown.
import { useEffect, useState } from "preact/hooks";
import type { Draft } from "./draft.js";
import { Field } from "./field.js";
import { type KeyProtection, type KeyStore, passkeysCanLock } from "./keys.js";
import type { ModelLabels } from "./labels.js";

export interface KeyFieldsProps {
  id: string;
  keys: KeyStore;
  /** The server of the form; empty while its address is none. */
  server: string;
  draft: Draft;
  labels: ModelLabels;
  onChange: (changes: Partial<Draft>) => void;
  /** Resolves to whether the keys are unlocked. */
  onUnlock: () => Promise<boolean>;
}

export function KeyFields({ id, keys, server, draft, labels, onChange, onUnlock }: KeyFieldsProps) {
  const [hasPasskeys, setHasPasskeys] = useState(keys.protection === "passkey");
  useEffect(() => void passkeysCanLock().then((can) => can && setHasPasskeys(true)), []);
  const isThere = server !== "" && keys.has(server);
  const host = server === "" ? "" : new URL(server).host;
  const choices = (["memory", "passphrase", "passkey"] as const).filter((each) => each !== "passkey" || hasPasskeys);
  const isKept = keys.protection === "passphrase";
  const remove = async (): Promise<void> => {
    if (await onUnlock()) await keys.set(server, "");
  };
  return (
    <>
      <div class="field">
        <Field
          id={`${id}-key`}
          label={labels.key}
          help={[isThere && (keys.get(server) === "" ? labels.hasLockedKey : labels.hasKey)(host), host !== "" && labels.keyHelp(host)]
            .filter(Boolean)
            .join(" ")}
        >
          {(ids) => (
            <input
              {...ids}
              name="api-key"
              type="password"
              spellcheck={false}
              autocomplete="off"
              value={draft.apiKey}
              onInput={({ currentTarget }) => onChange({ apiKey: currentTarget.value })}
            />
          )}
        </Field>
        {isThere && !keys.isLocked && (
          <button type="button" class="button small" onClick={() => void remove()}>
            {labels.removeKey}
          </button>
        )}
      </div>
      {keys.isLocked && (
        <div class="locked" role="group" aria-label={labels.locked}>
          <p>{labels.locked}</p>
          <div class="buttons">
            <button type="button" class="button small" onClick={() => void onUnlock()}>
              {labels.unlock}
            </button>
            <button type="button" class="button small" onClick={() => void keys.forget().then(() => onChange({ protection: "memory" }))}>
              {labels.forget}
            </button>
          </div>
        </div>
      )}
      <Field id={`${id}-protection`} label={labels.keep} help={labels.protectionHelp[draft.protection]}>
        {(ids) => (
          <select
            {...ids}
            name="protection"
            value={draft.protection}
            onChange={({ currentTarget }) => onChange({ protection: currentTarget.value as KeyProtection, passphrase: "" })}
          >
            {choices.map((each) => (
              <option key={each} value={each}>
                {labels.protections[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {draft.protection === "passphrase" && !(isKept && keys.isLocked) && (
        <Field id={`${id}-passphrase`} label={labels.passphrase} help={isKept ? labels.passphraseKept : undefined}>
          {(ids) => (
            <input
              {...ids}
              name="passphrase"
              type="password"
              autocomplete="new-password"
              minLength={8}
              required={!isKept}
              value={draft.passphrase}
              onInput={({ currentTarget }) => onChange({ passphrase: currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  );
}
