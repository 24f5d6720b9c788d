// The directories and locks of a browser over the file system of Node, as far as a store in a directory uses them: so the real
// SDK can open what the store writes, while it writes it.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, rmdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The handle of a folder on the disk. `modified` is the time of its files in place of the disk's. */
export function diskDirectory(folder, { modified } = {}) {
  return new DiskDirectory(folder, modified);
}

class DiskFile {
  kind = "file";
  #path;
  #modified;

  constructor(at, modified) {
    this.#path = at;
    this.#modified = modified;
    this.name = path.basename(at);
  }

  async getFile() {
    kindAt(this.#path, "file");
    return new File([readFileSync(this.#path)], this.name, { lastModified: this.#modified ?? Math.floor(statSync(this.#path).mtimeMs) });
  }

  async createWritable() {
    const parts = [];
    return {
      write: async (content) => void parts.push(Buffer.from(await new Blob([content]).arrayBuffer())),
      abort: async () => {},
      close: async () => {
        writeFileSync(`${this.#path}.crswap`, Buffer.concat(parts));
        renameSync(`${this.#path}.crswap`, this.#path);
      },
    };
  }
}

class DiskDirectory {
  kind = "directory";
  #path;
  #modified;

  constructor(at, modified) {
    this.#path = at;
    this.#modified = modified;
    this.name = path.basename(at);
  }

  async getDirectoryHandle(name, { create = false } = {}) {
    const at = path.join(this.#path, name);
    if (create) mkdirSync(at, { recursive: true });
    kindAt(at, "directory");
    return new DiskDirectory(at, this.#modified);
  }

  async getFileHandle(name, { create = false } = {}) {
    const at = path.join(this.#path, name);
    if (create) writeFileSync(at, "", { flag: "a" });
    kindAt(at, "file");
    return new DiskFile(at, this.#modified);
  }

  async removeEntry(name, { recursive = false } = {}) {
    const at = path.join(this.#path, name);
    if (kindAt(at) === "file") unlinkSync(at);
    else if (recursive) rmSync(at, { recursive: true });
    else rmdirSync(at);
  }

  async *entries() {
    for (const entry of readdirSync(this.#path, { withFileTypes: true })) {
      const at = path.join(this.#path, entry.name);
      yield [entry.name, entry.isDirectory() ? new DiskDirectory(at, this.#modified) : new DiskFile(at, this.#modified)];
    }
  }

  async *values() {
    for await (const [, handle] of this.entries()) yield handle;
  }
}

/** The kind of an entry, which has to be this one. */
function kindAt(at, wanted) {
  const found = statSync(at, { throwIfNoEntry: false });
  if (!found) throw new DOMException(`${at} does not exist`, "NotFoundError");
  const kind = found.isDirectory() ? "directory" : "file";
  if (wanted && kind !== wanted) throw new DOMException(`${at} is a ${kind}`, "TypeMismatchError");
  return kind;
}

/** Locks by name, one after the other: more than readers need, and all that writers need. */
export function provideLocks() {
  const ends = new Map();
  const request = async (name, ...[options, given]) => {
    const work = given ?? options;
    if (options.ifAvailable && ends.has(name)) return work(null);
    const before = ends.get(name);
    const end = (async () => {
      await before;
      return work({ name });
    })();
    const settled = end.catch(() => {});
    ends.set(name, settled);
    settled.then(() => ends.get(name) === settled && ends.delete(name));
    return end;
  };
  const locks = { request };
  const navigator = globalThis.navigator ?? {};
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
}
