// Imports files, one after the other, until somebody stops it; the rest can follow later.
import {
  Conversation,
  type ConversationInfo,
  type ImportedConversation,
  importDirectory,
  importFile,
  type Store,
  type TransferOptions,
  updateConversations,
} from "threadkeep";
import { sentence } from "../chat/controls/failures.js";
import { type Acts, messageOf } from "./acts.js";
import { filesIn } from "./dropped-folder.js";

/** A file, or a folder that was dropped, as Safari leaves an archive that it has unpacked. */
export type Importable = File | FileSystemDirectoryEntry;

/** Shows only some warnings, because a notice that names every broken file would hide the list. */
const mostWarnings = 2;
const subject = "import";
/** Short work ends before its notice appears. In milliseconds. */
const patience = 400;

interface Failed {
  name: string;
  error: unknown;
}

interface Result {
  imported: ImportedConversation[];
  failed: Failed[];
}

/** Imports these, and calls `done` with what was imported and is not in the trash. Never rejects. */
export async function importAll(
  given: readonly Importable[],
  acts: Acts,
  done: (imported: readonly ImportedConversation[], shown: string) => void,
  from = 0,
  { imported, failed }: Result = { imported: [], failed: [] },
): Promise<void> {
  const { labels, notices, store } = acts.host;
  const count = given.length;
  const name = labels.importing(count === 1 ? given[0]!.name : labels.files(count));
  acts.host.announce(`${name}.`);
  let isStopped = false;
  let isShown = false;
  let at = from;
  let part = 0;
  const stop = (): false => {
    isStopped = true;
    show();
    return false;
  };
  const show = (): void => {
    if (!isShown) return;
    const actions = count === 1 ? [] : [{ name: isStopped ? labels.stopping : labels.stop, act: stop }];
    const place = count === 1 ? "" : labels.place(Math.min(at + 1, count), count);
    notices.put({ subject, kind: "work", title: name, text: place, actions, done: (at + part) / count });
  };
  const timer = setTimeout(() => {
    isShown = true;
    show();
  }, patience);
  // A page that is left drops the files that are not imported yet.
  const stay = (event: Event): void => event.preventDefault();
  addEventListener("beforeunload", stay);
  try {
    const known = await knownOrigins(store);
    for (; at < count && !isStopped; at++) {
      part = 0;
      show();
      const onProgress: TransferOptions["onProgress"] = ({ done, total }) => {
        part = total === 0 ? 0 : done / total;
        show();
      };
      try {
        imported.push(...(await importOne(given[at]!, known, { onProgress, store })));
      } catch (error) {
        failed.push({ name: given[at]!.name, error });
      }
    }
    // Another device has put it into its trash; here somebody wants to see it, as one wants a single one in any case.
    const wanted = count === 1 && imported.length === 1 ? imported : imported.filter(({ outcome }) => outcome === "created");
    await updateConversations(await trashedOf(wanted, store), { trashed: false }, { store });
  } catch (error) {
    failed.push({ name: given[at]?.name ?? "", error });
  } finally {
    removeEventListener("beforeunload", stay);
    clearTimeout(timer);
    isShown = false;
  }
  await acts.host.refresh();
  if (at < count) {
    const goOn = (): void => void importAll(given, acts, done, at, { imported, failed });
    notices.put({ subject, kind: "offer", text: labels.importStopped(at, count), actions: [{ name: labels.goOn, act: goOn }] });
    return;
  }
  notices.remove(subject);
  await conclude({ imported, failed }, acts, done);
}

/** Says what has come of them. */
async function conclude(
  { imported, failed }: Result,
  acts: Acts,
  done: (imported: readonly ImportedConversation[], shown: string) => void,
): Promise<void> {
  const { labels, notices, store } = acts.host;
  if (failed.length > 0) {
    const one = failed.length === 1;
    const texts = failed.slice(0, mostWarnings).map(({ name, error }) => `${one ? "" : `${name}: `}${sentence(messageOf(error))}`);
    if (failed.length > mostWarnings) texts.push(labels.andMore(failed.length - mostWarnings));
    acts.report(null, labels.notImported(failed.map(({ name }) => name)), undefined, texts.join(" "));
  }
  const trashed = await trashedOf(imported, store).catch((): string[] => []);
  const shown = imported.find(({ id }) => !trashed.includes(id)) ?? imported[0];
  if (shown === undefined) return;
  done(imported, shown.id);
  const counts = (outcome: ImportedConversation["outcome"]): number => imported.filter((each) => each.outcome === outcome).length;
  const told = [
    [counts("created"), labels.imported],
    [counts("continued"), labels.continued],
    [counts("merged"), labels.merged],
    [counts("up_to_date"), labels.upToDate],
    [trashed.length, labels.stayedInTrash],
  ] as const;
  const warnings = imported.flatMap(({ warnings }) => warnings.map(sentence));
  const more = warnings.splice(mostWarnings).length;
  const sentences = [...told.flatMap(([count, say]) => (count > 0 ? [say(count)] : [])), ...warnings];
  if (more > 0) sentences.push(labels.moreWarnings(more));
  notices.notify(sentences.join(" "));
}

/** The ids of those that are in the trash. */
async function trashedOf(imported: readonly ImportedConversation[], store: Store | undefined): Promise<string[]> {
  const trash = new Set((await Conversation.list({ store, trashed: true })).map(({ id }) => id));
  return imported.map(({ id }) => id).filter((id) => trash.has(id));
}

/** The tag with the fingerprint of the file that a conversation came from: such a file has no id that would tell. */
const ORIGIN = "importedfile";

/** What came from which file, by its fingerprint. */
type Origins = Map<string, Array<Pick<ConversationInfo, "id" | "eventCount">>>;

async function knownOrigins(store: Store | undefined): Promise<Origins> {
  const known: Origins = new Map();
  for (const info of [...(await Conversation.list({ store })), ...(await Conversation.list({ store, trashed: true }))]) {
    const origin = info.tags[ORIGIN];
    if (origin !== undefined) known.set(origin, [...(known.get(origin) ?? []), info]);
  }
  return known;
}

/** Imports an archive, a folder, or a file of another program, unless the conversations here came from the same one. */
async function importOne(
  given: Importable,
  known: Origins,
  options: TransferOptions & { store: Store | undefined },
): Promise<ImportedConversation[]> {
  if (!(given instanceof File)) return importDirectory(await filesIn(given), options);
  const origin = await originOf(given);
  // Those of an archive that a conversation was exported to are the same ones by their ids.
  if (origin === undefined) return importFile(given, options);
  const earlier = known.get(origin);
  if (earlier !== undefined) return earlier.map(({ id, eventCount }) => ({ id, outcome: "up_to_date", eventCount, warnings: [] }));
  const imported = await importFile(given, options);
  const ids = imported.map(({ id }) => id);
  await updateConversations(ids, { tags: { [ORIGIN]: origin } }, { store: options.store });
  known.set(origin, imported);
  return imported;
}

/** The fingerprint of a file whose conversations have no ids that would tell: of all but archives. */
async function originOf(file: File): Promise<string | undefined> {
  if ((await file.slice(0, 2).text()) === "PK") return undefined;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
