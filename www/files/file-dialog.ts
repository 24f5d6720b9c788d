// A file of the workspace in a dialog, as it is or as it was: its content, changes of it, and buttons to download and remove
// it. It follows changes of the file while it is open.

import type { Workspace } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { ask } from "../shell/dialogs.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import { icon } from "../shell/icons.ts";
import { report } from "../shell/notices.ts";
import type { Change } from "./changes.ts";
import { contentView } from "./content.tsx";
import { diffView } from "./diff-view.tsx";
import { download } from "./download.ts";
import { sizeText } from "./size.ts";

interface Shown {
  path: string;
  workspace: () => Workspace;
  readOnly: () => boolean;
  /** The change of this file to show, if there is one. */
  change: () => Change | undefined;
  /** Said below the name. */
  note?: string;
  /** The names of the two views, and the one that is shown first. */
  views: Record<View, string>;
  first: View;
  /** Called after the file was removed here. */
  onRemove?: () => void;
}

type View = "content" | "changes";

export interface FileDialog {
  readonly path: string;
  /** Reads the file again. */
  draw(): void;
  close(): void;
}

export function openFile(shown: Shown, onClose: () => void): FileDialog {
  const { path, workspace, readOnly, change, note, views, first, onRemove } = shown;
  const name = path.split("/").at(-1)!;
  let bytes: Uint8Array | null = null;
  let release = (): void => undefined;
  /** The change that is drawn, or the choice of the content; empty if nothing is. */
  let drawn = "";
  let reading = 0;

  const about = el("p", { class: "quiet file-about" });
  const content = el("div", { class: "file-content" });
  const save = el("button", { type: "button", class: "button small", onclick: () => bytes && download(bytes, name) }, "Download");
  const removal = el("button", { type: "button", class: "button small", onclick: () => void remove() }, "Remove…");
  const which = el(
    "select",
    { class: "file-which", "aria-label": "Show" },
    el("option", { value: "content" }, views.content),
    el("option", { value: "changes" }, views.changes),
  );
  which.addEventListener("change", () => draw());
  if (change() !== undefined) which.value = first;

  const dialog = el(
    "dialog",
    { class: "dialog file-dialog", "aria-labelledby": "file-heading" },
    el(
      "div",
      { class: "file-head" },
      el("h2", { id: "file-heading" }, path),
      el("button", { type: "button", class: "icon-button", "aria-label": "Close the file", onclick: () => dialog.close() }, icon("close")),
    ),
    el("div", { class: "file-bar" }, note !== undefined && el("p", { class: "quiet file-note" }, note), about, which, save, removal),
    content,
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    release();
    onClose();
  });

  const draw = (): void => {
    const mine = (reading += 1);
    removal.hidden = readOnly();
    workspace()
      .read(path)
      .then(
        (read) => mine === reading && show(read),
        (error: unknown) => mine === reading && gone(error),
      );
  };
  const show = (read: Uint8Array): void => {
    const isSame = bytes !== null && areEqual(bytes, read);
    bytes = read;
    save.disabled = false;
    const changed = change();
    which.hidden = changed === undefined;
    if (changed === undefined) which.value = "content";
    about.textContent = sizeText(read.length);
    const wanted = which.value === "changes" ? JSON.stringify(changed) : "content";
    if (wanted === drawn && (isSame || wanted !== "content")) return;
    drawn = wanted;
    release();
    const view =
      which.value === "changes"
        ? { element: diffView(changed!.before, changed!.after), release: () => undefined }
        : contentView(read, name);
    release = view.release;
    content.replaceChildren(view.element);
  };
  const gone = (error: unknown): void => {
    bytes = null;
    drawn = "";
    save.disabled = true;
    removal.hidden = true;
    about.textContent = "";
    const changed = change();
    content.replaceChildren(
      el("p", { role: "status" }, explain(error).text),
      ...(changed ? [diffView(changed.before, changed.after)] : []),
    );
  };
  const remove = async (): Promise<void> => {
    const answer = await ask({
      heading: "Remove this file?",
      body: [el("p", {}, `${path} cannot be brought back.`)],
      actions: [{ value: "remove", name: "Remove", look: "danger" }],
    });
    if (answer !== "remove") return;
    try {
      await workspace().remove(path);
      announce(`Removed ${path}.`);
      dialog.close();
      onRemove?.();
    } catch (error) {
      report(error, { title: `${path} was not removed`, isHere: true, recoveries: [] });
    }
  };

  document.body.append(dialog);
  dialog.showModal();
  draw();
  return { path, draw, close: () => dialog.close() };
}

const areEqual = (some: Uint8Array, others: Uint8Array): boolean =>
  some.length === others.length && some.every((byte, index) => byte === others[index]);
