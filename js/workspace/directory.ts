// A workspace over a directory handle: of OPFS, or of a folder that the user has picked.
import { type ErrorCode, ThreadkeepError, fieldOf, invalidOptions, isA, textOf } from "../input/errors.js";
import { checkCount, checkSize } from "./limits.js";
import { Watchers } from "./listeners.js";
import { childOf, notFound, parentOf, shown } from "./path.js";
import type { Workspace, WorkspaceChange, WorkspaceEntry } from "./types.js";

type Directory = FileSystemDirectoryHandle;
type Handle = Directory | FileSystemFileHandle;

/** A change that the browser has observed. */
interface ObservedChange {
  type: "appeared" | "disappeared" | "modified" | "moved" | "unknown" | "errored";
  relativePathComponents: string[];
  relativePathMovedFrom?: string[] | null;
}

/** In Chromium; TypeScript does not know it. */
interface Observer {
  observe(handle: Directory, options: { recursive: boolean }): Promise<void>;
  disconnect(): void;
}

const { FileSystemObserver } = globalThis as { FileSystemObserver?: new (callback: (changes: ObservedChange[]) => void) => Observer };

/** How many files are asked for their size at once. */
const askedAtOnce = 16;

/** @param root The directory; called for each operation, and rejects if the directory may not be used now. */
export function directoryWorkspace(root: () => Promise<Directory>, workingDir: string): Workspace {
  const watchers = new Watchers();
  let observing: Promise<Observer | undefined> | undefined;

  /** The directory at this path, or `undefined` if it does not exist. */
  async function directoryAt(path: string, create = false): Promise<Directory | undefined> {
    let directory = await root();
    let place = "";
    for (const name of path === "" ? [] : path.split("/")) {
      place = childOf(place, name);
      const next = await found(() => directory.getDirectoryHandle(name, { create }));
      if (next === "other") {
        if (create) throw invalidOptions(`${shown(place)} is a file, not a directory`);
        return undefined;
      }
      if (!next) return undefined;
      directory = next;
    }
    return directory;
  }

  /** The file or directory at this path. */
  async function at(path: string): Promise<Handle | undefined> {
    if (path === "") return root();
    const directory = await directoryAt(parentOf(path));
    const name = nameOf(path);
    const file = directory && (await found(() => directory.getFileHandle(name)));
    if (file !== "other") return file;
    const other = await found(() => directory!.getDirectoryHandle(name));
    return other === "other" ? undefined : other;
  }

  async function existing(path: string): Promise<Handle> {
    const handle = await at(path);
    if (!handle) throw notFound(path);
    return handle;
  }

  /** The file at this path, to write it. */
  async function newFile(path: string): Promise<FileSystemFileHandle> {
    const directory = await directoryAt(parentOf(path), true);
    const file = await found(() => directory!.getFileHandle(nameOf(path), { create: true }));
    if (file === "other") throw invalidOptions(`${shown(path)} is a directory, not a file`);
    if (!file) throw notFound(path);
    if (!("createWritable" in file))
      throw new ThreadkeepError("store_unavailable", "this browser does not write files of a page; use the conversation's own files");
    return file;
  }

  async function copy(from: FileSystemFileHandle, to: string): Promise<void> {
    const file = await newFile(to);
    await settled(to, async () => (await from.getFile()).stream().pipeTo(await file.createWritable()));
  }

  /** Files and directories below this one, directories first. */
  async function below(directory: Directory, path = ""): Promise<Array<[path: string, handle: Handle]>> {
    const found: Array<[string, Handle]> = [];
    const pending: Array<[string, Directory]> = [[path, directory]];
    for (let next = pending.shift(); next; next = pending.shift()) {
      for await (const handle of next[1].values()) {
        const path = childOf(next[0], handle.name);
        found.push([path, handle]);
        if (handle.kind === "directory") pending.push([path, handle]);
        checkCount(found.length, "the directory to move");
      }
    }
    return found;
  }

  async function remove(path: string): Promise<void> {
    const directory = await directoryAt(parentOf(path));
    await settled(path, () => directory!.removeEntry(nameOf(path), { recursive: true }));
  }

  /** Copies everything before anything is removed, so that a move that breaks off loses nothing. */
  async function move(from: string, to: string): Promise<void> {
    const source = await existing(from);
    if (source.kind === "file") await copy(source, to);
    else {
      const contents = await settled(from, () => below(source));
      await makeDirectory(to);
      for (const [path, handle] of contents) {
        if (handle.kind === "directory") await makeDirectory(childOf(to, path));
        else await copy(handle, childOf(to, path));
      }
    }
    await remove(from);
  }

  async function makeDirectory(path: string): Promise<void> {
    await directoryAt(path, true);
  }

  const observe = async () => {
    if (!FileSystemObserver) return undefined;
    const observer = new FileSystemObserver((changes) => {
      for (const change of changes) for (const { path, type } of reported(change)) watchers.notify(path, type);
    });
    await observer.observe(await root(), { recursive: true });
    return observer;
  };

  return {
    workingDir,
    async read(path) {
      const handle = await existing(path);
      if (handle.kind === "directory") throw invalidOptions(`${shown(path)} is a directory, not a file`);
      return settled(path, async () => {
        const file = await handle.getFile();
        checkSize(path, file.size);
        return new Uint8Array(await file.arrayBuffer());
      });
    },
    async write(path, content) {
      const file = await newFile(path);
      await settled(path, async () => {
        const writable = await file.createWritable();
        try {
          await writable.write(content as Uint8Array<ArrayBuffer>);
        } catch (error) {
          await writable.abort().catch(() => {});
          throw error;
        }
        await writable.close();
      });
      watchers.notify(path, "written");
    },
    async stat(path) {
      const handle = await at(path);
      return handle && entryOf(path, handle);
    },
    async list(path) {
      const directory = await existing(path);
      if (directory.kind === "file") throw invalidOptions(`${shown(path)} is a file, not a directory`);
      const handles: Handle[] = [];
      await settled(path, async () => {
        for await (const handle of directory.values()) {
          handles.push(handle);
          checkCount(handles.length, `the directory ${shown(path)}`);
        }
      });
      const entries: Array<WorkspaceEntry | undefined> = [];
      for (let next = 0; next < handles.length; next += askedAtOnce) {
        entries.push(
          ...(await Promise.all(handles.slice(next, next + askedAtOnce).map((handle) => entryOf(childOf(path, handle.name), handle)))),
        );
      }
      return entries.filter((entry) => entry !== undefined);
    },
    async makeDirectory(path) {
      await makeDirectory(path);
      watchers.notify(path, "written");
    },
    async remove(path) {
      await existing(path);
      await remove(path);
      watchers.notify(path, "removed");
    },
    async move(from, to) {
      const source = await existing(from);
      const isSame = folded(from) === folded(to);
      if (!isSame && `${folded(to)}/`.startsWith(`${folded(from)}/`)) throw invalidOptions(`${shown(from)} cannot be moved into itself`);
      if (isSame) {
        // Some file systems do not distinguish upper and lower case: there both paths are the same file.
        const between = `${to}.moving`;
        await move(from, between);
        await move(between, to);
      } else {
        const target = await at(to);
        if (target && source.kind === "directory")
          throw invalidOptions(`${shown(to)} exists already, so the directory ${shown(from)} cannot be moved there`);
        await move(from, to);
      }
      watchers.notify(from, "removed");
      watchers.notify(to, "written");
    },
    watch(listener) {
      // Without permission there is nothing to observe yet; the next listener tries again.
      observing ??= observe().catch(() => (observing = undefined));
      return watchers.add(listener);
    },
    async close() {
      (await observing)?.disconnect();
      observing = undefined;
    },
  };
}

/** The entry of a file or directory, or `undefined` if it has just been removed. */
async function entryOf(path: string, handle: Handle): Promise<WorkspaceEntry | undefined> {
  if (handle.kind === "directory") return { path, type: "directory", size: 0, modifiedAt: 0 };
  const file = await found(() => handle.getFile());
  return file && file !== "other" ? { path, type: "file", size: file.size, modifiedAt: file.lastModified } : undefined;
}

/** The result, `undefined` if there is nothing of this name, or `"other"` if it is a file instead of a directory or the reverse. */
async function found<T>(search: () => Promise<T>): Promise<T | "other" | undefined> {
  try {
    return await search();
  } catch (error) {
    const name = nameOfError(error);
    if (name === "NotFoundError") return undefined;
    if (name === "TypeMismatchError") return "other";
    throw failure(error);
  }
}

/** The result; the browser's errors become those of the API. */
async function settled<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw nameOfError(error) === "NotFoundError" ? notFound(path) : failure(error);
  }
}

const codes: { [name: string]: ErrorCode } = {
  NotAllowedError: "permission_required",
  QuotaExceededError: "store_quota",
  SecurityError: "store_unavailable",
  NoModificationAllowedError: "locked_elsewhere",
  InvalidModificationError: "locked_elsewhere",
  // The browser accepts fewer names than a workspace.
  TypeError: "invalid_options",
};

function failure(error: unknown): ThreadkeepError {
  if (isA(error, ThreadkeepError)) return error;
  return new ThreadkeepError(codes[nameOfError(error)] ?? "store_corrupt", `the file could not be read or written: ${textOf(error)}`, {
    cause: error,
  });
}

function nameOfError(error: unknown): string {
  return String(fieldOf(error, "name"));
}

function reported({ type, relativePathComponents, relativePathMovedFrom }: ObservedChange): WorkspaceChange[] {
  const path = relativePathComponents.join("/");
  if (type === "moved")
    return [
      { path: (relativePathMovedFrom ?? []).join("/"), type: "removed" },
      { path, type: "written" },
    ];
  return type === "errored" || type === "unknown" ? [] : [{ path, type: type === "disappeared" ? "removed" : "written" }];
}

/** Equal for paths that some file systems do not distinguish. */
function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
