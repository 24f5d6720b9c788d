// The tools of js/tools/ on a workspace in memory with a clock of its own, as tests need them.
import { fromSource } from "../support/bundled.mjs";

const files = {
  file_editor: "file-editor.ts",
  task_tracker: "task-tracker.ts",
  grep: "grep.ts",
  glob: "glob.ts",
  list_directory: "list-directory.ts",
  apply_patch: "apply-patch.ts",
};
const names = Object.keys(files);
const modules = await Promise.all(Object.values(files).map((file) => fromSource(`tools/${file}`)));

/** The definition of each tool by its name. */
export function definitions(place) {
  return Object.fromEntries(names.map((name, index) => [name, modules[index].define(place)]));
}

/** A workspace of files in a map, which are changed at the time of the current step. */
export class TestWorkspace {
  contents = new Map();
  times = new Map();
  directories = new Set([""]);
  #changed = new Set();

  constructor(workingDir, files = {}) {
    this.workingDir = workingDir;
    for (const [path, content] of Object.entries(files)) this.#set(path, Buffer.from(content));
  }

  /** Gives the files that changed the time of this step, in the order of their names. */
  setTimes(step) {
    [...this.#changed].sort(byParts).forEach((path, index) => this.times.set(path, (1_700_000_000 + 10 * step) * 1000 + index));
    this.#changed.clear();
  }

  async read(path) {
    const content = this.contents.get(path);
    if (!content) throw Object.assign(new Error(`there is no file ${path}`), { code: "not_found" });
    return content;
  }

  async write(path, content) {
    if (this.directories.has(path)) throw new Error(`${path} is a directory`);
    this.#set(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
  }

  async stat(path) {
    if (this.directories.has(path)) return { path, type: "directory", size: 0, modifiedAt: 0 };
    const content = this.contents.get(path);
    return content && { path, type: "file", size: content.length, modifiedAt: this.times.get(path) ?? 0 };
  }

  async list(directory) {
    const isIn = (path) => path !== "" && parentOf(path) === directory;
    return Promise.all([...this.contents.keys(), ...this.directories].filter(isIn).map((path) => this.stat(path)));
  }

  async remove(path) {
    this.contents.delete(path);
    this.#changed.delete(path);
  }

  #set(path, content) {
    for (let at = parentOf(path); at !== ""; at = parentOf(at)) {
      if (this.contents.has(at)) throw new Error(`${at} is a file`);
      this.directories.add(at);
    }
    this.contents.set(path, content);
    this.#changed.add(path);
  }
}

/** Further files of a conversation in a map. */
export function testFiles(contents = new Map()) {
  return {
    contents,
    read: async (path) => contents.get(path),
    write(path, content) {
      if (content === null) contents.delete(path);
      else contents.set(path, typeof content === "string" ? new TextEncoder().encode(content) : content);
    },
  };
}

function parentOf(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Python's order of paths. */
function byParts(one, other) {
  const [ones, others] = [one.split("/"), other.split("/")];
  for (let at = 0; at < Math.min(ones.length, others.length); at += 1) {
    const order = Buffer.compare(Buffer.from(ones[at]), Buffer.from(others[at]));
    if (order !== 0) return order;
  }
  return ones.length - others.length;
}
