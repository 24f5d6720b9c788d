// Loads a plugin: gets the files of a source, and lets the core read them.
import { readFrontMatter } from "../../agent/skills/front-matter.js";
import { isA, signalOf } from "../../input/arguments.js";
import type { Bytes } from "../../input/bytes.js";
import { ThreadkeepError, fieldOf, invalidOptions, optionsOf, textOf } from "../../input/errors.js";
import { part } from "../../wasm/wasm.js";
import type { LoadPluginOptions, Plugin, PluginFiles, ResolvedPlugin } from "../types.js";
import { core } from "./core.js";
import { withSkill } from "./skills.js";
import type { Checked, File } from "./sources.js";

/** The files of a plugin, by path. */
export type Contents = Map<string, Bytes>;

/** A plugin with its files and the JSON of the core. */
export interface Loaded {
  plugin: Plugin;
  json: string;
  contents: Contents;
  name: string;
}

const known = new WeakMap<Plugin, Loaded>();

/** Files and JSON of a plugin that `loadPlugin()` has returned. */
export function loadedOf(plugin: Plugin): Loaded | undefined {
  return known.get(plugin);
}

/** @internal */
export async function loadPlugin(source: PluginFiles, options: LoadPluginOptions): Promise<Plugin> {
  return (await loaded(source, options)).plugin;
}

/** `stored` is a list of what was loaded before, as JSON: a source in it is loaded at the same commit. */
export async function loaded(source: PluginFiles, options: LoadPluginOptions, stored?: string): Promise<Loaded> {
  const given = optionsOf("loadPlugin()", options, "ref repoPath fetch signal");
  const { fetch = globalThis.fetch.bind(globalThis) } = given;
  if (typeof fetch !== "function") throw invalidOptions("fetch must be a function");
  const signal = signalOf(given.signal);
  const asked = { ...askedFor(source, given), stored };
  try {
    const checked: Checked = JSON.parse(await core("source", asked));
    const reader = { fetch, signal, ref: checked.pinned ?? asked.ref };
    const { files, commit, folder } = await (await part(import("./sources.js"))).filesOf(source, checked, reader);
    const contents = await chosenOf(files, folder ?? checked.folder, signal);
    const { resolved } = JSON.parse(await core("source", { ...asked, resolvedRef: commit }));
    return await readContents(contents, checked.name, resolved);
  } catch (error) {
    if (!signal?.aborted) throw error;
    throw new ThreadkeepError("aborted", "the loading of a plugin was stopped by its signal", { cause: signal.reason });
  }
}

/** A source as the core takes it. @throws ThreadkeepError `invalid_options` */
function askedFor(source: PluginFiles, given: LoadPluginOptions) {
  const text = (name: "ref" | "repoPath") => {
    const value = given[name] ?? undefined;
    if (value !== undefined && typeof value !== "string") throw invalidOptions(`${name} of a plugin must be a text`);
    return value;
  };
  const named = typeof source === "string" || isA(source, URL) ? String(source) : nameOf(source);
  return { source: named, ref: text("ref"), repoPath: text("repoPath") };
}

/** The stored form of a source that was loaded at this commit. @throws ThreadkeepError `invalid_options` */
export async function resolvedAs(source: PluginFiles, given: LoadPluginOptions, commit: string | null): Promise<ResolvedPlugin> {
  return JSON.parse(await core("source", { ...askedFor(source, given), resolvedRef: commit ?? undefined })).resolved;
}

/** The name of a source that has no address. */
function nameOf(source: unknown): string {
  const name = fieldOf(source, "name");
  return typeof name === "string" && name !== "" ? name : "plugin";
}

/** The number of files that are read at once. */
const readers = 6;

async function chosenOf(files: readonly File[], folder: string, signal: AbortSignal | undefined): Promise<Contents> {
  const entries = JSON.stringify(files.map(({ path, size, isLink }) => ({ path, size, is_link: isLink })));
  const chosen: Array<{ place: number; path: string }> = JSON.parse(await core("files", { entries, folder }));
  const found = new Array<[string, Bytes]>(chosen.length);
  let next = 0;
  const read = async () => {
    while (next < chosen.length) {
      signal?.throwIfAborted();
      const at = next++;
      const { place, path } = chosen[at]!;
      found[at] = [path, await files[place]!.read()];
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  return new Map(found);
}

/** Reads the files of a plugin. @throws ThreadkeepError `invalid_options`, `too_large` */
export async function readContents(contents: Contents, name: string, resolved: ResolvedPlugin): Promise<Loaded> {
  const place = [resolved.source, resolved.repo_path].filter(Boolean).join("/");
  const files = [...contents].map(([path, bytes]) => ({ path, bytes }));
  const json = await core("read", { name, place, files, frontMatter });
  const read = JSON.parse(json);
  const secrets: string[] = JSON.parse(await core("variables", { json: JSON.stringify(read.mcp_config) }));
  const { manifest, skills, commands, agents, hooks = null, mcp_config: mcpConfig, complaints } = read;
  const { name: own, version, description } = manifest;
  const plugin: Plugin = {
    name: own,
    version,
    description,
    manifest,
    skills: skills.map(withSkill),
    commands,
    agents,
    hooks,
    mcpConfig,
    secrets,
    complaints,
    resolved,
  };
  const found = { plugin: frozen(plugin), json, contents, name };
  known.set(plugin, found);
  return found;
}

function frontMatter(path: string, text: string): string {
  try {
    const { fields, content } = readFrontMatter(path, text);
    if (count(fields, mostValues) < 0) throw new Error("its front matter is too large");
    return JSON.stringify({ fields, content });
  } catch (error) {
    // The core names the path itself, and the lines below show the text.
    const message = textOf(error).split("\n", 1)[0]!;
    throw new Error(message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message);
  }
}

/** The most values in front matter: with its aliases, a short text can stand for any number of them. */
const mostValues = 10_000;

/** The number of further values that there may be; below 0 as soon as there are too many. */
function count(value: unknown, left: number): number {
  if (typeof value !== "object" || value === null) return left - 1;
  for (const each of Object.values(value)) if ((left = count(each, left)) < 0) break;
  return left - 1;
}

/** A plugin is shown to the host before it is used, and must be the same then. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** The parts that an agent has with its plugins. */
export interface Merged {
  /** A skill of the host is its name. */
  skills: Array<string | object>;
  servers: { [name: string]: { [field: string]: unknown } };
  agents: Plugin["agents"];
  hooks?: NonNullable<Plugin["hooks"]>;
  complaints: string[];
}

/** Merges plugins on top of what the host gives. @throws ThreadkeepError `too_large` */
export async function merged(given: { skills: string[]; servers: string[]; agents: string[] }, plugins: string[]): Promise<Merged> {
  return JSON.parse(await core("merge", { given: JSON.stringify(given), plugins }));
}
