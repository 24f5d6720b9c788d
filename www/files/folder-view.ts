// The choice between the conversation's own files and a folder of the user's device, and the permission to use the folder,
// which most browsers take back with a reload.

import { ThreadkeepError } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { report } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";
import { canPickFolder, folderOf, forgetFolder, pickFolder, usesFolder } from "./folders.ts";

/** `onAllow` is called when the folder may be used again. */
export function folderView(session: Session, onAllow: () => void): { element: HTMLElement; draw: () => void } {
  const text = el("p", { class: "quiet" });
  const button = (name: string, act: () => Promise<void>): HTMLButtonElement => {
    const made = el(
      "button",
      { type: "button", class: "button small", onclick: () => made.getAttribute("aria-disabled") !== "true" && void attempt(act) },
      name,
    );
    return made;
  };
  const pick = button("Work in a folder of this device…", async () => {
    await pickFolder(session.id);
    await session.reopen();
    announce("The agent now works in the folder.");
  });
  const allow = button("Allow the folder again", async () => {
    await folderOf(session.id).requestPermission();
    onAllow();
  });
  const stop = button("Stop using the folder", async () => {
    await forgetFolder(session.id);
    await session.reopen();
    announce("The agent now works on the conversation's own files.");
  });
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      const isCancelled = error instanceof ThreadkeepError && error.code === "aborted";
      if (!isCancelled) report(error, { title: "The folder cannot be used", isHere: true, recoveries: [] });
    }
    draw();
  };
  const element = el("div", { class: "folder" }, text, el("div", { class: "buttons" }, pick, allow, stop));

  const draw = (): void => {
    const uses = usesFolder(session.id);
    element.hidden = session.home === "tab" || session.server !== null || (!uses && !canPickFolder());
    pick.hidden = uses;
    stop.hidden = !uses;
    // The conversation is opened again with the other files, which has to wait for the end of a run.
    for (const each of [pick, stop]) each.setAttribute("aria-disabled", String(session.running));
    text.textContent = uses
      ? "Changes of the folder need your approval, unless you always allow the tool. The conversation's own files come back when you stop using it."
      : "";
    if (!uses) return void (allow.hidden = true);
    folderOf(session.id)
      .permission()
      .then(
        (permission) => (allow.hidden = permission !== "prompt"),
        () => (allow.hidden = true),
      );
  };
  return { element, draw };
}
