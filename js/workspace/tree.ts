// The paths of a workspace whose files are stored by path, as a tree. Like the store, it knows files only; a directory exists
// as long as it contains a file, which may be the marker of an empty directory.
import { directoryMarker, isRelativePath, parentOf } from "./path.js";
import { isMarker } from "./walk.js";

/** Where the files of a workspace are among those of its conversation. */
export const workspaceFolder = "workspace/";

/** A file of the tree. */
export interface StoredFile {
  /** Bytes; `undefined` until the file has been read. */
  size: number | undefined;
  /** Milliseconds since the Unix epoch; 0 if it is not known. */
  modifiedAt: number;
}

/** A directory, which only the tree with this owner changes in place. */
export interface Directory {
  owner: object;
  entries: Map<string, StoredFile | Directory>;
}

export function isDirectory(entry: StoredFile | Directory | undefined): entry is Directory {
  return entry !== undefined && "entries" in entry;
}

export class Tree {
  /** Compared with the owner of a directory: trees share directories until one of them changes it. */
  #owner = {};
  #root: Directory = { owner: this.#owner, entries: new Map() };
  #count = 0;

  /** The number of files. */
  get count(): number {
    return this.#count;
  }

  /** A copy in constant time. */
  fork(): Tree {
    const copy = new Tree();
    copy.#root = this.#root;
    copy.#count = this.#count;
    // From now on this tree may not change the directories of the copy either.
    this.#owner = {};
    return copy;
  }

  /** The file or directory at this path; `""` is the root. */
  find(path: string): StoredFile | Directory | undefined {
    let entry: StoredFile | Directory | undefined = this.#root;
    for (const name of names(path)) {
      if (!isDirectory(entry)) return undefined;
      entry = entry.entries.get(name);
    }
    return entry;
  }

  /** Adds or replaces a file. If both a file and a directory with this path are stored, the directory is found. */
  set(path: string, file: StoredFile): void {
    const way = names(path);
    const name = way.pop()!;
    let directory = this.#ownRoot();
    for (const name of way) directory = this.#ownChild(directory, name);
    const before = directory.entries.get(name);
    if (isDirectory(before)) return;
    if (!before) this.#count++;
    directory.entries.set(name, file);
  }

  /** Removes a file, and the directories that contained nothing else. */
  delete(path: string): void {
    const file = this.find(path);
    if (!file || isDirectory(file)) return;
    this.#count--;
    const way = names(path);
    const name = way.pop()!;
    const directories = [this.#ownRoot()];
    for (const name of way) directories.push(this.#ownChild(directories.at(-1)!, name));
    directories.at(-1)!.entries.delete(name);
    for (let depth = directories.length - 1; depth > 0 && directories[depth]!.entries.size === 0; depth--) {
      directories[depth - 1]!.entries.delete(way[depth - 1]!);
    }
  }

  /** The paths of this file, or of all files in this directory, with markers. */
  paths(path: string): string[] {
    const found: string[] = [];
    const visit = (path: string, entry: StoredFile | Directory) => {
      if (!isDirectory(entry)) return void found.push(path);
      for (const [name, child] of entry.entries) visit(path === "" ? name : `${path}/${name}`, child);
    };
    const entry = this.find(path);
    if (entry) visit(path, entry);
    return found;
  }

  #ownRoot(): Directory {
    return (this.#root = this.#own(this.#root));
  }

  #ownChild(directory: Directory, name: string): Directory {
    const child = directory.entries.get(name);
    const own = isDirectory(child) ? this.#own(child) : { owner: this.#owner, entries: new Map() };
    // A file of this name is no longer found.
    if (child && !isDirectory(child)) this.#count--;
    directory.entries.set(name, own);
    return own;
  }

  #own(directory: Directory): Directory {
    return directory.owner === this.#owner ? directory : { owner: this.#owner, entries: new Map(directory.entries) };
  }
}

/** The workspace in the files of a conversation. Other programs may have stored files with names that no tool can write: they are not of it. */
export function treeOf(stored: string[]): Tree {
  const tree = new Tree();
  for (const each of stored) {
    if (!each.startsWith(workspaceFolder)) continue;
    const path = each.slice(workspaceFolder.length);
    const isEmpty = isMarker(path) && isRelativePath(parentOf(path));
    if (isEmpty || isRelativePath(path)) tree.set(path, { size: isEmpty ? 0 : undefined, modifiedAt: 0 });
  }
  return tree;
}

/** Whether the only file of this directory is the marker of an empty one. */
export function hasMarker(directory: Directory): boolean {
  return directory.entries.has(directoryMarker);
}

function names(path: string): string[] {
  return path === "" ? [] : path.split("/");
}
