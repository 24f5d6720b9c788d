// Where the directories of conversations lie: at the top, or, for those of sub-agents, in the directory of the conversation
// that started them, as the SDK has them.
import { bytesOf, textOfBytes } from "../../input/bytes.js";
import { type Directory, directoryAt, directoryIn, each, entriesOf, fileIn, madeIn, readIn, writeIn } from "./disk.js";
import { baseStateFile, idOf, ownFolder, subagentsFolder } from "./names.js";

/** The directory in that of the store's own files with the places of sub-agents' conversations: hints, which may be wrong. */
const hints = "subagents";

/** A conversation's directory, the one that it is in, and the names of the conversations above it. */
export interface Found {
  hex: string;
  ancestors: readonly string[];
  parent: Directory;
  directory: Directory;
}

/** Whether conversations of sub-agents are in the directory of this conversation. */
export async function hasSubagents(directory: Directory): Promise<boolean> {
  const below = await directoryIn(directory, subagentsFolder);
  for (const [name, kind] of below ? await entriesOf(below) : []) {
    const inner = kind === "directory" && idOf(name) ? await directoryIn(below!, name) : undefined;
    if (inner && ((await fileIn(inner, baseStateFile)) || (await hasSubagents(inner)))) return true;
  }
  return false;
}

export class Places {
  readonly #root: Directory;
  /** The conversations above those of sub-agents, by their names; known once all were looked at. */
  #nested: Map<string, string[]> | undefined;

  constructor(root: Directory) {
    this.#root = root;
  }

  async find(hex: string): Promise<Found | undefined> {
    const top = await directoryIn(this.#root, hex);
    if (top) return { hex, ancestors: [], parent: this.#root, directory: top };
    const hint = await directoryAt(this.#root, [ownFolder, hints]);
    const named = hint && (await readIn(hint, hex));
    const told = named && (await this.#below(hex, textOfBytes(named).split("/")));
    if (told) return told;
    if (!this.#nested) await this.all();
    const ancestors = this.#nested!.get(hex);
    return ancestors && this.#below(hex, ancestors);
  }

  /** The directories of all conversations, those of sub-agents too. */
  async all(): Promise<Found[]> {
    const nested = new Map<string, string[]>();
    const inside = async (parent: Directory, ancestors: string[]): Promise<Found[]> => {
      const names = (await entriesOf(parent)).filter(([name, kind]) => kind === "directory" && idOf(name)).map(([name]) => name);
      const lists = await each(names, async (hex) => {
        const directory = await directoryIn(parent, hex);
        if (!directory) return [];
        // A directory in that of a conversation belongs to its files, unless it is one of a conversation.
        const isOne = ancestors.length === 0 || (await fileIn(directory, baseStateFile)) !== undefined;
        if (isOne && ancestors.length > 0) nested.set(hex, ancestors);
        const below = await directoryIn(directory, subagentsFolder);
        const inner = below ? await inside(below, [...ancestors, hex]) : [];
        return isOne ? [{ hex, ancestors, parent, directory }, ...inner] : inner;
      });
      return lists.flat();
    };
    const found = await inside(this.#root, []);
    this.#nested = nested;
    return found;
  }

  /** Makes the directory of a conversation: below the last of these if they exist, at the top otherwise. */
  async make(hex: string, ancestors: readonly string[]): Promise<Found> {
    const above = ancestors.length > 0 ? await this.#directoryOf(ancestors) : undefined;
    if (!above) return { hex, ancestors: [], parent: this.#root, directory: await madeIn(this.#root, hex) };
    const own = await madeIn(await madeIn(this.#root, ownFolder), hints);
    await writeIn(own, hex, bytesOf(ancestors.join("/")));
    const parent = await madeIn(above, subagentsFolder);
    return { hex, ancestors, parent, directory: await madeIn(parent, hex) };
  }

  /** Removes the directories of these conversations, which were deleted before the last conversation below them, if they are empty. */
  async removeEmpty(ancestors: readonly string[]): Promise<void> {
    const above = ancestors.slice(0, -1);
    const hex = ancestors.at(-1);
    const parent = above.length > 0 ? await this.#directoryOf([...above]) : this.#root;
    const around = above.length > 0 && parent ? await directoryIn(parent, subagentsFolder) : parent;
    const directory = hex === undefined || !around ? undefined : await directoryIn(around, hex);
    if (!directory || (await fileIn(directory, baseStateFile))) return;
    try {
      // Neither is removed if something is in it.
      await directory.removeEntry(subagentsFolder);
      await around!.removeEntry(hex!);
    } catch {
      return;
    }
    await this.removeEmpty(above);
  }

  async #below(hex: string, ancestors: readonly string[]): Promise<Found | undefined> {
    const above = await this.#directoryOf(ancestors);
    const parent = above && (await directoryIn(above, subagentsFolder));
    const directory = parent && (await directoryIn(parent, hex));
    return directory && { hex, ancestors, parent: parent!, directory };
  }

  /** The directory of the last of these conversations, each of which is below the one before it. */
  #directoryOf(ancestors: readonly string[]): Promise<Directory | undefined> {
    return directoryAt(
      this.#root,
      ancestors.flatMap((hex, depth) => (depth > 0 ? [subagentsFolder, hex] : [hex])),
    );
  }
}
