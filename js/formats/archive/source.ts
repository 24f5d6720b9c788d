// Gives the core access to files by their index in a list of them. Those that the core has decided to store go from here
// directly into the store.
import type { ZipSource as CoreSource, ZipEntries, ZipUnreadable, ZipWriting } from "../../../pkg/threadkeep.js";
import { type Commit, type Store, takesBytes } from "../../store/store.js";
import { PageYield } from "../../store/reading.js";
import { type Bytes, joined } from "../../input/bytes.js";

/** A longer event goes into a store of the wasm as bytes: a string would be another copy of it, and one that is not ASCII has several times as many on its way. */
const longText = 1 << 20;
const text = new TextDecoder("utf-8", { ignoreBOM: true });

export abstract class Source implements CoreSource {
  readonly #store: Store;
  protected readonly pageYield: PageYield;

  /** Reads and writes no more once `signal` is aborted. */
  constructor(store: Store, signal: AbortSignal | undefined) {
    this.#store = store;
    this.pageYield = new PageYield(signal);
  }

  abstract get size(): number;

  abstract nextEntries(): Promise<ZipEntries>;

  abstract check(positions: Uint32Array): Promise<ZipUnreadable | undefined>;

  /** The files at these positions. */
  protected abstract contents(positions: ArrayLike<number> & Iterable<number>): Promise<Map<number, Bytes> | ZipUnreadable>;

  /** The files at these positions are about to be stored, and not needed any more. */
  protected abstract used(positions: readonly number[]): void;

  async read(positions: Uint32Array): Promise<Uint8Array | ZipUnreadable> {
    await this.pageYield.wait();
    const contents = await this.contents(positions);
    if (!(contents instanceof Map)) return contents;
    if (positions.length === 1) return contents.get(positions[0]!)!;
    return joined(Array.from(positions, (position) => contents.get(position)!));
  }

  async commit(
    conversation: string,
    { commit, ids, paths, eventSources, fileSources, given }: ZipWriting,
  ): Promise<ZipUnreadable | undefined> {
    await this.pageYield.wait();
    const positions = [...eventSources, ...fileSources].filter((source) => source >= 0);
    const contents = await this.contents(positions);
    if (!(contents instanceof Map)) return contents;
    const content = (source: number) => (source < 0 ? given[-1 - source]! : contents.get(source)!);
    const [eventIds, filePaths] = [ids.split("\n"), paths.split("\n")];
    const hasBytes = takesBytes(this.#store);
    const json = (bytes: Uint8Array) => (hasBytes && bytes.length > longText ? (bytes as unknown as string) : text.decode(bytes));
    const events = Array.from(eventSources, (source, place) => ({ id: eventIds[place]!, json: json(content(source)) }));
    // Copied where other files are in the same buffer, because a store may hold on to the bytes.
    const own = (bytes: Uint8Array) => (bytes.length + 1 === bytes.buffer.byteLength ? bytes : bytes.slice());
    const files = Array.from(fileSources, (source, place) => ({ path: filePaths[place]!, content: own(content(source)) }));
    this.used(positions);
    contents.clear();
    await this.#store.commit(conversation, { ...(commit as Commit), events, files });
    return undefined;
  }
}
