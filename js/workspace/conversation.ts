// The conversation's own files as a workspace. They are further files of the conversation in its store, under `workspace/`;
// an empty directory is a hidden file. The changes of a built-in tool's call are collected and read back while it runs, and
// are stored by the core in the transaction of the result.
import { ThreadkeepError, invalidOptions } from "../input/errors.js";
import { confined } from "./confined.js";
import { checkCount, checkSize, mostChangedBytes, tooLarge } from "./limits.js";
import { Watchers } from "./listeners.js";
import { childOf, directoryMarker, notFound, parentOf, shown } from "./path.js";
import { type Directory, type StoredFile, type Tree, hasMarker, isDirectory, treeOf, workspaceFolder } from "./tree.js";
import type { FileChange, PendingFiles, StoredFiles, Workspace, WorkspaceEntry } from "./types.js";
import { isMarker } from "./walk.js";

/** How many files are read at once where only their sizes are needed. */
const readAtOnce = 16;

export class ConversationWorkspace {
  readonly workspace: Workspace;
  readonly #storage: StoredFiles;
  readonly #workingDir: string;
  readonly #watchers = new Watchers();
  #loading: Promise<Tree> | undefined;

  constructor(storage: StoredFiles, workingDir: string) {
    this.#storage = storage;
    this.#workingDir = workingDir;
    this.workspace = this.#workspace({
      tree: () => this.#tree(),
      content: (path) => storage.readFile(workspaceFolder + path),
      apply: async (changes, tree) => {
        await storage.writeFiles(stored(changes));
        this.#applied(changes, tree);
      },
    });
  }

  /** The workspace of one call, whose changes are stored together with its result. */
  begin(): PendingFiles {
    const pending = new Map<string, Uint8Array | null>();
    let fork: Tree | undefined;
    let bytes = 0;
    let hasEnded = false;
    const changes = () => [...pending].map(([path, content]) => ({ path, content }));
    const checkRunning = () => {
      if (hasEnded)
        throw new ThreadkeepError(
          "invalid_state",
          "the call that this workspace belongs to has ended; its files are those of the conversation now",
        );
    };
    const workspace = this.#workspace({
      tree: async () => {
        checkRunning();
        const tree = await this.#tree();
        checkRunning();
        return (fork ??= tree.fork());
      },
      content: async (path) => {
        const content = pending.get(path);
        return content ? content.slice() : this.#storage.readFile(workspaceFolder + path);
      },
      apply: async (changes, tree) => {
        checkRunning();
        const size = (content: Uint8Array | null | undefined) => content?.length ?? 0;
        const after = changes.reduce((sum, { path, content }) => sum + size(content) - size(pending.get(path)), bytes);
        if (after > mostChangedBytes)
          throw tooLarge(`one call may change files of at most ${mostChangedBytes} bytes in total; use several calls`);
        bytes = after;
        for (const { path, content } of changes) pending.set(path, content);
        applyTo(tree, changes);
      },
    });
    return {
      workspace,
      end: () => {
        hasEnded = true;
        return stored(changes());
      },
      commit: () => {
        hasEnded = true;
        // Without changes the tree may not be loaded.
        if (pending.size > 0) void this.#tree().then((tree) => this.#applied(changes(), tree));
      },
    };
  }

  /** Lets the tree be read again when it is needed. */
  reload(): void {
    this.#loading = undefined;
  }

  /** The files with these paths have been replaced. */
  moved(paths: string[]): void {
    this.reload();
    const own = paths.filter((path) => path.startsWith(workspaceFolder)).map((path) => path.slice(workspaceFolder.length));
    if (own.length === 0) return;
    const notify = (tree: Tree | undefined) => {
      for (const path of own) if (!isMarker(path)) this.#watchers.notify(path, !tree || tree.find(path) ? "written" : "removed");
    };
    this.#tree().then(notify, () => notify(undefined));
  }

  /** The tree of the stored files, which is read once. */
  #tree(): Promise<Tree> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<Tree> {
    return treeOf(await this.#storage.files(workspaceFolder.slice(0, -1)));
  }

  #applied(changes: FileChange[], tree: Tree): void {
    applyTo(tree, changes);
    for (const { path, content } of changes) {
      if (!isMarker(path)) this.#watchers.notify(path, content === null ? "removed" : "written");
      else if (content !== null) this.#watchers.notify(parentOf(path), "written");
    }
  }

  #workspace(access: Access): Workspace {
    return confined(workspaceOver(access, this.#workingDir, this.#watchers));
  }
}

/** A version of the files: the stored ones, those with the changes of a call, or those of an earlier event. */
interface Access {
  tree(): Promise<Tree>;
  content(path: string): Promise<Uint8Array | undefined>;
  apply(changes: FileChange[], tree: Tree): Promise<void>;
}

export function workspaceOver({ tree: treeOf, content: contentOf, apply }: Access, workingDir: string, watchers: Watchers): Workspace {
  // Changes are computed from the tree, so they are made one after the other.
  let last: Promise<unknown> = Promise.resolve();
  const change = (changesOf: (tree: Tree) => FileChange[] | Promise<FileChange[]>): Promise<void> => {
    const done = last.then(async () => {
      const tree = await treeOf();
      const changes = await changesOf(tree);
      if (changes.length > 0) await apply(changes, tree);
    });
    last = done.catch(() => {});
    return done;
  };
  const read = async (path: string, tree: Tree) => {
    const file = tree.find(path);
    if (!file) throw notFound(path);
    if (isDirectory(file)) throw invalidOptions(`${shown(path)} is a directory, not a file`);
    const content = await contentOf(path);
    if (!content) throw notFound(path);
    checkSize(path, content.length);
    file.size = content.length;
    return content;
  };
  const entryOf = async (path: string, found: StoredFile | Directory): Promise<WorkspaceEntry> => {
    if (isDirectory(found)) return { path, type: "directory", size: 0, modifiedAt: 0 };
    found.size ??= (await contentOf(path))?.length ?? 0;
    return { path, type: "file", size: found.size, modifiedAt: found.modifiedAt };
  };
  return {
    workingDir,
    read: async (path) => read(path, await treeOf()),
    write: (path, content) => change((tree) => [...room(tree, path), { path, content: content as Uint8Array }]),
    async stat(path) {
      const found = (await treeOf()).find(path);
      return found && entryOf(path, found);
    },
    async list(path) {
      const directory = (await treeOf()).find(path);
      if (!directory) throw notFound(path);
      if (!isDirectory(directory)) throw invalidOptions(`${shown(path)} is a file, not a directory`);
      const children = [...directory.entries].filter(([name]) => name !== directoryMarker);
      const entries: WorkspaceEntry[] = [];
      for (let next = 0; next < children.length; next += readAtOnce) {
        const some = children.slice(next, next + readAtOnce);
        entries.push(...(await Promise.all(some.map(([name, child]) => entryOf(childOf(path, name), child)))));
      }
      return entries;
    },
    makeDirectory: (path) =>
      change((tree) => {
        const existing = tree.find(path);
        if (isDirectory(existing)) return [];
        if (existing) throw invalidOptions(`${shown(path)} is a file, not a directory`);
        return [...room(tree, childOf(path, directoryMarker)), markerOf(path)];
      }),
    remove: (path) =>
      change((tree) => {
        if (!tree.find(path)) throw notFound(path);
        return [...tree.paths(path).map((path) => ({ path, content: null })), ...left(tree, path)];
      }),
    move: (from, to) =>
      change(async (tree) => {
        const source = tree.find(from);
        if (!source) throw notFound(from);
        if (isDirectory(source) && tree.find(to))
          throw invalidOptions(`${shown(to)} exists already, so the directory ${shown(from)} cannot be moved there`);
        const changes = room(tree, to);
        let bytes = 0;
        for (const path of tree.paths(from)) {
          const content = isMarker(path) ? new Uint8Array(0) : await read(path, tree);
          bytes += content.length;
          if (bytes > mostChangedBytes)
            throw tooLarge(`the files in ${shown(from)} have more than ${mostChangedBytes} bytes; move them one by one`);
          changes.push({ path, content: null }, { path: to + path.slice(from.length), content });
        }
        return [...changes, ...left(tree, from, to)];
      }),
    watch: (listener) => watchers.add(listener),
  };
}

/** Fails if no file can be written there. Returns the changes that come with it: a directory is no longer empty. */
function room(tree: Tree, path: string): FileChange[] {
  const existing = tree.find(path);
  if (isDirectory(existing)) throw invalidOptions(`${shown(path)} is a directory, not a file`);
  if (existing) return [];
  checkCount(tree.count + 1, "the workspace");
  for (let directory = parentOf(path); directory !== ""; directory = parentOf(directory)) {
    const around = tree.find(directory);
    if (around && !isDirectory(around)) throw invalidOptions(`${shown(directory)} is a file, not a directory`);
    if (around) return hasMarker(around) ? [{ path: childOf(directory, directoryMarker), content: null }] : [];
  }
  return [];
}

/** The changes that come with the removal of a file or directory, or its move to `to`: its directory may be empty now. */
function left(tree: Tree, path: string, to = ""): FileChange[] {
  const directory = parentOf(path);
  const around = tree.find(directory);
  const isEmpty = isDirectory(around) && around.entries.size === 1 && !to.startsWith(`${directory}/`);
  return directory !== "" && isEmpty ? [markerOf(directory)] : [];
}

function markerOf(directory: string): FileChange {
  return { path: childOf(directory, directoryMarker), content: new Uint8Array(0) };
}

/** With the paths of the store. */
function stored(changes: FileChange[]): FileChange[] {
  return changes.map(({ path, content }) => ({ path: workspaceFolder + path, content }));
}

function applyTo(tree: Tree, changes: FileChange[]): void {
  const modifiedAt = Date.now();
  for (const { path, content } of changes) {
    if (content === null) tree.delete(path);
    else tree.set(path, { size: content.length, modifiedAt });
  }
}
