// Writes a stored conversation, with those of its sub-agents, as a zip archive, block by block. The core removes secrets from
// settings and further files; events go from the store into the archive unchanged.
import { openExport, withoutSecrets } from "../../../pkg/threadkeep.js";
import { eventFile } from "../../events/file-name.js";
import { Page, PageYield, asked, contentsOf, corrupt, eventsOf, mostFiles, pageBytes } from "../../store/reading.js";
import type { Store } from "../../store/store.js";
import { mostExportedBytes, tooLarge } from "../../workspace/limits.js";
import { treeOf, workspaceFolder } from "../../workspace/tree.js";
import type { Workspace, WorkspaceEntry } from "../../workspace/types.js";
import { filesOf, isMarker } from "../../workspace/walk.js";
import type { Work } from "../types.js";
import type { Bytes } from "../../input/bytes.js";
import { packed } from "./packing.js";
import { ZipWriter } from "./zip-writer.js";

/** The approximate size of the blocks. */
const blockBytes = 64 << 10;

const encoder = new TextEncoder();
const nothing = new Uint8Array(0);

/** The folder of what these files were before edits, written by js/tools/file-editor/history.ts. */
const historyFolder = "file_editor/";
/** The folder of the versions of files, and the file without which there are none. */
const versionsFolder = "file_versions/";
const currentVersion = `${versionsFolder}current`;

/** A file of an archive; a folder has a name that ends with a slash, and nothing in it. */
interface Exported {
  name: string;
  content: Bytes;
}

/**
 * The conversation as it is when the first block is read. `report` gets the number of files done. The files that the agent
 * works on are only included if their workspace is given.
 */
export async function* zipBlocks(
  store: Store,
  conversation: string,
  report: (done: number, total: number) => void,
  signal: AbortSignal | undefined,
  work?: Work,
): AsyncGenerator<Bytes, void> {
  const { updatedAt, files } = await exported(store, conversation, report, work);
  const writer = new ZipWriter(updatedAt);
  const pageYield = new PageYield(signal);
  const folders = new Set<string>();
  /** Folders come before the files in them, as in archives of the agent server. */
  const addFolder = async (name: string) => {
    if (folders.has(name)) return;
    const around = name.lastIndexOf("/", name.length - 2) + 1;
    if (around > 0) await addFolder(name.slice(0, around));
    folders.add(name);
    writer.add(name, await packed(nothing));
  };
  for await (const { name, content } of files) {
    await addFolder(name.slice(0, name.lastIndexOf("/") + 1));
    if (!name.endsWith("/")) writer.add(name, await packed(content));
    if (pageYield.isDue) await pageYield.wait();
    if (writer.size >= blockBytes) yield writer.take();
  }
  writer.end();
  yield writer.take();
}

/** The files of the conversation in the layout of a directory of the SDK, as it is now; they are read one after the other. */
export async function exported(
  store: Store,
  conversation: string,
  report: (done: number, total: number) => void,
  work?: Work,
): Promise<{ updatedAt: number; files: AsyncGenerator<Exported, void> }> {
  const root = await openExport({ store, conversation });
  const conversations = [root];
  for (const { id, folder } of root.nested) conversations.push({ ...(await openExport({ store, conversation: id })), folder });
  const own = work?.isOwn
    ? treeOf(root.files)
        .paths("")
        .map((path) => workspaceFolder + path)
    : [];
  for (const each of conversations)
    each.files = each.files.filter(
      (path) =>
        !path.startsWith(workspaceFolder) &&
        (work || !path.startsWith(historyFolder)) &&
        // They are exchanged with the files as they are now.
        (work?.isOwn || !path.startsWith(versionsFolder)),
    );
  root.files = [...root.files, ...own];
  // The last one: it is left out if files have changed meanwhile, as versions depend on what the files are.
  for (const each of conversations)
    if (each.files.includes(currentVersion)) each.files = [...each.files.filter((path) => path !== currentVersion), currentVersion];
  const given = work && !work.isOwn ? await filesOf(work.workspace) : [];
  /** How much the files of the workspace may still have. */
  let room = mostExportedBytes;
  const take = (bytes: number) => {
    room -= bytes;
    if (room < 0)
      throw tooLarge(
        `the files of the workspace have more than ${mostExportedBytes} bytes, which is all that an archive takes; export without them, or remove some first`,
      );
  };
  for (const { size } of given) take(size);
  const total = conversations.reduce((sum, { length, files }) => sum + length + files.length + 1, given.length);
  let done = 0;

  const file = (name: string, content: Bytes): Exported => {
    report(++done, total);
    return { name, content };
  };

  async function* read(): AsyncGenerator<Exported, void> {
    for (const { id, folder, baseState, length, files, searched, callTimeout } of conversations) {
      yield file(`${folder}/base_state.json`, encoder.encode(baseState));
      yield { name: `${folder}/events/`, content: nothing };
      const page = new Page();
      for (let next = 0; next < length; ) {
        const end = Math.min(length, next + page.count);
        const events = await eventsOf(store, id, next, end, callTimeout);
        for (const event of events) {
          const content = encoder.encode(event.json);
          page.saw(content.length);
          yield file(`${folder}/${eventFile(event.index, event.id)}`, content);
        }
        next += events.length;
        page.turn();
      }
      page.count = 1;
      const atBegin = await versionState(store, id, files, callTimeout);
      const hasSecrets = new Set(searched);
      for (let next = 0; next < files.length; ) {
        const contents = await contentsOf(store, id, files.slice(next, next + page.count), callTimeout);
        for (const [place, content] of contents.entries()) {
          const path = files[next + place]!;
          const isOver = path === currentVersion && (await versionState(store, id, files, callTimeout)) !== atBegin;
          // The file was removed after the export had begun.
          if (content === undefined || content === null || isOver) {
            done++;
            continue;
          }
          if (!(content instanceof Uint8Array)) throw corrupt("readFile() returned something that is not a Uint8Array");
          page.saw(content.length);
          if (path.startsWith(workspaceFolder) || path.startsWith(versionsFolder)) take(content.length);
          yield file(`${folder}/${path}`, (hasSecrets.has(path) ? await withoutSecrets({ path, content }) : content) as Bytes);
        }
        next += contents.length;
        page.turn();
      }
    }
    for (const group of groups(given)) {
      const contents = await Promise.all(group.map(({ path }) => (isMarker(path) ? nothing : contentOf(work!.workspace, path))));
      for (const [place, content] of contents.entries()) {
        if (content) yield file(`${root.folder}/${workspaceFolder}${group[place]!.path}`, content as Bytes);
        else done++;
      }
    }
  }
  return { updatedAt: root.updatedAt, files: read() };
}

/** A text that is another one once a change of files is recorded; empty if these files have no versions. */
async function versionState(store: Store, id: string, files: string[], callTimeout: number): Promise<string> {
  if (files.at(-1) !== currentVersion) return "";
  const text = async (path: string) =>
    new TextDecoder().decode((await asked("readFile", callTimeout, () => store.readFile(id, path))) ?? nothing);
  const current = await text(currentVersion);
  return `${current}\n${await text(`${versionsFolder}versions/${current.slice(current.indexOf(" ") + 1)}`)}`;
}

/** Files that are read side by side: small ones, or a large one alone. */
function* groups(files: WorkspaceEntry[]): Generator<WorkspaceEntry[]> {
  let group: WorkspaceEntry[] = [];
  let bytes = 0;
  for (const file of files) {
    if (group.length === mostFiles || (group.length > 0 && bytes + file.size > pageBytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(file);
    bytes += file.size;
  }
  if (group.length > 0) yield group;
}

/** The content of a file, or `undefined` if it has been removed after the export had begun. */
async function contentOf(workspace: Workspace, path: string): Promise<Uint8Array | undefined> {
  try {
    return await workspace.read(path);
  } catch (error) {
    if (error !== null && typeof error === "object" && "code" in error && error.code === "not_found") return undefined;
    throw error;
  }
}
