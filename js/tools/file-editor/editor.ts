// The commands of `file_editor`. Mirrors the SDK's `tools/file_editor/editor.py`.
//
// Text is read with `\n` as the only line end and written with it, as Python does: an edit converts the line ends of a file.
import type { BuiltInOutput } from "../built-in.js";
import { messageOf, present } from "../definition.js";
import { type Encoding, decode, encode, isBinaryExtension, maxBytes, megabytes, withLineFeeds } from "../file-content.js";
import { inWorkspace, nameOf, parentOf, pathText, statOf, suffixOf } from "../paths.js";
import { byCodePoints, clip, fileLines, listText, splitLines, strip } from "../text.js";
import type { Workspace, WorkspaceEntry } from "../../workspace.js";
import { Failure, type FileEditorArguments, invalid, missing, unreadable } from "./arguments.js";
import type { History } from "./history.js";

const maxCharacters = 16_000;
/** The number of lines before and after an edit that a snippet shows. */
const context = 4;
const notice = (subject: string, advice: string) =>
  `<response clipped><NOTE>Due to the max output limit, only part of this ${subject} has been shown to you. You should ${advice}</NOTE>`;
const fileNotice = notice("file", "retry this tool after you have searched inside the file with `grep -n` in order to find the line numbers of what you are looking for.");
const directoryNotice = notice("directory", "use `ls -la` instead to view large directories incrementally.");

const imageTypes: { readonly [suffix: string]: string } = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".bmp": "image/bmp",
};

/** A path of the arguments. */
interface Target {
  /** The path as results show it. */
  shown: string;
  /** The path in the workspace; `undefined` outside of it. */
  path: string | undefined;
  entry: WorkspaceEntry | undefined;
}

interface TextFile {
  shown: string;
  path: string;
  text: string;
  encoding: Encoding;
}

export class Editor {
  constructor(
    readonly workspace: Workspace,
    readonly history: History,
  ) {}

  async run(args: FileEditorArguments): Promise<BuiltInOutput> {
    const { command, old_str, new_str, insert_line } = args;
    const target = await this.#target(args.path, command);
    if (command === "view") return this.#view(target, args.view_range ?? []);
    if (command === "create") return this.#create(target, args.file_text);
    if (command === "undo_edit") return this.#undo(target);
    if (command === "str_replace") {
      if (typeof old_str !== "string") throw missing(command, "old_str");
      if (typeof new_str !== "string") throw missing(command, "new_str");
      if (new_str === old_str) throw invalid("new_str", new_str, "No replacement was performed. `new_str` and `old_str` must be different.");
      return this.#replace(target, old_str, new_str);
    }
    if (typeof insert_line !== "number") throw missing(command, "insert_line");
    if (typeof new_str !== "string") throw missing(command, "new_str");
    return this.#insert(target, insert_line, new_str);
  }

  /** The path of a call, if this command can be used on it. */
  async #target(given: string, command: FileEditorArguments["command"]): Promise<Target> {
    const shown = pathText(given);
    // Python takes `~` for an absolute path here, and then does not find it.
    if (!/^[/~]/.test(strip(shown))) {
      const suggested = pathText(`${this.workspace.workingDir}/${shown}`);
      const found = inWorkspace(this.workspace, suggested);
      const exists = await statOf(this.workspace, found);
      throw invalid("path", shown, `The path should be an absolute path.${exists ? ` Maybe you meant ${suggested}?` : ""}`);
    }
    const path = shown.startsWith("/") ? inWorkspace(this.workspace, shown) : undefined;
    const entry = await statOf(this.workspace, path);
    if (command === "create" && entry) throw invalid("path", shown, `File already exists at: ${shown}. Cannot overwrite files using command \`create\`.`);
    if (command !== "create" && !entry) throw invalid("path", shown, `The path ${shown} does not exist. Please provide a valid path.`);
    if (command !== "view" && entry?.type === "directory") {
      throw invalid("path", shown, `The path ${shown} is a directory and only the \`view\` command can be used on directories.`);
    }
    return { shown, path, entry };
  }

  async #create({ shown, path }: Target, text: string | null | undefined): Promise<BuiltInOutput> {
    if (typeof text !== "string") throw missing("create", "file_text");
    if (path === undefined) throw invalid("path", shown, `It is outside of the workspace ${this.workspace.workingDir}.`);
    await this.#write({ shown, path, text, encoding: "utf-8" });
    await this.history.add(path, text);
    return done("create", `File created successfully at: ${shown}`, { path: shown, prev_exist: false, new_content: text });
  }

  async #replace(target: Target, old: string, replacement: string): Promise<BuiltInOutput> {
    const file = await this.#read(target);
    let wanted = old;
    let found = occurrences(file.text, wanted);
    if (found.lines.length === 0) {
      wanted = strip(old);
      found = occurrences(file.text, wanted);
    }
    const { at, lines, isUnique } = found;
    if (lines.length === 0) throw new Failure(`No replacement was performed, old_str \`${wanted}\` did not appear verbatim in ${file.shown}.`);
    if (!isUnique) {
      throw new Failure(`No replacement was performed. Multiple occurrences of old_str \`${wanted}\` in lines ${listText(lines)}. Please ensure it is unique.`);
    }
    const text = file.text.slice(0, at) + replacement + file.text.slice(at + wanted.length);
    await this.#write({ ...file, text });
    await this.history.add(file.path, file.text);
    const written = withLineFeeds(text);
    const start = Math.max(0, lines[0]! - context);
    const snippet = fileLines(written).slice(start, lines[0]! + context + replacement.split("\n").length - 1).join("");
    const content =
      `The file ${file.shown} has been edited. ${numbered(snippet, `a snippet of ${file.shown}`, start + 1)}` +
      "Review the changes and make sure they are as expected. Edit the file again if necessary.";
    return done("str_replace", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: text });
  }

  async #insert(target: Target, after: number, inserted: string): Promise<BuiltInOutput> {
    const file = await this.#read(target);
    const lines = fileLines(file.text);
    if (after < 0 || after > lines.length) {
      throw invalid("insert_line", String(after), `It should be within the range of allowed values: ${listText([0, lines.length])}`);
    }
    const added = inserted.split("\n");
    const text = [...lines.slice(0, after), ...added.map((line) => `${line}\n`), ...lines.slice(after)].join("");
    await this.#write({ ...file, text });
    await this.history.add(file.path, file.text);
    const written = withLineFeeds(text);
    const start = Math.max(0, after - context);
    const snippet = fileLines(written).slice(start, Math.min(lines.length + added.length, after + context + added.length)).join("");
    const content =
      `The file ${file.shown} has been edited. ${numbered(snippet, "a snippet of the edited file", Math.max(1, after - context + 1))}` +
      "Review the changes and make sure they are as expected (correct indentation, no duplicate lines, etc). Edit the file again if necessary.";
    return done("insert", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: written });
  }

  async #undo(target: Target): Promise<BuiltInOutput> {
    const file = await this.#read(target);
    const old = await this.history.takeLast(file.path);
    if (old === undefined) throw new Failure(`No edit history found for ${file.shown}.`);
    await this.#write({ ...file, text: old });
    const content = `Last edit to ${file.shown} undone successfully. ${numbered(old, file.shown)}`;
    return done("undo_edit", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: old });
  }

  async #view(target: Target, range: number[]): Promise<BuiltInOutput> {
    const { shown, path, entry } = target;
    if (entry!.type === "directory") {
      if (range.length > 0) throw invalid("view_range", listText(range), "The `view_range` parameter is not allowed when `path` points to a directory.");
      return done("view", await this.#directory(shown, path!), { path: shown, prev_exist: true });
    }
    const imageType = imageTypes[suffixOf(shown).toLowerCase()];
    if (imageType) return this.#image(target, imageType);
    const { text } = await this.#read(target);
    return done("view", range.length > 0 ? selected(text, shown, range) : numbered(text, shown), { path: shown, prev_exist: true });
  }

  async #image({ shown, path, entry }: Target, type: string): Promise<BuiltInOutput> {
    if (entry!.size > maxBytes) throw tooLarge(shown, entry!.size);
    const image = `data:${type};base64,${base64(await this.workspace.read(path!))}`;
    const text = `Image file ${shown} read successfully. Displaying image content.`;
    const content = [
      { type: "text" as const, text },
      { type: "image" as const, image_urls: [image] },
    ];
    return { content, fields: present({ command: "view", path: shown, prev_exist: true }) };
  }

  /** The listing of a directory, two levels deep. */
  async #directory(shown: string, path: string): Promise<string> {
    const entries = await this.#sorted(path);
    const hidden = entries.filter(isHidden).length;
    const root = shown.replaceAll("\\", "/");
    const lines = [`${root}/`];
    const line = (entry: WorkspaceEntry, below: string) => `${root}/${below}${nameOf(entry.path)}${entry.type === "directory" ? "/" : ""}`.replaceAll("\\", "/");
    for (const entry of entries) {
      if (isHidden(entry)) continue;
      lines.push(line(entry, ""));
      if (entry.type !== "directory") continue;
      for (const child of await this.#sorted(entry.path)) if (!isHidden(child)) lines.push(line(child, `${nameOf(entry.path)}/`));
    }
    const listing = `Here's the files and directories up to 2 levels deep in ${shown}, excluding hidden items:\n${lines.join("\n")}`;
    const more = hidden > 0 ? `\n\n${hidden} hidden files/directories in this directory are excluded. You can use 'ls -la ${shown}' to see them.` : "";
    return clip(listing + more, maxCharacters, directoryNotice);
  }

  async #sorted(path: string): Promise<WorkspaceEntry[]> {
    return (await this.workspace.list(path)).sort((one, other) => byCodePoints(one.path, other.path));
  }

  async #read({ shown, path, entry }: Target): Promise<TextFile> {
    if (entry!.size > maxBytes) throw tooLarge(shown, entry!.size);
    const content = isBinaryExtension(suffixOf(shown)) ? undefined : decode(await this.workspace.read(path!));
    if (!content) throw unreadable(shown, "File appears to be binary and this file type cannot be read or edited by this tool.");
    return { shown, path: path!, text: withLineFeeds(content.text), encoding: content.encoding };
  }

  async #write({ shown, path, text, encoding }: TextFile): Promise<void> {
    const failed = (reason: string) => new Failure(`Ran into ${reason} while trying to write to ${shown}`);
    const parent = parentOf(path) ?? "";
    const above = await statOf(this.workspace, parent);
    if (above?.type !== "directory") {
      const isBelowFile = above !== undefined || (await this.#isBelowFile(parent));
      throw failed(`${isBelowFile ? "[Errno 20] Not a directory" : "[Errno 2] No such file or directory"}: '${shown.slice(0, shown.lastIndexOf("/"))}'`);
    }
    try {
      await this.workspace.write(path, encode(text, encoding));
    } catch (error) {
      throw failed(messageOf(error));
    }
  }

  async #isBelowFile(path: string): Promise<boolean> {
    for (let at = parentOf(path); at !== undefined; at = parentOf(at)) {
      const entry = await statOf(this.workspace, at);
      if (entry) return entry.type === "file";
    }
    return false;
  }
}

function done(command: FileEditorArguments["command"], content: string, fields: { [name: string]: unknown }): BuiltInOutput {
  return { content, fields: present({ command, ...fields }) };
}

function isHidden({ path }: WorkspaceEntry): boolean {
  return nameOf(path).startsWith(".");
}

function tooLarge(shown: string, size: number): Failure {
  return unreadable(shown, `File is too large (${megabytes(size)}). Maximum allowed size is ${maxBytes / 1024 / 1024}MB.`);
}

/** The position of the first occurrence, and the numbers of the lines with occurrences that do not overlap. */
function occurrences(text: string, wanted: string): { at: number; lines: number[]; isUnique: boolean } {
  // An empty text occurs before and after every character.
  if (wanted === "") return { at: 0, lines: text.split("\n").map((_, index) => index + 1), isUnique: text === "" };
  const found: number[] = [];
  const lines = new Set<number>();
  let [line, counted] = [1, 0];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    for (; counted < at; counted += 1) if (text[counted] === "\n") line += 1;
    found.push(at);
    lines.add(line);
  }
  return { at: found[0] ?? -1, lines: [...lines], isUnique: found.length === 1 };
}

/** Text with numbers before its lines, as `cat -n` prints it. */
function numbered(text: string, description: string, start = 1): string {
  const lines = clip(text, maxCharacters, fileNotice).split("\n");
  const shown = lines.map((line, index) => `${String(index + start).padStart(6)}\t${line}`).join("\n");
  return `Here's the result of running \`cat -n\` on ${description}:\n${shown}\n`;
}

/** The lines of a file from the first to the second number. */
function selected(text: string, shown: string, range: number[]): string {
  const wrong = (hint: string) => invalid("view_range", listText(range), hint);
  const lines = fileLines(text);
  if (range.length !== 2) throw wrong("It should be a list of two integers.");
  const [start, end] = range as [number, number];
  if (start < 1 || start > lines.length) {
    throw wrong(`Its first element \`${start}\` should be within the range of lines of the file: ${listText([1, lines.length])}.`);
  }
  const last = end === -1 || end > lines.length ? lines.length : end;
  if (last < start) throw wrong(`Its second element \`${last}\` should be greater than or equal to the first element \`${start}\`.`);
  const content = splitLines(lines.slice(start - 1, last).join("")).join("\n");
  const warning = end > lines.length ? `NOTE: We only show up to ${lines.length} since there're only ${lines.length} lines in this file.\n` : "";
  return warning + numbered(content, shown, start);
}

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}
