// Parses a patch in the format of OpenAI's models and applies it to texts. Mirrors the SDK's `tools/apply_patch/core.py`.
//
// A pure function of texts: no files are read or written here.
import { strip, stripEnd } from "../text.js";

/** An error in a patch, in words for the model that wrote it. */
export class PatchError extends Error {}

/** A change of a file, as it is stored. */
export interface FileChange {
  type: "add" | "delete" | "update";
  old_content?: string;
  new_content?: string;
  /** Empty if an updated file is not moved. */
  move_path?: string;
}

/** Lines that are replaced. */
interface Chunk {
  /** The index of the first line in the original file. */
  index: number;
  deleted: string[];
  inserted: string[];
}

interface Section {
  /** The lines of the original file that the section names: those that stay, and those that are deleted. */
  lines: string[];
  chunks: Chunk[];
  /** The index of the line of the patch after the section. */
  end: number;
  isEndOfFile: boolean;
}

const fileHeaders = ["*** End Patch", "*** Update File:", "*** Delete File:", "*** Add File:"];
const startsWith = (line: string, prefixes: readonly string[]) => prefixes.some((prefix) => line.startsWith(prefix));

/** The paths of the files that a patch changes or deletes. */
export function pathsNeeded(patch: string): string[] {
  const paths = strip(patch)
    .split("\n")
    .map((line) => /^\*\*\* (?:Update|Delete) File: ([^]*)/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}

/** The changes of a patch, and how inexactly its lines matched: 0 if they are the same. @throws PatchError */
export function changesOf(patch: string, originals: ReadonlyMap<string, string>): { changes: Map<string, FileChange>; fuzz: number } {
  const lines = strip(patch).split("\n");
  if (lines.length < 2 || !lines[0]!.startsWith("*** Begin Patch") || lines.at(-1) !== "*** End Patch")
    throw new PatchError('The patch must begin with the line "*** Begin Patch" and end with the line "*** End Patch".');
  const parser = new Parser(lines, originals);
  parser.parse();
  return parser;
}

class Parser {
  readonly changes = new Map<string, FileChange>();
  fuzz = 0;
  /** The index of the line that is read next. */
  #at = 1;

  constructor(
    readonly lines: readonly string[],
    readonly originals: ReadonlyMap<string, string>,
  ) {}

  parse(): void {
    const updates: Array<() => void> = [];
    while (!this.#isAt(["*** End Patch"])) {
      let path = this.#take("*** Update File: ");
      if (path) {
        updates.push(this.#update(path));
        continue;
      }
      path = this.#take("*** Delete File: ");
      if (path) {
        const old = this.#original("Delete", path);
        this.changes.set(path, { type: "delete", old_content: old });
        continue;
      }
      path = this.#take("*** Add File: ");
      if (!path)
        throw new PatchError(
          `A change must begin here, with "*** Update File: ", "*** Delete File: " or "*** Add File: ":\n${this.#line()}`,
        );
      this.#unused("Add", path);
      this.changes.set(path, { type: "add", new_content: this.#added() });
    }
    // Throws at the end of a patch whose last line was read as a part of something else.
    this.#line();
    for (const update of updates) update();
  }

  /** Reads the changes of a file. The function that is returned applies them. */
  #update(path: string): () => void {
    this.#unused("Update", path);
    const target = this.#take("*** Move to: ");
    if (target.split("/").includes("..") || target.startsWith("/")) {
      throw new PatchError(`A file cannot be moved to ${target}: give a relative path without "..".`);
    }
    const old = this.#original("Update", path);
    const chunks = this.#chunks(old.split("\n"), path);
    const change: FileChange = { type: "update", old_content: old };
    this.changes.set(path, change);
    return () => Object.assign(change, { new_content: applied(old, chunks, path), move_path: target });
  }

  /** The chunks of an updated file. */
  #chunks(lines: readonly string[], path: string): Chunk[] {
    const chunks: Chunk[] = [];
    let index = 0;
    while (!this.#isAt([...fileHeaders, "*** End of File"])) {
      const heading = this.#take("@@ ");
      const isBare = !heading && this.lines[this.#at] === "@@";
      if (isBare) this.#at += 1;
      if (!heading && !isBare && index !== 0) throw new PatchError(`A section must begin with "@@" here:\n${this.#line()}`);
      if (strip(heading)) index = this.#after(lines, heading, index);
      const section = sectionAt(this.lines, this.#at);
      const [start, fuzz] = find(lines, section.lines, index, section.isEndOfFile);
      if (start === -1)
        throw new PatchError(
          `These lines are not in ${path} from line ${index + 1} on. View it, and copy them exactly:\n${section.lines.join("\n")}`,
        );
      this.fuzz += fuzz;
      chunks.push(...section.chunks.map((chunk) => ({ ...chunk, index: chunk.index + start })));
      index = start + section.lines.length;
      this.#at = section.end;
    }
    return chunks;
  }

  /** The index after the line that a heading names, if it is found after `index` and not before. */
  #after(lines: readonly string[], heading: string, index: number): number {
    const before = lines.slice(0, index);
    if (!before.includes(heading)) {
      const found = lines.indexOf(heading, index);
      if (found >= 0) return found + 1;
    }
    const stripped = strip(heading);
    if (before.some((line) => strip(line) === stripped)) return index;
    const found = lines.findIndex((line, at) => at >= index && strip(line) === stripped);
    if (found < 0) return index;
    this.fuzz += 1;
    return found + 1;
  }

  #added(): string {
    const lines: string[] = [];
    while (!this.#isAt(fileHeaders)) {
      const line = this.#take("");
      if (!line.startsWith("+")) throw new PatchError(`In a file to add, this line must begin with "+":\n${line}`);
      lines.push(line.slice(1));
    }
    return lines.join("\n");
  }

  #unused(action: string, path: string): void {
    if (this.changes.has(path))
      throw new PatchError(`*** ${action} File: ${path}: the patch changes this file twice. Put all of its changes together.`);
  }

  #original(action: string, path: string): string {
    this.#unused(action, path);
    const text = this.originals.get(path);
    if (text === undefined) throw new PatchError(`*** ${action} File: ${path}: there is no such file.`);
    return text;
  }

  #isAt(prefixes: readonly string[]): boolean {
    const line = this.lines[this.#at];
    return line === undefined || startsWith(line, prefixes);
  }

  #line(): string {
    const line = this.lines[this.#at];
    if (line === undefined) throw new PatchError(`The patch ends after line ${this.#at}, in the middle of a change.`);
    return line;
  }

  /** The rest of the next line if it begins with the prefix; otherwise an empty string, and the line is not read. */
  #take(prefix: string): string {
    const line = this.#line();
    if (!line.startsWith(prefix)) return "";
    this.#at += 1;
    return line.slice(prefix.length);
  }
}

/** The lines up to the next heading. */
function sectionAt(patch: readonly string[], start: number): Section {
  const section: Section = { lines: [], chunks: [], end: start, isEndOfFile: false };
  let [deleted, inserted]: [string[], string[]] = [[], []];
  let mode = " ";
  const finish = () => {
    if (deleted.length + inserted.length > 0) section.chunks.push({ index: section.lines.length - deleted.length, deleted, inserted });
    [deleted, inserted] = [[], []];
  };
  for (; section.end < patch.length; section.end += 1) {
    const line = patch[section.end]! || " ";
    if (startsWith(line, ["@@", ...fileHeaders, "*** End of File"]) || line === "***") break;
    const previous = mode;
    mode = line[0]!;
    if (line.startsWith("***") || !"+- ".includes(mode))
      throw new PatchError(`In a section, this line must begin with " ", "-" or "+":\n${line}`);
    if (mode === " " && previous !== mode) finish();
    const text = line.slice(1);
    if (mode === "-") deleted.push(text);
    if (mode === "+") inserted.push(text);
    else section.lines.push(text);
  }
  finish();
  if (patch[section.end] === "*** End of File") return { ...section, end: section.end + 1, isEndOfFile: true };
  if (section.end === start)
    throw new PatchError(`Line ${start + 1} of the patch must belong to a section, and begin with " ", "-" or "+":\n${patch[start] ?? ""}`);
  return section;
}

/** The index of the lines in the file, or -1, and how inexactly they match. */
function find(lines: readonly string[], wanted: readonly string[], start: number, isEndOfFile: boolean): [number, number] {
  if (!isEndOfFile) return findFrom(lines, wanted, start);
  const atEnd = findFrom(lines, wanted, lines.length - wanted.length);
  if (atEnd[0] !== -1) return atEnd;
  const [index, fuzz] = findFrom(lines, wanted, start);
  return [index, fuzz + 10_000];
}

function findFrom(lines: readonly string[], wanted: readonly string[], start: number): [number, number] {
  if (wanted.length === 0) return [start, 0];
  const ways: Array<[(line: string) => string, number]> = [
    [(line) => line, 0],
    [stripEnd, 1],
    [strip, 100],
  ];
  for (const [prepared, fuzz] of ways) {
    const [all, searched] = [lines.map(prepared), wanted.map(prepared)];
    for (let index = Math.max(0, start); index <= all.length - searched.length; index += 1) {
      if (searched.every((line, offset) => all[index + offset] === line)) return [index, fuzz];
    }
  }
  return [-1, 0];
}

/** The text after the chunks were applied. */
function applied(text: string, chunks: readonly Chunk[], path: string): string {
  const lines = text.split("\n");
  const result: string[] = [];
  let at = 0;
  const failed = (reason: string) => new PatchError(`${path}: ${reason}`);
  for (const { index, deleted, inserted } of chunks) {
    if (index > lines.length) throw failed(`a section changes line ${index + 1}, but the file has ${lines.length}.`);
    if (at > index) throw failed(`a section changes line ${index + 1}, but the one before it changes lines up to ${at}. Join them.`);
    result.push(...lines.slice(at, index), ...inserted);
    at = index + deleted.length;
  }
  return [...result, ...lines.slice(at)].join("\n");
}
