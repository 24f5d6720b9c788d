/** @jsxImportSource preact */
// The question for the passphrase or the passkey, in a dialog of its own: a request may need the key while the settings are not shown.
import { render } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { KeyStore } from "./keys.js";
import { defaultModelLabels, type ModelLabels } from "./labels.js";
import { styleSheets } from "./styles/index.js";

/** Asks until the keys are unlocked or the user gives up. Resolves to whether they are unlocked. */
export function askUnlock(keys: KeyStore, labels?: Partial<ModelLabels>): Promise<boolean> {
  const host = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = styleSheets();
  document.body.append(host);
  return new Promise((resolve) => {
    const close = (): void => {
      render(null, root);
      host.remove();
      resolve(!keys.isLocked);
    };
    render(<UnlockDialog keys={keys} labels={{ ...defaultModelLabels, ...labels }} onClose={close} />, root);
  });
}

interface UnlockDialogProps {
  keys: KeyStore;
  labels: ModelLabels;
  onClose: () => void;
}

function UnlockDialog({ keys, labels, onClose }: UnlockDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);
  const hasPassphrase = keys.protection === "passphrase";
  useLayoutEffect(() => dialog.current!.showModal(), []);
  const unlock = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setWrong("");
    try {
      await keys.unlock(field.current?.value);
      dialog.current?.close();
    } catch (error) {
      const isRefused = (error as { code?: unknown }).code === "permission_required";
      setWrong(!isRefused ? (error as Error).message : hasPassphrase ? labels.wrongPassphrase : labels.passkeyDeclined);
      field.current?.select();
    }
    setBusy(false);
  };
  return (
    <dialog ref={dialog} class="unlock" aria-labelledby="unlock-heading" onClose={onClose}>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void unlock();
        }}
      >
        <h2 id="unlock-heading">{labels.unlockHeading}</h2>
        <p class="quiet">{labels.unlockHelp}</p>
        {hasPassphrase && (
          <div class="field">
            <label for="unlock-field">{labels.passphrase}</label>
            <input id="unlock-field" ref={field} type="password" autocomplete="current-password" required aria-describedby="unlock-wrong" />
          </div>
        )}
        <p class="outcome" data-state="bad" role="alert" id="unlock-wrong">
          {wrong}
        </p>
        <div class="buttons">
          <button type="submit" class="button primary" aria-busy={isBusy}>
            {labels.unlock}
          </button>
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {labels.cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
