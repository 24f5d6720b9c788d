// Loads skills in the AgentSkills format (https://agentskills.io): finds the `SKILL.md` files of a source and reads them.
import { ZipSource } from "../../formats/archive/zip-source.js";
import { isA, signalOf } from "../../input/arguments.js";
import { bodyOf } from "../../input/bytes.js";
import { ThreadkeepError, invalidOptions, optionsOf, reading, textOf } from "../../input/errors.js";
import type { LoadSkillsOptions, Skill, SkillSource } from "../types.js";
import { readSkill } from "./front-matter.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A file of a source. */
interface File {
  path: string;
  size: number;
  read(): Promise<Uint8Array>;
}

/** The files of a source, and what is known about their origin. */
interface Files {
  files: File[];
  /** The folder of a `SKILL.md` at the top; its skill must have this name. */
  folder?: string | undefined;
  /** The place that paths are relative to, for `source`. */
  root: string;
  /** The origin, if nobody has checked the skills. */
  fetchedFrom?: string | undefined;
}

/** Limits and functions for one call. */
class Reading {
  left: number;
  constructor(
    readonly maxSkills: number,
    readonly maxBytes: number,
    readonly signal: AbortSignal | undefined,
    readonly fetch: typeof globalThis.fetch,
  ) {
    this.left = maxBytes;
  }

  /** Counts bytes before they are read. */
  take(bytes: number): void {
    this.signal?.throwIfAborted();
    this.left -= bytes;
    if (this.left < 0) throw invalidOptions(`the skills have more than ${this.maxBytes} bytes; raise maxBytes, or load fewer`);
  }
}

/** The most files and the deepest folders that are looked at, so that a wrong directory is an error and not a long wait. */
const [mostFiles, deepest] = [10_000, 12];

/** @internal */
export async function loadSkills(source: SkillSource, options: LoadSkillsOptions): Promise<Skill[]> {
  const given = optionsOf("loadSkills()", options, "maxSkills maxBytes signal fetch");
  const { maxSkills = 100, maxBytes = 4 << 20, fetch = globalThis.fetch.bind(globalThis) } = given;
  for (const [name, most] of Object.entries({ maxSkills, maxBytes })) {
    if (!Number.isInteger(most) || most < 1) throw invalidOptions(`${name} must be a whole number of at least 1`);
  }
  if (typeof fetch !== "function") throw invalidOptions("fetch must be a function");
  const signal = signalOf(given.signal);
  const limits = new Reading(maxSkills, maxBytes, signal, fetch);
  try {
    return await skillsIn(await filesOf(source, limits), limits);
  } catch (error) {
    if (signal?.aborted) throw new ThreadkeepError("aborted", "the loading of skills was stopped by its signal", { cause: signal.reason });
    throw error;
  }
}

async function filesOf(source: SkillSource, limits: Reading): Promise<Files> {
  if (typeof source === "string" || isA(source, URL)) return fetched(String(source), limits);
  if (isA(source, Blob) || isA(source, ArrayBuffer) || isA(source, Uint8Array))
    return zipped(new Blob([source as BlobPart]), "a zip archive", limits);
  if (isDirectory(source)) return { files: await walk(source, "", 0, [], limits), folder: source.name, root: source.name };
  const texts = reading("the source of skills", () =>
    typeof source === "object" && source !== null ? Object.entries(source as Record<string, string>) : [],
  );
  if (texts.length === 0 || !texts.every(([, text]) => typeof text === "string")) {
    throw invalidOptions("loadSkills() takes a URL, a zip archive, a directory handle, or an object of texts by path");
  }
  const files = texts.map(([path, text]) => {
    const bytes = new TextEncoder().encode(text);
    return { path: path.replace(/^(\.?\/)+/, ""), size: bytes.length, read: async () => bytes };
  });
  return { files, root: "" };
}

/** How many milliseconds a server has for a complete answer. */
const patience = 30_000;

async function fetched(url: string, limits: Reading): Promise<Files> {
  const late = AbortSignal.timeout(patience);
  const signal = limits.signal ? AbortSignal.any([limits.signal, late]) : late;
  let onAbort!: () => void;
  // A function of the host may ignore the signal.
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener("abort", (onAbort = () => reject(signal.reason)), { once: true }),
  );
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([answered(url, limits, signal), aborted]);
  } catch (error) {
    if (!late.aborted) throw error;
    throw new ThreadkeepError("network", `${url} did not answer completely within ${patience / 1000} seconds`, { cause: error });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function answered(url: string, limits: Reading, signal: AbortSignal): Promise<Files> {
  let response: Response;
  try {
    response = await limits.fetch(url, { redirect: "error", signal });
    if (typeof response?.ok !== "boolean") throw new Error("fetch did not return a response");
  } catch (error) {
    throw new ThreadkeepError(
      "network",
      `${url} could not be loaded: ${textOf(error)}; check the address, and whether the server allows this page (CORS)`,
      { cause: error },
    );
  }
  const address = response.url || url;
  if (!response.ok) throw new ThreadkeepError("network", `${address} answered ${response.status}`, { status: response.status });
  const bytes = await bodyOf(response, (length) => limits.take(length));
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return zipped(new Blob([bytes]), address, limits);
  const names = (URL.canParse(address) ? new URL(address).pathname : address).split("/").map((name) => decodeURIComponent(name));
  const isNamed = names.at(-1)?.toLowerCase() === "skill.md";
  const file = { path: "SKILL.md", size: 0, read: async () => bytes };
  return {
    files: [file],
    folder: isNamed ? names.at(-2) || undefined : undefined,
    root: address.replace(/\/?[^/]*$/, ""),
    fetchedFrom: address,
  };
}

async function zipped(archive: Blob, name: string, limits: Reading): Promise<Files> {
  limits.take(archive.size);
  const invalid = (reason: unknown) =>
    new ThreadkeepError("archive_invalid", `${name} cannot be read: ${textOf(reason)}`, { cause: reason });
  // Nothing is written, so there is no store.
  const zip = new ZipSource(archive, undefined as never, limits.signal);
  const files: File[] = [];
  for (let position = 0; ; ) {
    const { names, numbers } = await zip.nextEntries().catch((error: unknown) => {
      throw invalid(error);
    });
    if (names.length === 0) break;
    for (let place = 0; place < names.length; place++, position++) {
      const at = position;
      const path = names[place]!;
      const flags = numbers[3 * place + 2]! >> 16;
      if (path.endsWith("/") || flags !== 0 || path.split("/").includes("..")) continue;
      files.push({
        path,
        size: numbers[3 * place + 1]!,
        async read() {
          const content = await zip.read(Uint32Array.of(at));
          if (!(content instanceof Uint8Array)) throw invalid(`${path}: ${content.reason}`);
          return content;
        },
      });
    }
    if (files.length > mostFiles) throw invalid(`it has more than ${mostFiles} files`);
  }
  return { files, root: name, fetchedFrom: name };
}

function isDirectory(source: unknown): source is FileSystemDirectoryHandle {
  return reading(
    "the source of skills",
    () => typeof source === "object" && source !== null && (source as FileSystemHandle).kind === "directory" && "values" in source,
  );
}

/** All files below a directory, except in hidden folders. */
async function walk(directory: FileSystemDirectoryHandle, path: string, depth: number, files: File[], limits: Reading): Promise<File[]> {
  const handles = (directory as unknown as { values(): AsyncIterable<FileSystemHandle> }).values();
  for await (const handle of handles) {
    limits.signal?.throwIfAborted();
    if (handle.kind === "directory") {
      if (depth < deepest && !handle.name.startsWith("."))
        await walk(handle as FileSystemDirectoryHandle, `${path}${handle.name}/`, depth + 1, files, limits);
      continue;
    }
    const open = () => (handle as FileSystemFileHandle).getFile();
    // Sizes are only needed of the files that are read.
    const size = isSkillFile(handle.name) ? (await open()).size : 0;
    files.push({ path: path + handle.name, size, read: async () => new Uint8Array(await (await open()).arrayBuffer()) });
    if (files.length > mostFiles)
      throw invalidOptions(`${directory.name} has more than ${mostFiles} files; choose the folder of the skills`);
  }
  return files;
}

function isSkillFile(path: string): boolean {
  return path.slice(path.lastIndexOf("/") + 1).toLowerCase() === "skill.md";
}

async function skillsIn({ files, folder, root, fetchedFrom }: Files, limits: Reading): Promise<Skill[]> {
  files.sort((one, other) => (one.path < other.path ? -1 : 1));
  const folders = new Map<string, File>();
  for (const file of files) {
    const base = file.path.slice(0, file.path.lastIndexOf("/") + 1);
    // A name in upper case comes first.
    if (isSkillFile(file.path) && !folders.has(base)) folders.set(base, file);
  }
  if (folders.size === 0) throw invalidOptions("there is no SKILL.md in this source");
  if (folders.size > limits.maxSkills) throw invalidOptions(`there are ${folders.size} skills; raise maxSkills, or load fewer`);
  const skills: Skill[] = [];
  for (const [base, file] of folders) {
    limits.take(file.size);
    const name = base === "" ? folder : base.split("/").at(-2);
    const at = root === "" ? base : `${root.replace(/\/$/, "")}/${base}`;
    const content = await file.read();
    const text = reading(file.path, () => utf8.decode(content));
    skills.push(
      readSkill(text, { path: file.path, folder: name, source: `${at}SKILL.md`, resources: resourcesOf(files, base, at), fetchedFrom }),
    );
  }
  return skills;
}

/** The files of a skill in the folders of the format; `undefined` if there are none. */
function resourcesOf(files: readonly File[], base: string, root: string): Skill["resources"] {
  const below = (folder: string) =>
    files.filter(({ path }) => path.startsWith(`${base}${folder}/`)).map(({ path }) => path.slice(base.length + folder.length + 1));
  const [scripts, references, assets] = ["scripts", "references", "assets"].map(below) as [string[], string[], string[]];
  if (scripts.length + references.length + assets.length === 0) return undefined;
  return { skillRoot: root.replace(/\/$/, ""), scripts, references, assets };
}
