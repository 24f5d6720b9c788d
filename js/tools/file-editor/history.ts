// The contents of files before their last edits, for `undo_edit`.
//
// They are further files of the conversation, stored in the same transaction as the result of the call:
// `file_editor/history.json` lists the entries of each file, and `file_editor/<number>.txt` is the content of an entry.
import type { ConversationFiles } from "../../workspace/types.js";

const directory = "file_editor";
const index = `${directory}/history.json`;
const maxEntries = 10;

interface Index {
  /** The number of the next entry. */
  next: number;
  /** The numbers of the entries of each file by its path in the workspace, oldest first. */
  files: { [path: string]: number[] };
}

export class History {
  constructor(readonly files: ConversationFiles) {}

  async add(path: string, content: string): Promise<void> {
    const { next, files } = await this.#read();
    const entries = [...(files[path] ?? []), next];
    this.files.write(entryOf(next), content);
    while (entries.length > maxEntries) this.files.write(entryOf(entries.shift()!), null);
    this.#write({ next: next + 1, files: { ...files, [path]: entries } });
  }

  /** Removes and returns the newest entry. */
  async takeLast(path: string): Promise<string | undefined> {
    const { next, files } = await this.#read();
    const { [path]: entries = [], ...others } = files;
    const last = entries.at(-1);
    if (last === undefined) return undefined;
    const content = await this.files.read(entryOf(last));
    this.files.write(entryOf(last), null);
    const left = entries.slice(0, -1);
    this.#write({ next, files: left.length > 0 ? { ...others, [path]: left } : others });
    return content && new TextDecoder("utf-8", { ignoreBOM: true }).decode(content);
  }

  async #read(): Promise<Index> {
    const content = await this.files.read(index);
    if (!content) return { next: 0, files: {} };
    try {
      const { next, files } = JSON.parse(new TextDecoder().decode(content)) as Partial<Index>;
      const isValid = isNumber(next) && typeof files === "object" && files !== null && Object.values(files).every(isEntries);
      if (isValid) return { next: next!, files: { ...files } };
    } catch {
      // A file that was changed by someone else: the history begins again.
    }
    return { next: 0, files: {} };
  }

  #write(content: Index): void {
    this.files.write(index, JSON.stringify(content));
  }
}

function isEntries(value: unknown): boolean {
  return Array.isArray(value) && value.every(isNumber);
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function entryOf(number: number): string {
  return `${directory}/${number}.txt`;
}
