// The files of the conversation as they were at a message, in the panel: what there was, and what has changed since. Looking
// back changes nothing.

import type { FileDifference, Workspace } from "threadkeep";
import type { Part } from "../panel/panel.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Session } from "../thread/session.ts";
import type { Change } from "./changes.ts";
import { textOf } from "./content.tsx";
import { type FileDialog, openFile } from "./file-dialog.ts";
import { TreeView } from "./tree-view.ts";

/** A message to look back to. */
export interface Moment {
  /** Its last event. */
  eventId: string;
  /** Its beginning, in quotes. */
  name: string;
  date: Date | null;
}

/** More files are not named that were added since. */
const MOST_ADDED = 20;
const MARKS = { changed: "changed since", removed: "removed since" } as const;

export function pastView(session: Session, { eventId, name, date }: Moment, back: () => void): Part {
  let past: Workspace | null = null;
  let since: readonly FileDifference[] = [];
  let dialog: FileDialog | null = null;
  /** The open file as it was, and as it is. */
  let change: Change | undefined;

  const tree = new TreeView({
    workspace: () => past!,
    marks: () => new Map(since.flatMap(({ path, type }) => (type === "added" ? [] : [[path, MARKS[type]]]))),
    open: (path) => void open(path),
    empty: "There were no files here.",
  });
  const when = date === null ? "" : `, ${date.toLocaleString([], { dateStyle: "medium", timeStyle: "short" })}`;
  const status = el("p", { role: "status", class: "quiet" });
  const added = el("ul", { class: "past-added", "aria-labelledby": "past-added" });
  const addedPart = el("div", { class: "past-since", hidden: true }, el("h4", { id: "past-added" }, "Added since"), added);
  const element = el(
    "section",
    { class: "files past", "aria-labelledby": "past-heading" },
    el(
      "div",
      { class: "past-line" },
      el("h3", { id: "past-heading", tabindex: -1 }, "Files at this message"),
      el("p", {}, `As they were at ${name}${when}. This is the past: nothing here can be changed.`),
      el("button", { type: "button", class: "button small", onclick: back }, "Back to now"),
    ),
    tree.element,
    addedPart,
    status,
  );

  const open = async (path: string): Promise<void> => {
    change = await changeOf(path);
    dialog = openFile(
      {
        path,
        workspace: () => past!,
        readOnly: () => true,
        change: () => change,
        note: `As it was at ${name}${when}.`,
        views: { content: "Content", changes: "Changes since" },
        first: "content",
      },
      () => (dialog = null),
    );
  };
  /** There is none of a file that is not text. */
  const changeOf = async (path: string): Promise<Change | undefined> => {
    const type = since.find((each) => each.path === path)?.type;
    if (type === undefined) return undefined;
    try {
      const before = textOf(await past!.read(path));
      const after = type === "removed" ? null : textOf(await session.conversation.workspace.read(path));
      return before === null || (after === null && type !== "removed") ? undefined : { path, before, after };
    } catch {
      return undefined; // It has changed once more, and is compared again.
    }
  };

  let latest = 0;
  const read = async (): Promise<void> => {
    const mine = (latest += 1);
    const { conversation } = session;
    try {
      const [now] = await conversation.activeBranch({ limit: 1 });
      const [then, changes] = await Promise.all([
        conversation.workspace.at(eventId),
        conversation.workspace.changes(eventId, now?.id ?? eventId),
      ]);
      if (mine !== latest) return;
      [past, since] = [then, changes];
      await tree.draw();
      if (mine !== latest) return;
      status.textContent = since.length === 0 ? "Nothing has changed since." : "";
      drawAdded();
      if (dialog === null) return;
      change = await changeOf(dialog.path);
      dialog?.draw();
    } catch (error) {
      if (mine !== latest) return;
      tree.clear();
      addedPart.hidden = true;
      status.textContent = explain(error).text;
    }
  };
  const drawAdded = (): void => {
    const paths = since.filter(({ type }) => type === "added").map(({ path }) => path);
    const left = paths.length - MOST_ADDED;
    addedPart.hidden = paths.length === 0;
    added.replaceChildren(
      ...paths.slice(0, MOST_ADDED).map((path) => el("li", {}, path)),
      ...(left > 0 ? [el("li", { class: "quiet" }, `and ${left.toLocaleString()} more`)] : []),
    );
  };

  let watched: Session["conversation"] | null = null;
  let stopWatching = (): void => undefined;
  let length = -1;
  /** Many files may change at once. */
  let timer = 0;
  const soon = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void read(), 50);
  };
  const draw = (): void => {
    const { conversation } = session;
    if (conversation === watched && conversation.events.length === length) return;
    if (conversation !== watched) {
      stopWatching();
      stopWatching = conversation.workspace.watch(soon);
      watched = conversation;
    }
    length = conversation.events.length;
    void read();
  };
  const close = (): void => {
    stopWatching();
    latest += 1;
    clearTimeout(timer);
    dialog?.close();
  };
  return { element, draw, close };
}
