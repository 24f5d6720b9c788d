// Imports files, one after the other, until somebody stops it; the rest can follow later. Loaded with the first import.

import {
  Conversation,
  type ConversationInfo,
  type ImportedConversation,
  importDirectory,
  importFile,
  type TransferOptions,
  updateConversations,
} from "threadkeep";
import { announce } from "./announcer.ts";
import { byId } from "./dom.ts";
import { sentence } from "./failures.ts";
import { notify, offer, report, showWork, type Work } from "./notices.ts";
import { goTo } from "./router.ts";
import { currentSession } from "./stage.ts";

/** Shows only some warnings, because a notice that names every broken file would hide the conversation. */
const MOST_WARNINGS = 2;

/** Never rejects. */
export const importFiles = (files: readonly File[]): Promise<void> => importFrom(files, 0, []);

/** Those before `from` have been imported, as `imported` says. */
async function importFrom(files: readonly File[], from: number, imported: ImportedConversation[]): Promise<void> {
  const what = files.length === 1 ? files[0]!.name : `${files.length} files`;
  announce(`Importing ${what}.`);
  let isStopped = false;
  const work = showWork(`Importing ${what}`, files.length === 1 ? undefined : () => (isStopped = true));
  // A page that is left drops the files that are not imported yet.
  const stay = (event: Event): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  const known = await knownOrigins();
  let at = from;
  for (; at < files.length && !isStopped; at++) imported.push(...(await importOne(files, at, known, work)));
  removeEventListener("beforeunload", stay);
  // Another device has put it into its trash; here somebody wants to see it, as one wants a single one in any case.
  const shown = files.length === 1 && imported.length === 1 ? imported : imported.filter(({ outcome }) => outcome === "created");
  await updateConversations(await trashedOf(shown), { trashed: false }).catch((error) => report(error, { recoveries: [] }));
  const hadFocus = work.end();
  const rest = files.length - at;
  if (rest === 0) return conclude(imported);
  const offered = offer(`The import was stopped: ${at} of ${files.length} files are here.`, "Go on", () => {
    void importFrom(files, at, imported);
    return true;
  });
  if (hadFocus) offered.focus();
}

/** A failure is reported, and the next files are imported all the same. */
async function importOne(files: readonly File[], at: number, known: Origins, work: Work): Promise<ImportedConversation[]> {
  const file = files[at]!;
  const onProgress: Work["onProgress"] = ({ done, total }) =>
    work.onProgress({ done: at + (total === 0 ? 0 : done / total), total: files.length });
  onProgress({ done: 0, total: 1 });
  if (files.length > 1) work.tell(`${at + 1} of ${files.length}`);
  try {
    return await importOnce(file, known, { onProgress });
  } catch (error) {
    report(error, {
      title: `${file.name} cannot be imported`,
      recoveries: [],
      retry: () => byId("import-file").click(),
      retryName: "Choose another file",
    });
    return [];
  }
}

/** The ids of those that are in the trash. */
async function trashedOf(imported: readonly ImportedConversation[]): Promise<string[]> {
  const trash = new Set((await Conversation.list({ trashed: true })).map(({ id }) => id));
  return imported.map(({ id }) => id).filter((id) => trash.has(id));
}

/** Shows one of the imported conversations, and says what has come of them. */
async function conclude(imported: readonly ImportedConversation[]): Promise<void> {
  const trashed = await trashedOf(imported);
  const first = imported.find(({ id }) => !trashed.includes(id)) ?? imported[0];
  if (first === undefined) return;
  const open = currentSession();
  if (open !== null && imported.some(({ id, outcome }) => id === open.id && /^(continued|merged)$/.test(outcome))) await open.reopen();
  else goTo(first.id);
  const warnings = imported.flatMap(({ warnings }) => warnings.map(sentence));
  const more = warnings.splice(MOST_WARNINGS).length;
  notify(
    [summary(imported, trashed.length), ...warnings, more > 0 && `And ${more === 1 ? "1 more warning" : `${more} more warnings`}.`]
      .filter(Boolean)
      .join(" "),
  );
}

/** The tag with the fingerprint of the file that a conversation came from: such a file has no id that would tell. */
const ORIGIN = "importedfile";

/** What came from which file, by its fingerprint. */
type Origins = Map<string, Array<Pick<ConversationInfo, "id" | "eventCount">>>;

async function knownOrigins(): Promise<Origins> {
  const known: Origins = new Map();
  for (const info of [...(await Conversation.list()), ...(await Conversation.list({ trashed: true }))]) {
    const origin = info.tags[ORIGIN];
    if (origin !== undefined) known.set(origin, [...(known.get(origin) ?? []), info]);
  }
  return known;
}

/** Imports an archive, or a file of another program, unless the conversations here came from the same one. */
async function importOnce(file: File, known: Origins, watching: TransferOptions): Promise<ImportedConversation[]> {
  const origin = await originOf(file);
  // Those of an archive that a conversation was exported to are the same ones by their ids.
  if (origin === undefined) return importFile(file, watching);
  const earlier = known.get(origin);
  if (earlier !== undefined) return earlier.map(({ id, eventCount }) => ({ id, outcome: "up_to_date", eventCount, warnings: [] }));
  const imported = await importFile(file, watching);
  const ids = imported.map(({ id }) => id);
  await updateConversations(ids, { tags: { [ORIGIN]: origin } });
  known.set(origin, imported);
  return imported;
}

/** The fingerprint of a file whose conversations have no ids that would tell: of all but archives. */
async function originOf(file: File): Promise<string | undefined> {
  if ((await file.slice(0, 2).text()) === "PK") return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Imports folders, such as an archive that Safari has unpacked: each as the files in it. Never rejects. */
export async function importFolders(folders: readonly File[][]): Promise<void> {
  const imported: ImportedConversation[] = [];
  for (const files of folders) {
    const name = files[0]?.webkitRelativePath.split("/")[0] || "The folder";
    try {
      imported.push(...(await importDirectory(files)));
    } catch (error) {
      report(error, { title: `${name} cannot be imported`, recoveries: [] });
    }
  }
  await conclude(imported);
}

function summary(imported: readonly ImportedConversation[], trashed: number): string {
  const count = (outcome: ImportedConversation["outcome"]): number => imported.filter((each) => each.outcome === outcome).length;
  const named = (number: number): string => (number === 1 ? "1 conversation" : `${number} conversations`);
  const parts = [
    count("created") > 0 && `Imported ${named(count("created"))}.`,
    count("continued") > 0 && `Brought ${named(count("continued"))} up to date.`,
    count("merged") > 0 && `Merged ${named(count("merged"))} with what was written here; the other branch is beside it.`,
    count("up_to_date") > 0 && `${named(count("up_to_date"))} had nothing new.`,
    trashed > 0 && `${named(trashed)} stayed in the trash.`,
  ];
  return parts.filter(Boolean).join(" ");
}
