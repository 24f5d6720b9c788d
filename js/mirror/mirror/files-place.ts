// A place that is four functions of the host.
import type { CoreMirrorPlan } from "../../../pkg/threadkeep.js";
import { bytesOf, textOfBytes, type Bytes } from "../../input/bytes.js";
import { ThreadkeepError } from "../../input/errors.js";
import { each } from "../../store/directory/disk.js";
import { baseStateFile, eventFile, eventIn, eventsFolder, idOf } from "../../store/directory/names.js";
import { withTimeout } from "../../store/inventory.js";
import type { MirrorFiles } from "../types.js";
import { type FileChanges, type Look, type Place, PlaceFailure, type Placed, type Spot } from "./place.js";

/** How long one of the functions may take, in milliseconds: a large file over a slow connection. */
const timeout = 300_000;

export class FilesPlace implements Place {
  readonly name: string | undefined;
  readonly canReplaceEvents = true;
  readonly #files: MirrorFiles;

  constructor(files: MirrorFiles) {
    this.#files = files;
    this.name = typeof files.name === "string" ? files.name : undefined;
  }

  async overview(): Promise<Map<string, { events: number }>> {
    const found = new Map<string, { events: number; exists: boolean }>();
    for (const path of await this.#list("")) {
      const [, folder, name, event] = /^(.*?)\/(?:(base_state\.json)|events\/([^/]+))$/.exec(path) ?? [];
      if (folder === undefined) continue;
      const entry = found.get(folder) ?? { events: 0, exists: false };
      found.set(folder, entry);
      if (name) entry.exists = true;
      else if (eventIn(event!)) entry.events++;
    }
    return new Map([...found].filter(([, { exists }]) => exists));
  }

  async look({ folder }: Spot): Promise<Look> {
    const bytes = await this.#read(`${folder}/${baseStateFile}`);
    return { state: bytes && textOfBytes(bytes), length: undefined };
  }

  async eventFiles({ folder }: Spot): Promise<string[]> {
    const prefix = `${folder}/${eventsFolder}/`;
    return (await this.#list(prefix)).map((path) => path.slice(prefix.length)).filter((name) => eventIn(name));
  }

  async arrange(spot: Spot, moves: CoreMirrorPlan["moves"], stale: readonly string[]): Promise<void> {
    for (const { name, number } of moves) {
      const bytes = await this.#read(pathOf(spot, name));
      if (bytes) await this.#write(pathOf(spot, eventFile(number, eventIn(name)![1])), bytes);
    }
    for (const name of stale) await this.#remove(pathOf(spot, name));
  }

  async put(spot: Spot, events: readonly Placed[], state: string | undefined, isNew: boolean): Promise<void> {
    const write = ({ number, id, json }: Placed) => this.#write(pathOf(spot, eventFile(number, id)), bytesOf(json));
    // Nobody reads a conversation without a base state; in others, no event may stand behind a gap.
    if (isNew) await each(events, write);
    else for (const event of events) await write(event);
    if (state !== undefined) await this.#write(`${spot.folder}/${baseStateFile}`, bytesOf(state));
  }

  async putFiles({ folder }: Spot, files: FileChanges): Promise<void> {
    await each(files, ([path, content]) => (content ? this.#write(`${folder}/${path}`, content) : this.#remove(`${folder}/${path}`)));
  }

  readEvent(spot: Spot, number: number, id: string): Promise<Bytes | undefined> {
    return this.#read(pathOf(spot, eventFile(number, id)));
  }

  readFile({ folder }: Spot, path: string): Promise<Bytes | undefined> {
    return this.#read(`${folder}/${path}`);
  }

  async remove({ folder }: Spot): Promise<void> {
    await this.#remove(`${folder}/${baseStateFile}`);
    await each(await this.#list(`${folder}/`), (path) => this.#remove(path));
  }

  async tops(): Promise<string[]> {
    const names = (await this.#list("")).map((path) => path.slice(0, Math.max(0, path.indexOf("/"))));
    return [...new Set(names)].filter((name) => idOf(name)).sort();
  }

  async *below(folder: string): AsyncGenerator<[path: string, read: () => Promise<Blob>]> {
    for (const path of (await this.#list(`${folder}/`)).sort()) {
      yield [
        path,
        async () => {
          const bytes = await this.#read(path);
          if (!bytes) throw new ThreadkeepError("network", `the file ${path} of the mirror is not there any more; try again`);
          return new Blob([bytes]);
        },
      ];
    }
  }

  async #list(prefix: string): Promise<string[]> {
    const paths = await this.#ask("list", () => this.#files.list(prefix));
    if (!Array.isArray(paths) || paths.some((path) => typeof path !== "string"))
      throw new PlaceFailure(this.name, new Error("list() must resolve to an array of paths"));
    return paths.filter((path) => path.startsWith(prefix));
  }

  async #read(path: string): Promise<Bytes | undefined> {
    const bytes = await this.#ask("read", () => this.#files.read(path));
    if (bytes === undefined || bytes === null) return undefined;
    if (!(bytes instanceof Uint8Array)) throw new PlaceFailure(this.name, new Error("read() must resolve to a Uint8Array or undefined"));
    return bytes as Bytes;
  }

  async #write(path: string, bytes: Bytes): Promise<void> {
    await this.#ask("write", () => this.#files.write(path, bytes));
  }

  async #remove(path: string): Promise<void> {
    await this.#ask("remove", () => this.#files.remove(path));
  }

  async #ask<T>(name: string, question: () => Promise<T>): Promise<T> {
    try {
      const answer = await withTimeout(
        Promise.resolve(question()).then((value) => ({ value })),
        timeout,
      );
      if (!answer) throw new Error(`${name}() has not answered within ${timeout / 60_000} minutes`);
      return answer.value;
    } catch (error) {
      throw new PlaceFailure(this.name, error);
    }
  }
}

const pathOf = ({ folder }: Spot, name: string): string => `${folder}/${eventsFolder}/${name}`;
