// Export as a download, and import by dropping files on the page. Archives contain a whole conversation; the other formats are for
// other programs.

import type { Conversation } from "threadkeep";
import { announce } from "./announcer.ts";
import { importFiles } from "./conversation-list.ts";
import { byId } from "./dom.ts";
import { download } from "../files/download.ts";
import { notify, report, showWork } from "./notices.ts";
import { composer } from "../thread/chat.tsx";
import { leaveSession, openSession } from "../thread/open-sessions.ts";
import { currentSession } from "./stage.ts";

export type ExportForm = "archive" | "files" | "markdown" | "html" | "session" | "trajectory";

/** Resolves to whether it worked; a failure is reported. */
export async function exportConversation(conversation: Conversation, title: string, form: ExportForm = "archive"): Promise<boolean> {
  announce("Exporting.");
  const work = showWork(`Exporting “${title}”`);
  const isZip = form === "archive" || form === "files";
  try {
    const file = isZip
      ? await conversation.exportZip({ onProgress: work.onProgress, workspace: form === "files" })
      : await textOf(conversation, form);
    download(file, fileNameFor(title, conversation.id, isZip ? ".zip" : ENDINGS[form]));
    notify(`Exported. The ${isZip ? "archive" : NAMES[form]} is in your downloads.`);
    return true;
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => void exportConversation(conversation, title, form) });
    return false;
  } finally {
    work.end();
  }
}

/** Exports a conversation, open or not, as an archive. Resolves to whether it worked; a failure is reported. */
export async function exportStored(conversationId: string, title: string): Promise<boolean> {
  const open = currentSession();
  if (open?.id === conversationId) return exportConversation(open.conversation, title);
  try {
    const session = await openSession(conversationId);
    try {
      return await exportConversation(session.conversation, title);
    } finally {
      await leaveSession(session);
    }
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => void exportStored(conversationId, title) });
    return false;
  }
}

type TextForm = Exclude<ExportForm, "archive" | "files">;

const ENDINGS: Record<TextForm, string> = { markdown: ".md", html: ".html", session: "-session.json", trajectory: "-trajectory.json" };
const NAMES: Record<TextForm, string> = { markdown: "Markdown file", html: "page", session: "session", trajectory: "trajectory" };

async function textOf(conversation: Conversation, form: TextForm): Promise<Blob> {
  if (form === "markdown") return new Blob([await conversation.exportMarkdown()], { type: "text/markdown;charset=utf-8" });
  if (form === "html") return new Blob([await conversation.exportHTML()], { type: "text/html;charset=utf-8" });
  const value = form === "session" ? await conversation.exportSession() : await conversation.exportTrajectory();
  return new Blob([JSON.stringify(value, null, 2)], { type: "application/json" });
}

/** By its name: other files are attached to the next message. */
const isArchive = (file: File): boolean => /\.(zip|jsonl?)$/i.test(file.name);

export function startDropping(): void {
  const zone = byId("drop-zone");
  // When the pointer moves over a child, it leaves the parent first; only a count tells when it has left the page.
  let depth = 0;
  const show = (): void => void (zone.hidden = depth <= 0);
  const takesFiles = ({ target }: Event): boolean => target instanceof Element && target.closest("[data-drop]") !== null;
  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

  addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    show();
  });
  addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    zone.hidden = depth <= 0 || takesFiles(event);
  });
  addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth -= 1;
    show();
  });
  addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    depth = 0;
    show();
    // A part of the page that takes files itself.
    if (event.defaultPrevented) return;
    event.preventDefault();
    // The entries are gone once this event is over.
    const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
    const folders = entries.filter((entry): entry is FileSystemDirectoryEntry => entry?.isDirectory === true);
    const all = [...(event.dataTransfer?.files ?? [])];
    const files = all.filter((_, place) => entries.length !== all.length || entries[place]?.isDirectory !== true);
    const archives = files.filter(isArchive);
    if (archives.length < files.length) composer.attach(files.filter((file) => !isArchive(file)));
    void importFiles([...folders, ...archives]);
  });
}

function fileNameFor(title: string, id: string, ending: string): string {
  const name = title
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${name || "conversation"}-${id.slice(0, 8)}${ending}`;
}
