// The commands of `file_editor`. Mirrors the SDK's `tools/file_editor/editor.py`.
//
// Text is read with `\n` as the only line end and written with it, as Python does: an edit converts the line ends of a file.
import { toBase64 } from "../../input/bytes.js";
import type { BuiltInOutput } from "../../tool/types.js";
import type { Workspace, WorkspaceEntry } from "../../workspace/types.js";
import { messageOf, present } from "../definition.js";
import { type Encoding, decode, encode, isBinaryExtension, maxBytes, megabytes, withLineFeeds } from "../file-content.js";
import { inWorkspace, nameOf, parentOf, pathText, statOf, suffixOf } from "../paths.js";
import { byCodePoints, clip, directoryNotice, fileLines, listText, maxCharacters, splitLines, strip } from "../text.js";
import { Failure, type FileEditorArguments, invalid, missing, unreadable } from "./arguments.js";
import type { History } from "./history.js";

/** The number of lines before and after an edit that a snippet shows. */
const context = 4;
const fileNotice =
  "\n[The middle is left out here: the file is too long to be shown at once. View the lines that you need with `view_range`.]\n";

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
      if (new_str === old_str) throw new Failure("`old_str` and `new_str` are the same, so nothing was changed.");
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
      throw invalid("path", shown, `Paths are absolute.${exists ? ` Did you mean ${suggested}?` : ""}`);
    }
    const path = shown.startsWith("/") ? inWorkspace(this.workspace, shown) : undefined;
    const entry = await statOf(this.workspace, path);
    if (command === "create" && entry)
      throw invalid("path", shown, "It exists, and `create` overwrites nothing: use `str_replace` or `insert`, or another path.");
    if (command !== "create" && !entry) throw invalid("path", shown, "It does not exist. View its directory to see what there is.");
    if (command !== "view" && entry?.type === "directory") {
      throw invalid("path", shown, "It is a directory, which can only be viewed: name a file.");
    }
    return { shown, path, entry };
  }

  async #create({ shown, path }: Target, text: string | null | undefined): Promise<BuiltInOutput> {
    if (typeof text !== "string") throw missing("create", "file_text");
    if (path === undefined) throw invalid("path", shown, `It is outside of the workspace ${this.workspace.workingDir}.`);
    await this.#write({ shown, path, text, encoding: "utf-8" });
    await this.history.add(path, text);
    return done("create", `Created ${shown}.`, { path: shown, prev_exist: false, new_content: text });
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
    if (lines.length === 0)
      throw new Failure(
        `\`old_str\` does not occur in ${file.shown}, so nothing was changed. View the file and copy the text exactly, with its white space.`,
      );
    if (!isUnique) {
      throw new Failure(
        `\`old_str\` occurs more than once (lines ${lines.join(", ")}), so nothing was changed. Add text around the place that you mean.`,
      );
    }
    const text = file.text.slice(0, at) + replacement + file.text.slice(at + wanted.length);
    await this.#write({ ...file, text });
    await this.history.add(file.path, file.text);
    const written = withLineFeeds(text);
    const start = Math.max(0, lines[0]! - context);
    const snippet = fileLines(written)
      .slice(start, lines[0]! + context + replacement.split("\n").length - 1)
      .join("");
    const content = edited(file.shown, snippet, start + 1);
    return done("str_replace", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: text });
  }

  async #insert(target: Target, after: number, inserted: string): Promise<BuiltInOutput> {
    const file = await this.#read(target);
    const lines = fileLines(file.text);
    if (after < 0 || after > lines.length) {
      throw invalid(
        "insert_line",
        String(after),
        `The file has ${lines.length} lines: give the number of one, or 0 for the place before the first.`,
      );
    }
    const added = inserted.split("\n");
    const text = [...lines.slice(0, after), ...added.map((line) => `${line}\n`), ...lines.slice(after)].join("");
    await this.#write({ ...file, text });
    await this.history.add(file.path, file.text);
    const written = withLineFeeds(text);
    const start = Math.max(0, after - context);
    const snippet = fileLines(written)
      .slice(start, Math.min(lines.length + added.length, after + context + added.length))
      .join("");
    const content = edited(file.shown, snippet, start + 1);
    return done("insert", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: written });
  }

  async #undo(target: Target): Promise<BuiltInOutput> {
    const file = await this.#read(target);
    const old = await this.history.takeLast(file.path);
    if (old === undefined) throw new Failure(`No edit of ${file.shown} is left to be undone.`);
    await this.#write({ ...file, text: old });
    const content = numbered(`Undid the last edit of ${file.shown}. Its lines:`, old);
    return done("undo_edit", content, { path: file.shown, prev_exist: true, old_content: file.text, new_content: old });
  }

  async #view(target: Target, range: number[]): Promise<BuiltInOutput> {
    const { shown, path, entry } = target;
    if (entry!.type === "directory") {
      if (range.length > 0) throw invalid("view_range", listText(range), "A directory has no lines: leave it out.");
      return done("view", await this.#directory(shown, path!), { path: shown, prev_exist: true });
    }
    const imageType = imageTypes[suffixOf(shown).toLowerCase()];
    if (imageType) return this.#image(target, imageType);
    const { text } = await this.#read(target);
    return done("view", range.length > 0 ? selected(text, shown, range) : numbered(`The lines of ${shown}:`, text), {
      path: shown,
      prev_exist: true,
    });
  }

  async #image({ shown, path, entry }: Target, type: string): Promise<BuiltInOutput> {
    if (entry!.size > maxBytes) throw tooLarge(shown, entry!.size);
    const image = `data:${type};base64,${toBase64(await this.workspace.read(path!))}`;
    const text = `The image ${shown}:`;
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
    const line = (entry: WorkspaceEntry, below: string) =>
      `${root}/${below}${nameOf(entry.path)}${entry.type === "directory" ? "/" : ""}`.replaceAll("\\", "/");
    for (const entry of entries) {
      if (isHidden(entry)) continue;
      lines.push(line(entry, ""));
      if (entry.type !== "directory") continue;
      for (const child of await this.#sorted(entry.path)) if (!isHidden(child)) lines.push(line(child, `${nameOf(entry.path)}/`));
    }
    const listing = `${shown} and what is in it, two levels deep:\n${lines.join("\n")}`;
    const more = hidden > 0 ? `\n\nHidden entries of ${shown} that are left out: ${hidden}.` : "";
    return clip(listing + more, maxCharacters, directoryNotice);
  }

  async #sorted(path: string): Promise<WorkspaceEntry[]> {
    return (await this.workspace.list(path)).sort((one, other) => byCodePoints(one.path, other.path));
  }

  async #read({ shown, path, entry }: Target): Promise<TextFile> {
    if (entry!.size > maxBytes) throw tooLarge(shown, entry!.size);
    const content = isBinaryExtension(suffixOf(shown)) ? undefined : decode(await this.workspace.read(path!));
    if (!content) throw unreadable(shown, "It is neither text nor an image that can be shown.");
    return { shown, path: path!, text: withLineFeeds(content.text), encoding: content.encoding };
  }

  async #write({ shown, path, text, encoding }: TextFile): Promise<void> {
    const failed = (reason: string) => new Failure(`${shown} could not be written: ${reason}`);
    const parent = parentOf(path) ?? "";
    const above = await statOf(this.workspace, parent);
    if (above?.type !== "directory") {
      const isBelowFile = above !== undefined || (await this.#isBelowFile(parent));
      throw failed(`${shown.slice(0, shown.lastIndexOf("/"))} ${isBelowFile ? "is not a directory" : "does not exist"}`);
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
  return unreadable(shown, `It has ${megabytes(size)}, more than the ${maxBytes / 1024 / 1024}MB that can be opened.`);
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

function edited(shown: string, snippet: string, start: number): string {
  return numbered(`Edited ${shown}. The lines around the change:`, snippet, start);
}

/** Text with numbers before its lines, as `cat -n` prints it, below a heading. */
function numbered(heading: string, text: string, start = 1): string {
  const lines = clip(text, maxCharacters, fileNotice).split("\n");
  const shown = lines.map((line, index) => `${String(index + start).padStart(6)}\t${line}`).join("\n");
  return `${heading}\n${shown}\n`;
}

/** The lines of a file from the first to the second number. */
function selected(text: string, shown: string, range: number[]): string {
  const wrong = (hint: string) => invalid("view_range", listText(range), hint);
  const lines = fileLines(text);
  if (range.length !== 2) throw wrong("Give two numbers: the first line and the last.");
  const [start, end] = range as [number, number];
  if (start < 1 || start > lines.length) {
    throw wrong(`The file has ${lines.length} lines: begin with one of them.`);
  }
  const last = end === -1 || end > lines.length ? lines.length : end;
  if (last < start) throw wrong(`Line ${last} is before line ${start}: the last line must not be.`);
  const content = splitLines(lines.slice(start - 1, last).join("")).join("\n");
  const warning = end > lines.length ? `The file ends with line ${lines.length}.\n` : "";
  return warning + numbered(`The lines of ${shown}:`, content, start);
}
