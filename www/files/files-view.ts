// The files of the conversation in the panel: the tree, adding by a button or by dropping, and the dialog of one file.

import { ThreadkeepError } from "threadkeep";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Part } from "../panel/panel.ts";
import type { Session } from "../thread/session.ts";
import { nameOf } from "../settings/agent-server.ts";
import { changesByAgent } from "./file-changes.ts";
import { type FileDialog, openFile } from "./file-dialog.ts";
import { folderView } from "./folder-view.ts";
import { usesFolder } from "./folders.ts";
import { changesOnServer } from "./server-changes.ts";
import { filesOfTerminal } from "./terminal-files.ts";
import { TreeView } from "./tree-view.ts";
import { upload } from "./upload.ts";

/** `refresh` reads the files anew. */
export function filesView(session: Session): Part & { refresh: () => void } {
  const workspace = () => session.conversation.workspace;
  const changes = session.server === null ? changesByAgent(session) : changesOnServer(session);
  /** Only where the agent runs, files can be changed by hand; a server takes changes from everybody. */
  const isElsewhere = (): boolean => session.home === "tab" || session.home === "worker";
  let dialog: FileDialog | null = null;

  const tree = new TreeView({
    workspace,
    marks: changes.marks,
    open: (path) => void open(path),
    empty: "No files yet. The agent can make some, and you can add yours.",
  });
  const open = async (path: string): Promise<void> => {
    await changes.read(path);
    const onClose = (): void => void (dialog = null);
    dialog = openFile(
      {
        path,
        workspace,
        readOnly: isElsewhere,
        change: () => changes.of(path),
        views: { content: "Content", changes: changes.name },
        first: "changes",
        onRemove: drawFiles,
      },
      onClose,
    );
  };
  const removed = el("p", { class: "quiet" });
  const problem = el("p", { role: "status", class: "quiet" });
  const input = el("input", { type: "file", multiple: true, hidden: true, "aria-label": "Files to add" });
  const button = el("button", { type: "button", class: "button small", onclick: () => input.click() }, "Add files…");
  const help = el("p", { class: "quiet" });
  const heading = el("h3", { id: "files-heading" });
  const folder = folderView(session, () => drawFiles());
  const element = el(
    "section",
    { class: "files", "aria-labelledby": "files-heading", "data-drop": "files" },
    heading,
    tree.element,
    removed,
    problem,
    el("div", { class: "files-add" }, button, input, help),
    folder.element,
  );

  const add = async (files: File[]): Promise<void> => {
    if (isElsewhere()) return;
    if ((await upload(workspace(), files)) > 0) drawFiles();
    button.focus({ preventScroll: true });
  };
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = ""; // or choosing the same file again would be no change
    void add(files);
  });
  // The page's own reaction to a drop, importing, is not wanted here: see transfer.ts.
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    void add([...(event.dataTransfer?.files ?? [])]);
  });

  const drawFiles = (): void => void readFiles();
  const readFiles = async (): Promise<void> => {
    await changes.read(dialog?.path);
    tree.draw().then(
      () => {
        problem.textContent = elsewhere[session.home];
        removed.textContent = changes.removed().length === 0 ? "" : `Removed: ${changes.removed().join(", ")}.`;
      },
      (error: unknown) => {
        tree.clear();
        removed.textContent = "";
        problem.textContent = needsPermission(error)
          ? "The browser does not let the page use the folder until you allow it again."
          : explain(error).text;
      },
    );
    dialog?.draw();
  };

  let watched: Session["conversation"] | null = null;
  let stopWatching = (): void => undefined;
  /** The number of events and the files of the terminal at that time. */
  let drawn = "";
  const draw = (): void => {
    const { conversation } = session;
    const inFolder = usesFolder(session.id);
    const { server } = session;
    const where = server !== null ? "server" : inFolder ? "folder" : "conversation";
    heading.textContent = server !== null ? `Files on ${nameOf(server)}` : headings[where];
    help.textContent = helps[where];
    folder.draw();
    button.hidden = help.hidden = isElsewhere();
    if (conversation !== watched) {
      // The conversation was opened again, and its workspace is another object.
      stopWatching();
      stopWatching = conversation.workspace.watch(soon);
      watched = conversation;
      drawn = "";
    }
    const state = JSON.stringify([conversation.events.length, filesOfTerminal(conversation)]);
    if (state === drawn) return;
    const isFirst = drawn === "";
    drawn = state;
    if (isFirst || session.server === null) drawFiles();
    else soon();
  };
  /** Many files may change at once. */
  let timer = 0;
  const soon = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(drawFiles, session.server === null ? 50 : CALM);
  };
  const close = (): void => {
    stopWatching();
    watched = null;
    clearTimeout(timer);
    dialog?.close();
  };
  return { element, draw, close, refresh: drawFiles };
}

const elsewhere = {
  here: "",
  tab: "The agent runs in another tab: there, files can be added and changed.",
  worker: "The agent runs in the background: attach files to a message to add them.",
  server: "",
} as const;

const headings = { folder: "Files in a folder of this device", conversation: "Files of this conversation", server: "" } as const;
const helps = {
  folder: "Or drop them here, and they are copied into the folder.",
  conversation: "Or drop them here. They stay in this conversation, on this device.",
  server: "Or drop them here, and they are copied into the directory on the server.",
} as const;

/** A server is asked for its files when nothing has happened for so many milliseconds, because it runs commands for that. */
const CALM = 800;

const needsPermission = (error: unknown): boolean => error instanceof ThreadkeepError && error.code === "permission_required";
