// Export as a download, and import by button or by dropping files on the page. Archives contain a whole conversation; the
// other formats are for other programs.

import { Conversation, type ImportedConversation, type TextOptions } from "threadkeep";
import { announce } from "./announcer.ts";
import { byId } from "./dom.ts";
import { sentence } from "./failures.ts";
import { download } from "../files/download.ts";
import { notify, report, showWork } from "./notices.ts";
import { goTo } from "./router.ts";
import { composer } from "../thread/chat.tsx";
import { leaveSession, openSession } from "../thread/open-sessions.ts";
import { Session } from "../thread/session.ts";
import { currentSession } from "./stage.ts";

export type ExportForm = "archive" | "files" | "markdown" | "html" | "session" | "trajectory";

/** `part` is for texts: those for people, Markdown and HTML. Resolves to whether it worked; a failure is reported. */
export async function exportConversation(
  conversation: Conversation,
  title: string,
  form: ExportForm = "archive",
  part: TextOptions = {},
): Promise<boolean> {
  announce("Exporting.");
  const work = showWork(`Exporting “${title}”`);
  const isZip = form === "archive" || form === "files";
  try {
    const file = isZip
      ? await conversation.exportZip({ onProgress: work.onProgress, workspace: form === "files" })
      : await textOf(conversation, form, part);
    download(file, fileNameFor(title, conversation.id, isZip ? ".zip" : ENDINGS[form]));
    notify(`Exported. The ${isZip ? "archive" : NAMES[form]} is in your downloads.`);
    return true;
  } catch (error) {
    report(error, { title: "The export did not work", retry: () => void exportConversation(conversation, title, form, part) });
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

async function textOf(conversation: Conversation, form: TextForm, part: TextOptions): Promise<Blob> {
  if (form === "markdown") return new Blob([await conversation.exportMarkdown(part)], { type: "text/markdown;charset=utf-8" });
  if (form === "html") return new Blob([await conversation.exportHTML(part)], { type: "text/html;charset=utf-8" });
  const value = form === "session" ? await conversation.exportSession() : await conversation.exportTrajectory();
  return new Blob([JSON.stringify(value, null, 2)], { type: "application/json" });
}

export function startImport(): void {
  const input = byId<HTMLInputElement>("import-file");
  byId("import-button").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    const files = [...(input.files ?? [])];
    input.value = ""; // or choosing the same file again would be no change
    void importFiles(files);
  });
  startDropping();
}

/** Shows only some warnings, because a notice that names every broken file would hide the conversation. */
const MOST_WARNINGS = 2;

async function importFiles(files: File[]): Promise<void> {
  const imported: ImportedConversation[] = [];
  const what = files.length === 1 ? files[0]!.name : `${files.length} files`;
  announce(`Importing ${what}.`);
  const work = showWork(`Importing ${what}`);
  // A page that is left drops the files that are not imported yet.
  const stay = (event: Event): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  for (const [at, file] of files.entries()) {
    const onProgress: typeof work.onProgress = ({ done, total }) =>
      work.onProgress({ done: at + (total === 0 ? 0 : done / total), total: files.length });
    onProgress({ done: 0, total: 1 });
    try {
      if (await isJson(file)) imported.push(await importOnce(file));
      else imported.push(...(await Conversation.importZip(file, { onProgress })));
    } catch (error) {
      report(error, {
        title: `${file.name} cannot be imported`,
        recoveries: [],
        retry: () => byId("import-file").click(),
        retryName: "Choose another file",
      });
    }
  }
  removeEventListener("beforeunload", stay);
  work.end();
  const [first] = imported;
  if (first === undefined) return;
  const open = currentSession();
  if (open !== null && imported.some(({ id, outcome }) => id === open.id && /^(continued|merged)$/.test(outcome))) await open.reopen();
  else goTo(first.id);
  const warnings = imported.flatMap(({ warnings }) => warnings.map(sentence));
  const more = warnings.splice(MOST_WARNINGS).length;
  notify(
    [summary(imported), ...warnings, more > 0 && `And ${more === 1 ? "1 more warning" : `${more} more warnings`}.`]
      .filter(Boolean)
      .join(" "),
  );
}

/** By its name: other files are attached to the next message. */
const isArchive = (file: File): boolean => /\.(zip|json)$/i.test(file.name);

/** The tag with the fingerprint of the file that a conversation came from: such a file has no id that would tell. */
const ORIGIN = "importedfile";

/** Imports a file of another program, unless a conversation here came from the same one. */
async function importOnce(file: File): Promise<ImportedConversation> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  const origin = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const known = (await Conversation.list()).find(({ tags }) => tags[ORIGIN] === origin);
  if (known !== undefined) return { id: known.id, outcome: "up_to_date", eventCount: known.eventCount, warnings: [] };
  const imported = await Conversation.importJSON(file);
  const session = await Session.open(imported.id);
  try {
    const { title } = session.thread.getSnapshot();
    await session.conversation.setTags({ ...(title !== null && { title }), ...session.conversation.state.tags, [ORIGIN]: origin });
  } finally {
    await session.close();
  }
  return imported;
}

async function isJson(file: File): Promise<boolean> {
  return /^\s*[[{]/.test(await file.slice(0, 100).text());
}

function summary(imported: ImportedConversation[]): string {
  const count = (outcome: ImportedConversation["outcome"]): number => imported.filter((each) => each.outcome === outcome).length;
  const named = (number: number): string => (number === 1 ? "1 conversation" : `${number} conversations`);
  const parts = [
    count("created") > 0 && `Imported ${named(count("created"))}.`,
    count("continued") > 0 && `Brought ${named(count("continued"))} up to date.`,
    count("merged") > 0 && `Merged ${named(count("merged"))} with what was written here; the other branch is beside it.`,
    count("up_to_date") > 0 && `${named(count("up_to_date"))} had nothing new.`,
  ];
  return parts.filter(Boolean).join(" ");
}

function startDropping(): void {
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
    const files = [...(event.dataTransfer?.files ?? [])];
    const archives = files.filter(isArchive);
    if (archives.length < files.length) composer.attach(files.filter((file) => !isArchive(file)));
    void importFiles(archives);
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
