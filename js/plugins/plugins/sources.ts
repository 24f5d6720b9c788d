// The files of a plugin's source: an object, a zip archive, a directory handle, a URL, or a repository of GitHub.
import { ZipSource } from "../../formats/archive/zip-source.js";
import { isA } from "../../input/arguments.js";
import { type Bytes, bodyOf } from "../../input/bytes.js";
import { ThreadkeepError, invalidOptions, reading, textOf } from "../../input/errors.js";
import type { PluginFiles } from "../types.js";

/** A file of a source that is not read yet. */
export interface File {
  path: string;
  /** As far as it is known before it is read. */
  size: number;
  isLink: boolean;
  read(): Promise<Bytes>;
}

/** The files of a source. */
export interface Files {
  files: File[];
  /** The commit that they are of. */
  commit?: string | undefined;
  /** The plugin's folder in them, if it is not their top. */
  folder?: string | undefined;
}

/** The facts about a source that are known before its files are there. */
export interface Checked {
  folder: string;
  name: string;
  /** Without credentials. */
  shown: string;
  owner?: string;
  repository?: string;
  /** The commit with which it was loaded before. */
  pinned?: string;
}

/** The things that reading a source needs. */
export interface Reader {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal | undefined;
  /** The branch, tag or commit. */
  ref: string | undefined;
}

/** The list of files at a URL that is a directory. */
const listName = "plugin-files.json";
/** The milliseconds that a server has for a complete answer. */
const patience = 30_000;
/** The most bytes of an answer: as many as a plugin may have, and what a list adds. */
const mostBytes = 24 << 20;
/** The most files and the deepest folders of a directory that are looked at. The core has limits of its own. */
const [mostFiles, deepest] = [10_000, 16];

/** @throws ThreadkeepError `invalid_options`, `archive_invalid`, `network` */
export async function filesOf(source: PluginFiles, checked: Checked, reader: Reader): Promise<Files> {
  if (typeof source === "string" || isA(source, URL)) {
    const { owner, repository } = checked;
    if (owner !== undefined && repository !== undefined) return ofRepository(owner, repository, checked.folder, reader);
    if (!/^https?:/i.test(String(source)) || !URL.canParse(String(source)))
      throw invalidOptions(`${checked.shown} is neither github:owner/repo nor a URL that a page can load`);
    return ofURL(new URL(String(source)), checked, reader);
  }
  if (isA(source, Blob) || isA(source, ArrayBuffer) || isA(source, Uint8Array))
    return { files: await zipped(new Blob([source as BlobPart]), checked.name, reader) };
  if (isDirectory(source)) return { files: await walk(source, "", 0, [], reader) };
  const contents = reading("the source of a plugin", () =>
    typeof source === "object" && source !== null ? Object.entries(source as Record<string, unknown>) : [],
  );
  const isContent = ([, content]: [string, unknown]) => typeof content === "string" || isA(content, Uint8Array);
  if (contents.length === 0 || !contents.every(isContent))
    throw invalidOptions("a plugin is a URL, github:owner/repo, a zip archive, a directory handle, or an object of texts by path");
  const files = contents.map(([path, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content as Uint8Array);
    return file(path, bytes.length, async () => bytes);
  });
  return { files };
}

function file(path: string, size: number, read: () => Promise<Bytes>, isLink = false): File {
  return { path, size, isLink, read };
}

async function ofURL(url: URL, checked: Checked, reader: Reader): Promise<Files> {
  if (url.pathname.toLowerCase().endsWith(".zip"))
    return { files: await zipped(new Blob([await fetched(url, checked.shown, reader)]), checked.name, reader) };
  const base = new URL(url);
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  // The plugin's folder is below this URL, and so is its list.
  if (checked.folder !== "") base.pathname += `${checked.folder.split("/").map(encodeURIComponent).join("/")}/`;
  const below = (path: string) => new URL(path.split("/").map(encodeURIComponent).join("/"), base);
  const list = await fetched(below(listName), `${checked.shown}: its list of files, ${listName},`, reader);
  const { files, commit } = reading(`${listName} of ${checked.shown}`, () => JSON.parse(new TextDecoder().decode(list))) ?? {};
  if (!Array.isArray(files) || !files.every((path) => typeof path === "string"))
    throw invalidOptions(`${listName} of ${checked.shown} must be { "files": [paths] }`);
  const read = (path: string) => fetched(below(path), `${checked.shown}: ${path}`, reader);
  return {
    files: files.map((path: string) => file(path, 0, () => read(path))),
    commit: typeof commit === "string" ? commit : undefined,
    folder: "",
  };
}

/** An entry of a tree of GitHub. */
interface TreeEntry {
  path: string;
  mode: string;
  type: string;
  sha: string;
  size?: number;
}

async function ofRepository(owner: string, repository: string, folder: string, reader: Reader): Promise<Files> {
  const what = `github:${owner}/${repository}`;
  const api = `https://api.github.com/repos/${owner}/${repository}`;
  const json = async (path: string, accept = "application/vnd.github+json") =>
    new TextDecoder().decode(await fetched(new URL(`${api}/${path}`), what, reader, { accept }));
  const commit = (await json(`commits/${encodeURIComponent(reader.ref ?? "HEAD")}`, "application/vnd.github.sha")).trim();
  if (!/^[0-9a-f]{40,64}$/.test(commit)) throw new ThreadkeepError("network", `${what} names no commit for ${reader.ref ?? "HEAD"}`);
  const tree = async (of: string, isDeep: boolean): Promise<TreeEntry[]> => {
    const { tree, truncated } = JSON.parse(await json(`git/trees/${of}${isDeep ? "?recursive=1" : ""}`));
    if (truncated || !Array.isArray(tree)) throw new ThreadkeepError("too_large", `${what} has too many files; name the plugin's folder`);
    return tree;
  };
  // Folder by folder, because a list of the whole repository may be too long.
  let root = commit;
  for (const name of folder.split("/").filter((name) => name !== "")) {
    const entry = (await tree(root, false)).find((entry) => entry.path === name && entry.type === "tree");
    if (!entry) throw invalidOptions(`there is no folder ${folder} in ${what}`);
    root = entry.sha;
  }
  const entries = (await tree(root, true)).filter(({ type }) => type === "blob");
  const raw = (path: string) =>
    new URL([owner, repository, commit, ...`${folder}/${path}`.split("/").filter(Boolean)].map(encodeURIComponent).join("/"), rawFiles);
  return {
    files: entries.map(({ path, size = 0, mode }) =>
      file(path, size, () => fetched(raw(path), `${what}: ${path}`, reader), mode === "120000"),
    ),
    commit,
    folder: "",
  };
}

const rawFiles = "https://raw.githubusercontent.com/";

/** The body of an answer. The function of the host may ignore the signal. */
async function fetched(url: URL, what: string, { fetch, signal }: Reader, headers: Record<string, string> = {}): Promise<Bytes> {
  const late = AbortSignal.timeout(patience);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  let onAbort!: () => void;
  const aborted = new Promise<never>((_, reject) =>
    either.addEventListener("abort", (onAbort = () => reject(either.reason)), { once: true }),
  );
  if (either.aborted) onAbort();
  const read = async () => {
    // A page cannot load a URL with a user name, so it is sent as the header that it stands for.
    const address = new URL(url);
    const { username, password } = address;
    address.username = address.password = "";
    const credentials = username || password ? { authorization: `Basic ${btoa(`${username}:${decodeURIComponent(password)}`)}` } : {};
    let response: Response;
    try {
      response = await fetch(address.href, { headers: { ...headers, ...credentials }, redirect: "error", signal: either });
      if (typeof response?.ok !== "boolean") throw new Error("fetch did not return a response");
    } catch (error) {
      throw new ThreadkeepError(
        "network",
        `${what} could not be loaded: ${textOf(error)}; check the address, and whether the server allows this page (CORS)`,
        { cause: error },
      );
    }
    if (!response.ok) throw new ThreadkeepError("network", `${what} answered ${response.status}`, { status: response.status });
    let left = mostBytes;
    return bodyOf(response, (length) => {
      if ((left -= length) < 0) throw new ThreadkeepError("too_large", `${what} has more than ${mostBytes} bytes`);
    });
  };
  try {
    return await Promise.race([read(), aborted]);
  } catch (error) {
    if (!late.aborted) throw error;
    throw new ThreadkeepError("network", `${what} did not answer completely within ${patience / 1000} seconds`, { cause: error });
  } finally {
    either.removeEventListener("abort", onAbort);
  }
}

/** Flags of an entry that is a symbolic link. */
const link = 2;

async function zipped(archive: Blob, name: string, { signal }: Reader): Promise<File[]> {
  const invalid = (reason: unknown) =>
    new ThreadkeepError("archive_invalid", `${name} cannot be read: ${textOf(reason)}`, { cause: reason });
  // Nothing is written, so there is no store.
  const zip = new ZipSource(archive, undefined as never, signal);
  const files: File[] = [];
  for (let position = 0; ; ) {
    const { names, numbers } = await zip.nextEntries().catch((error: unknown) => {
      throw invalid(error);
    });
    if (names.length === 0) return files;
    for (let place = 0; place < names.length; place++, position++) {
      const at = position;
      const path = names[place]!;
      if (path.endsWith("/")) continue;
      const flags = numbers[3 * place + 2]! >> 16;
      const read = async () => {
        if (flags !== 0) throw invalid(`${path} is encrypted`);
        const content = await zip.read(Uint32Array.of(at));
        if (!(content instanceof Uint8Array)) throw invalid(`${path}: ${content.reason}`);
        return new Uint8Array(content);
      };
      files.push(file(path, numbers[3 * place + 1]!, read, flags === link));
    }
    if (files.length > mostFiles) throw invalid(`it has more than ${mostFiles} files`);
  }
}

function isDirectory(source: unknown): source is FileSystemDirectoryHandle {
  return reading(
    "the source of a plugin",
    () => typeof source === "object" && source !== null && (source as FileSystemHandle).kind === "directory" && "values" in source,
  );
}

/** All files below a directory, except those of git and of packages, which no plugin has. */
async function walk(directory: FileSystemDirectoryHandle, path: string, depth: number, files: File[], reader: Reader): Promise<File[]> {
  const handles = (directory as unknown as { values(): AsyncIterable<FileSystemHandle> }).values();
  for await (const handle of handles) {
    reader.signal?.throwIfAborted();
    if (handle.kind === "directory") {
      if (depth >= deepest || handle.name === ".git" || handle.name === "node_modules") continue;
      await walk(handle as FileSystemDirectoryHandle, `${path}${handle.name}/`, depth + 1, files, reader);
      continue;
    }
    const content = await (handle as FileSystemFileHandle).getFile();
    files.push(file(path + handle.name, content.size, async () => new Uint8Array(await content.arrayBuffer())));
    if (files.length > mostFiles) throw invalidOptions(`${directory.name} has more than ${mostFiles} files; choose the plugin's folder`);
  }
  return files;
}
