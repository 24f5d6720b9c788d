// The further files of a conversation. Each lies at its path, as in the SDK's layout, if any disk accepts that; one whose name
// some disks refuse, or take for that of another file, lies aside, in a file of its own that begins with the path.
import { bytesOf, hashOf, textOfBytes, type Bytes } from "../../input/bytes.js";
import { type Directory, contentOf, directoryIn, each, entriesOf, fileIn, isNamed, madeIn, makeIn } from "./disk.js";
import { readIn, removeIn, stampOf } from "./disk.js";
import { baseStateFile, eventsFolder, folded, idOf, isFurther, isPortable, ownFolder, subagentsFolder } from "./names.js";

/** The directory in that of the store's own files. */
const asideFolder = "aside";

/** The place of a file. */
interface Place {
  isAside: boolean;
  folder: string;
  name: string;
}

/** The names in a directory, and those that some file systems would take for one of them. */
interface Names {
  kinds: Map<string, FileSystemHandleKind>;
  folded: Set<string>;
}

export class FurtherFiles {
  readonly #directory: Directory;
  readonly #isShared: boolean;
  #names = new Map<string, Names>();

  /** @param isShared Whether it is on the user's disk. */
  constructor(directory: Directory, isShared: boolean) {
    this.#directory = directory;
    this.#isShared = isShared;
  }

  /** Forgets what is in the directories, after somebody else may have written. */
  forget(): void {
    this.#names.clear();
  }

  async read(path: string): Promise<Bytes | undefined> {
    const place = (await this.#placeOf(path)) ?? (await this.#foundAnew(path));
    const folder = place && (await this.#folder(place));
    const content = folder && (await readIn(folder, place.name));
    if (!place?.isAside) return content;
    return content?.subarray(content.indexOf(10) + 1);
  }

  /** The paths of all files, or of those below a folder. */
  async list(folder: string | undefined): Promise<string[]> {
    const paths: string[] = [];
    const pending: string[] = [folder ?? ""];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const directory = await this.#at(next);
      if (!directory) continue;
      for (const [name, kind] of await entriesOf(directory)) {
        const path = next === "" ? name : `${next}/${name}`;
        if (!isFurther(name) || [baseStateFile, eventsFolder, ownFolder].includes(path)) continue;
        if (kind === "file") paths.push(path);
        else if (!(await this.#isConversation(path))) pending.push(path);
      }
    }
    const aside = await this.#at(`${ownFolder}/${asideFolder}`);
    const files = aside ? await entriesOf(aside) : [];
    for (const content of await each(files, ([name]) => readIn(aside!, name))) if (content) paths.push(pathIn(content));
    return folder === undefined ? paths : paths.filter((path) => path.startsWith(`${folder}/`));
  }

  /** The stamp of a file, `null` if it does not exist. */
  async stamp(path: string): Promise<string | null> {
    return stampOf(await this.file(path));
  }

  async file(path: string): Promise<File | undefined> {
    const place = (await this.#placeOf(path)) ?? (await this.#foundAnew(path));
    const folder = place && (await this.#folder(place));
    return folder && fileIn(folder, place.name);
  }

  async write(path: string, content: Bytes): Promise<void> {
    const known = await this.#placeOf(path);
    const place = known ?? (await this.#newPlace(path));
    let folder = this.#directory;
    for (const name of place.folder === "" ? [] : place.folder.split("/")) folder = await madeIn(folder, name);
    const bytes = place.isAside ? new Blob([bytesOf(`${JSON.stringify(path)}\n`), content]) : content;
    const beside = known || this.#isShared ? undefined : await this.#at(ownFolder);
    await makeIn(folder, place.name, bytes, beside);
  }

  async remove(path: string): Promise<void> {
    const place = await this.#placeOf(path);
    const folder = place && (await this.#folder(place));
    if (!folder) return;
    await removeIn(folder, place.name);
    const names = this.#names.get(place.folder);
    names?.kinds.delete(place.name);
    names?.folded.delete(folded(place.name));
  }

  /** The place of a file that exists, as far as is known. */
  async #placeOf(path: string): Promise<Place | undefined> {
    const { kinds } = await this.#namesOf(`${ownFolder}/${asideFolder}`);
    const aside = kinds.size > 0 ? await this.#aside(path) : undefined;
    if (aside && kinds.has(aside.name)) return aside;
    if (!isPortable(path)) return undefined;
    const plain = plainPlace(path);
    return (await this.#namesOf(plain.folder)).kinds.get(plain.name) === "file" ? plain : undefined;
  }

  /** The place of a file that another program may have written since its directory was read. */
  async #foundAnew(path: string): Promise<Place | undefined> {
    if (!isPortable(path)) return undefined;
    const { folder, name } = plainPlace(path);
    const directory = await this.#at(folder);
    if (!directory) return undefined;
    try {
      if (!(await fileIn(directory, name))) return undefined;
    } catch (error) {
      // A name that this browser does not accept.
      if (isNamed((error as Error).cause, "TypeError")) return undefined;
      throw error;
    }
    this.#names.delete(folder);
    return this.#placeOf(path);
  }

  /** The place that a new file gets, which is known as its place from then on. */
  async #newPlace(path: string): Promise<Place> {
    const place = (await this.#isFree(path)) ? plainPlace(path) : await this.#aside(path);
    const parts = place.folder.split("/");
    for (let length = parts.length; length > 0; length--) this.#add(parts.slice(0, length - 1).join("/"), parts[length - 1]!, "directory");
    this.#add(place.folder, place.name, "file");
    return place;
  }

  #add(folder: string, name: string, kind: FileSystemHandleKind): void {
    const names = this.#names.get(folder);
    if (name === "" || !names) return;
    names.kinds.set(name, kind);
    names.folded.add(folded(name));
  }

  /** Whether no other file is in the way of one at this path, on any disk. */
  async #isFree(path: string): Promise<boolean> {
    if (!isPortable(path)) return false;
    const parts = path.split("/");
    let folder = "";
    for (const [place, name] of parts.entries()) {
      const names = await this.#namesOf(folder);
      const kind = names.kinds.get(name);
      const isLast = place === parts.length - 1;
      if (kind === undefined ? names.folded.has(folded(name)) : isLast || kind === "file") return false;
      if (kind === undefined && !(await this.#isAccepted(folder, name))) return false;
      folder = folder === "" ? name : `${folder}/${name}`;
    }
    return true;
  }

  /** Whether the browser accepts the name: that of a picked folder refuses more of them. */
  async #isAccepted(folder: string, name: string): Promise<boolean> {
    try {
      const directory = await this.#at(folder);
      if (directory) await fileIn(directory, name);
      return true;
    } catch (error) {
      if (isNamed((error as Error).cause, "TypeError")) return false;
      throw error;
    }
  }

  async #namesOf(folder: string): Promise<Names> {
    const known = this.#names.get(folder);
    if (known) return known;
    const directory = await this.#at(folder);
    const entries = directory ? await entriesOf(directory) : [];
    const names = { kinds: new Map(entries), folded: new Set(entries.map(([name]) => folded(name))) };
    this.#names.set(folder, names);
    return names;
  }

  async #aside(path: string): Promise<Place> {
    return { isAside: true, folder: `${ownFolder}/${asideFolder}`, name: await hashOf(bytesOf(path)) };
  }

  #folder({ folder }: Place): Promise<Directory | undefined> {
    return this.#at(folder);
  }

  async #at(folder: string): Promise<Directory | undefined> {
    let directory: Directory | undefined = this.#directory;
    for (const name of folder === "" ? [] : folder.split("/")) directory = directory && (await directoryIn(directory, name));
    return directory;
  }

  /** Whether the directory is that of a sub-agent's conversation. */
  async #isConversation(path: string): Promise<boolean> {
    const [top, name, ...rest] = path.split("/");
    if (top !== subagentsFolder || rest.length > 0 || name === undefined || !idOf(name)) return false;
    const directory = await this.#at(path);
    return directory !== undefined && (await fileIn(directory, baseStateFile)) !== undefined;
  }
}

/** The content of a file that lies aside, and its path. */
export async function asideIn(file: Blob): Promise<{ path: string; content: Blob }> {
  const bytes = await contentOf(file.slice(0, 8192));
  return { path: pathIn(bytes), content: file.slice(bytes.indexOf(10) + 1) };
}

function pathIn(content: Bytes): string {
  return JSON.parse(textOfBytes(content.subarray(0, content.indexOf(10))));
}

function plainPlace(path: string): Place {
  const end = path.lastIndexOf("/");
  return { isAside: false, folder: path.slice(0, Math.max(end, 0)), name: path.slice(end + 1) };
}
