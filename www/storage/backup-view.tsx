/** @jsxImportSource preact */
// The copy in a folder of the user: how it stands, and what can be done with it.

import { useState } from "preact/hooks";
import { explain } from "../layout/failures.ts";
import { useChanges } from "../layout/value.ts";
import { allowBackup, backup, chooseBackup, onBackup, restoreBackup, stopBackup } from "./backup.ts";
import type { Outcome } from "./storage.tsx";

export function Backup() {
  const [[text, state], tell] = useState<Outcome>(["", "good"]);
  useChanges(onBackup);
  const now = backup();
  const button = (name: string, act: () => Promise<string | void>) => (
    <button type="button" class="button small" onClick={() => void act().then((done) => tell([done ?? "", "good"]), fail)}>
      {name}
    </button>
  );
  const fail = (error: unknown): void => {
    // Who closes the browser's dialog has changed their mind.
    if (!(error instanceof DOMException && error.name === "AbortError")) tell([explain(error).text, "bad"]);
  };
  const restore = async (): Promise<string> => {
    const count = await restoreBackup();
    return count === 0 ? "Everything in the folder is here." : `${count} ${count === 1 ? "conversation is" : "conversations are"} back.`;
  };
  return (
    <div class="backup">
      <h3>Backup in a folder</h3>
      <p class="quiet" id="backup-state" aria-live="polite">
        {sentence()}
      </p>
      <div class="buttons">
        {now === null && button("Choose a folder", chooseBackup)}
        {now !== null && now.state === undefined && button("Allow it again", allowBackup)}
        {now?.state && button("Restore from it", restore)}
        {now !== null && button("Stop", () => stopBackup().then(() => "The folder stays as it is."))}
      </div>
      <p class="outcome" role="status" data-state={state}>
        {text}
      </p>
    </div>
  );
}

function sentence(): string {
  const now = backup();
  if (now === null)
    return "Every conversation can follow to a folder of this device, or of a drive that other devices share. Python opens it, too.";
  const { folder, state } = now;
  if (state === undefined) return `The browser wants to be asked before it writes into “${folder}” again.`;
  if (state.error) return `“${folder}” could not be written. ${explain(state.error).text}`;
  if (state.status === "waiting") return `“${folder}” has news of an open conversation, which are taken in when it is closed.`;
  if (state.status === "up_to_date") return `Everything is in “${folder}”.`;
  const events = state.events > 0 ? `, ${state.events} ${state.events === 1 ? "event" : "events"} behind` : "";
  return `Writing into “${folder}”${events}…`;
}
