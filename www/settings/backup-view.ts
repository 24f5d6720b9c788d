// The copy in a folder of the user: how it stands, and what can be done with it.

import { type Backup, allowBackup, backup, chooseBackup, onBackup, restoreBackup, stopBackup } from "../shell/backup.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";

/** `null` in browsers that cannot open folders. */
export function backupView(): { element: HTMLElement; stop: () => void } | null {
  if (!("showDirectoryPicker" in globalThis)) return null;
  const about = el("p", { class: "quiet", id: "backup-state", "aria-live": "polite" });
  const outcome = el("p", { class: "outcome", role: "status" });
  const tell = (text: string, state: "good" | "bad"): void => {
    outcome.dataset["state"] = state;
    outcome.textContent = text;
  };
  const button = (name: string, act: () => Promise<string>): HTMLButtonElement => {
    const made = el("button", { type: "button", class: "button small" }, name);
    made.addEventListener("click", async () => {
      made.disabled = true;
      try {
        tell(await act(), "good");
      } catch (error) {
        // Who closes the browser's dialog has changed their mind.
        if (!(error instanceof DOMException && error.name === "AbortError")) tell(explain(error).text, "bad");
      } finally {
        made.disabled = false;
      }
    });
    return made;
  };
  const choose = button("Choose a folder", async () => (await chooseBackup(), ""));
  const allow = button("Allow it again", async () => (await allowBackup(), ""));
  const restore = button("Restore from it", async () => {
    const count = await restoreBackup();
    return count === 0 ? "Everything in the folder is here." : `${count} ${count === 1 ? "conversation is" : "conversations are"} back.`;
  });
  const stop = button("Stop", async () => (await stopBackup(), "The folder stays as it is."));
  const draw = (): void => {
    const now = backup();
    about.textContent = sentence(now);
    choose.hidden = now !== null;
    allow.hidden = now === null || now.state !== undefined;
    restore.hidden = now?.state === undefined;
    stop.hidden = now === null;
  };
  draw();
  const end = onBackup(draw);
  const buttons = el("div", { class: "backup-buttons" }, choose, allow, restore, stop);
  return { element: el("div", { class: "backup" }, el("h3", {}, "Backup in a folder"), about, buttons, outcome), stop: end };
}

function sentence(now: Backup): string {
  if (now === null)
    return "Every conversation can follow to a folder of this device, or of a drive that other devices share. Python opens it, too.";
  const { folder, state } = now;
  if (state === undefined) return `The browser wants to be asked before it writes into “${folder}” again.`;
  if (state.error) return `“${folder}” could not be written. ${explain(state.error).text}`;
  if (state.status === "waiting") return `“${folder}” has news of an open conversation, which are taken in when it is closed.`;
  if (state.status !== "up_to_date") {
    const events = state.events > 0 ? `, ${state.events} ${state.events === 1 ? "event" : "events"} behind` : "";
    return `Writing into “${folder}”${events}…`;
  }
  return `Everything is in “${folder}”.`;
}
