// A workspace as the file system of the shell library. A workspace has neither links nor permissions.
import type { DirentEntry, Encoding, FileContent, FsStat, IFileSystem } from "just-bash/browser";
import type { WorkspaceEntry } from "../../workspace/types.js";
import type { Files } from "./protocol.js";

/** The largest file that commands can read or write, in bytes. */
const largestFile = 64 << 20;

export class WorkspaceFileSystem implements IFileSystem {
  readonly #files: Files;

  constructor(files: Files) {
    this.#files = files;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path);
    return isBinary(options) ? binaryString(bytes) : new TextDecoder().decode(bytes);
  }

  async readFileBytes(path: string): Promise<string> {
    return binaryString(await this.readFileBuffer(path));
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const entry = await this.#entry(path, "open");
    if (entry.type === "directory") throw failure("EISDIR", "illegal operation on a directory, read", path);
    if (entry.size > largestFile) throw failure("EFBIG", "file too large, read", path);
    return this.#files.read(entry.path);
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const to = inWorkspace(path);
    const entry = await this.#files.stat(to);
    if (entry?.type === "directory") throw failure("EISDIR", "illegal operation on a directory, open", path);
    // A workspace would create the directory.
    if (!entry) await this.#directory(parentOf(to), "open", path);
    const bytes = bytesOf(content, options);
    if (bytes.length > largestFile) throw failure("EFBIG", "file too large, write", path);
    await this.#files.write(to, bytes);
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const added = bytesOf(content, options);
    if (!(await this.exists(path))) return this.writeFile(path, added);
    const before = await this.readFileBuffer(path);
    const all = new Uint8Array(before.length + added.length);
    all.set(before);
    all.set(added, before.length);
    return this.writeFile(path, all);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#files.stat(inWorkspace(path))) !== undefined;
  }

  async stat(path: string): Promise<FsStat> {
    const entry = await this.#entry(path, "stat");
    const isDirectory = entry.type === "directory";
    return {
      isFile: !isDirectory,
      isDirectory,
      isSymbolicLink: false,
      mode: 0o755,
      size: entry.size,
      mtime: new Date(entry.modifiedAt),
      identity: `workspace:${entry.path}`,
    };
  }

  lstat(path: string): Promise<FsStat> {
    return this.stat(path);
  }

  async mkdir(path: string, { recursive = false }: { recursive?: boolean } = {}): Promise<void> {
    const to = inWorkspace(path);
    const entry = await this.#files.stat(to);
    if (entry && !(recursive && entry.type === "directory")) throw failure("EEXIST", "file already exists, mkdir", path);
    if (!recursive) await this.#directory(parentOf(to), "mkdir", path);
    if (!entry) await this.#files.makeDirectory(to);
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name);
  }

  async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    await this.#directory(inWorkspace(path), "scandir", path);
    const entries = (await this.#files.list(inWorkspace(path))).map(({ path, type }) => {
      const isDirectory = type === "directory";
      return { name: path.slice(path.lastIndexOf("/") + 1), isFile: !isDirectory, isDirectory, isSymbolicLink: false };
    });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async rm(path: string, { recursive = false, force = false }: { recursive?: boolean; force?: boolean } = {}): Promise<void> {
    const entry = await this.#files.stat(inWorkspace(path));
    if (!entry && force) return;
    if (!entry) throw failure("ENOENT", "no such file or directory, rm", path);
    if (entry.path === "") throw failure("EBUSY", "resource busy or locked, rm", path);
    if (entry.type === "directory" && !recursive && (await this.#files.list(entry.path)).length > 0) {
      throw failure("ENOTEMPTY", "directory not empty, rm", path);
    }
    await this.#files.remove(entry.path);
  }

  async cp(from: string, to: string, { recursive = false }: { recursive?: boolean } = {}): Promise<void> {
    const entry = await this.#entry(from, "cp");
    if (entry.type === "file") return this.writeFile(to, await this.readFileBuffer(from));
    if (!recursive) throw failure("EISDIR", "is a directory, cp", from);
    const [source, target] = [inWorkspace(from), inWorkspace(to)];
    if (source === target || target.startsWith(`${source}/`) || source === "")
      throw failure("EINVAL", "a directory cannot be copied into itself, cp", from);
    await this.mkdir(to, { recursive: true });
    for (const name of await this.readdir(from)) await this.cp(`${from}/${name}`, `${to}/${name}`, { recursive });
  }

  async mv(from: string, to: string): Promise<void> {
    const entry = await this.#entry(from, "rename");
    const target = inWorkspace(to);
    if (entry.path === target) return;
    if (entry.path === "" || target.startsWith(`${entry.path}/`)) throw failure("EINVAL", "invalid argument, rename", from);
    await this.#directory(parentOf(target), "rename", to);
    const replaced = await this.#files.stat(target);
    if (replaced?.type === "directory") {
      if (entry.type === "file") throw failure("EISDIR", "illegal operation on a directory, rename", to);
      await this.rm(to);
    }
    await this.#files.move(entry.path, target);
  }

  resolvePath(base: string, path: string): string {
    return `/${inWorkspace(path.startsWith("/") ? path : `${base}/${path}`)}`;
  }

  /** Only used to complete patterns, which the library also does by reading directories. */
  getAllPaths(): string[] {
    return [];
  }

  async chmod(path: string): Promise<void> {
    await this.#entry(path, "chmod");
  }

  async symlink(_: string, path: string): Promise<never> {
    throw failure("EPERM", "this workspace has no links, symlink", path);
  }

  async link(_: string, path: string): Promise<never> {
    throw failure("EPERM", "this workspace has no links, link", path);
  }

  async readlink(path: string): Promise<never> {
    await this.#entry(path, "readlink");
    throw failure("EINVAL", "invalid argument, readlink", path);
  }

  async realpath(path: string): Promise<string> {
    return `/${(await this.#entry(path, "realpath")).path}`;
  }

  /** The time of a change is that of the workspace. */
  async utimes(path: string): Promise<void> {
    await this.#entry(path, "utimes");
  }

  async #entry(path: string, operation: string): Promise<WorkspaceEntry> {
    const entry = await this.#files.stat(inWorkspace(path));
    if (!entry) throw failure("ENOENT", `no such file or directory, ${operation}`, path);
    return entry;
  }

  async #directory(relative: string, operation: string, path: string): Promise<void> {
    const entry = await this.#files.stat(relative);
    if (!entry && relative !== "") throw failure("ENOENT", `no such file or directory, ${operation}`, path);
    if (entry?.type === "file") throw failure("ENOTDIR", `not a directory, ${operation}`, path);
  }
}

/** The path in the form in which a workspace takes it; `..` never leads out of it. */
function inWorkspace(path: string): string {
  if (path.includes("\0")) throw failure("EINVAL", "the path contains a null byte, open", path.replaceAll("\0", "\\0"));
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Commands recognize errors by the form of Node's messages. */
function failure(code: string, what: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${what} '${path}'`), { code });
}

function isBinary(options: Encoding): boolean {
  const encoding = typeof options === "object" ? options.encoding : options;
  return encoding === "binary" || encoding === "latin1" || encoding === "ascii";
}

function bytesOf(content: FileContent, options?: Encoding): Uint8Array {
  if (typeof content !== "string") return content;
  return isBinary(options) ? Uint8Array.from(content, (character) => character.charCodeAt(0)) : new TextEncoder().encode(content);
}

function binaryString(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 8192) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return parts.join("");
}
