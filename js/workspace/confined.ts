// The one wrapper around every workspace: it checks arguments and results, so that a backend only gets relative paths in their
// shortest form and content as bytes, whatever a tool, a model or the host has written.
import { isA, isFunction } from "../input/arguments.js";
import { ThreadkeepError, invalidOptions, reading } from "../input/errors.js";
import { checkCount, checkSize } from "./limits.js";
import { checkedWorkingDir, isRelativePath, parentOf, relativePath, shown } from "./path.js";
import type { Workspace, WorkspaceEntry } from "./types.js";

const methods = ["read", "write", "stat", "list", "makeDirectory", "remove", "move", "watch"] as const;

/** The workspace behind this wrapper. @throws ThreadkeepError `invalid_options` if an object of the host is no workspace */
export function confined(backend: Workspace): Workspace {
  const workingDir = reading("the workspace", () => {
    if (typeof backend !== "object" || backend === null)
      throw invalidOptions("workspace must be a workspace: memoryWorkspace(), or an object with its methods");
    const missing = methods.find((name) => !isFunction(backend[name]));
    if (missing) throw invalidOptions(`the workspace has no method ${missing}()`);
    return checkedWorkingDir(backend.workingDir);
  });
  const at = (path: string) => relativePath(path, workingDir);
  /** The path of something in the workspace. */
  const inside = (path: string, what: string) => at(path) || refuse(`the workspace itself cannot be ${what}`);
  return {
    workingDir,
    async read(path) {
      const file = inside(path, "read, because it is a directory");
      const content: unknown = await backend.read(file);
      if (!isA(content, Uint8Array)) throw broken(`read() of ${shown(file)} returned something that is not a Uint8Array`);
      checkSize(file, content.length);
      return content;
    },
    async write(path, content) {
      const file = inside(path, "written, because it is a directory");
      const bytes = bytesOf(content);
      checkSize(file, bytes.length);
      await backend.write(file, bytes);
    },
    async stat(path) {
      const place = at(path);
      const entry = await backend.stat(place);
      if (entry === undefined || entry === null) return undefined;
      return checked(entry, (path) => path === place);
    },
    async list(path) {
      const directory = at(path);
      const entries = await backend.list(directory);
      if (!Array.isArray(entries)) throw broken("list() returned something that is not an array");
      checkCount(entries.length, `the directory ${shown(directory)}`);
      // A name that no method accepts is left out: nobody could do anything with such a file.
      return entries.filter((entry) => isRelativePath(entry?.path)).map((entry) => checked(entry, (path) => parentOf(path) === directory));
    },
    async makeDirectory(path) {
      const directory = at(path);
      if (directory !== "") await backend.makeDirectory(directory);
    },
    async remove(path) {
      await backend.remove(inside(path, "removed"));
    },
    async move(from, to) {
      const [source, target] = [inside(from, "moved"), inside(to, "replaced")];
      if (`${target}/`.startsWith(`${source}/`)) {
        if (source !== target) refuse(`the directory ${shown(source)} cannot be moved into itself`);
        // Moving something to where it is changes nothing, but it has to exist.
        if (await backend.stat(source)) return;
      }
      await backend.move(source, target);
    },
    watch(listener) {
      if (!isFunction(listener)) refuse("watch() takes a function");
      return backend.watch((change) => {
        if (isRelativePath(change?.path)) listener({ path: change.path, type: change.type });
      });
    },
    async close() {
      await backend.close?.();
    },
  };
}

function refuse(message: string): never {
  throw invalidOptions(message);
}

/** A copy of the content, because the caller may change its array afterwards. */
function bytesOf(content: unknown): Uint8Array {
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (isA(content, Uint8Array)) return content.slice();
  throw invalidOptions("the content of a file must be a text or a Uint8Array");
}

/** An entry with exactly its documented fields. */
function checked({ path, type, size, modifiedAt }: WorkspaceEntry, isExpected: (path: string) => boolean): WorkspaceEntry {
  if (!isExpected(path) || (type !== "file" && type !== "directory") || typeof size !== "number" || typeof modifiedAt !== "number") {
    throw broken(`the entry ${shown(String(path))} is not of the documented form`);
  }
  return { path, type, size, modifiedAt };
}

function broken(what: string): ThreadkeepError {
  return new ThreadkeepError("store_corrupt", `the workspace cannot be read: ${what}`);
}
