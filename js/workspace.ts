// The files that an agent works on: the interface, and the workspaces that come with the library. Their code is loaded with
// the first call.
import type { ConversationStorage, PendingFiles } from "./workspace/conversation.js";
import { part } from "./wasm.js";

/** A file or directory of a workspace. */
export interface WorkspaceEntry {
  /** Relative to the workspace, without a leading slash: `"notes/plan.md"`. The workspace itself is `""`. */
  path: string;
  type: "file" | "directory";
  /** Bytes; 0 for a directory. */
  size: number;
  /** Milliseconds since the Unix epoch; 0 if it is not known. */
  modifiedAt: number;
}

/** A change of a workspace. */
export interface WorkspaceChange {
  /** Relative to the workspace. */
  path: string;
  type: "written" | "removed";
}

/**
 * The files that an agent works on. Implement it for files of your own: the library calls these methods with relative
 * paths in their shortest form (`"notes/plan.md"`, `""` for the workspace itself), whatever a caller has written.
 *
 * Files that do not exist are no error for `stat`, which returns `undefined`; other methods reject with the code
 * `"not_found"`.
 */
export interface Workspace {
  /** The path of the workspace as tools and models see it, such as `"/workspace"`. */
  readonly workingDir: string;
  /** The content of a file. */
  read(path: string): Promise<Uint8Array>;
  /** Writes a file, and creates the directories above it. Resolves once it is durable. */
  write(path: string, content: Uint8Array | string): Promise<void>;
  /** The file or directory, or `undefined`. */
  stat(path: string): Promise<WorkspaceEntry | undefined>;
  /** The files and directories directly in this directory, in any order. */
  list(path: string): Promise<WorkspaceEntry[]>;
  /** Creates a directory and those above it; does nothing if it exists. */
  makeDirectory(path: string): Promise<void>;
  /** Removes a file, or a directory with everything in it. */
  remove(path: string): Promise<void>;
  /** Moves a file or directory; replaces a file of that name. */
  move(from: string, to: string): Promise<void>;
  /** Calls the listener after each change, as far as the platform reports them. Returns a function that ends this. */
  watch(listener: (change: WorkspaceChange) => void): () => void;
  /** Releases resources. Called by the `close()` of a conversation that has it. */
  close?(): Promise<void>;
}

/** The path of a workspace unless something else is given. @internal */
export const defaultWorkingDir = "/workspace";

/** Files in memory, which are gone after a reload. `files` are the first ones: texts or bytes by path. */
export function memoryWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): Workspace {
  return lazily(defaultWorkingDir, async () => (await part(import("./workspace/memory.js"))).memoryFiles(files, defaultWorkingDir));
}

/** The workspace that the host has given, with paths and content checked. @internal */
export function checkedWorkspace(given: Workspace): Workspace {
  return ready.has(given) ? given : lazily(given.workingDir, async () => (await part(import("./workspace/confined.js"))).confined(given));
}

/** The conversation's own files. @internal */
export class OwnFiles {
  /** Its changes are stored at once. */
  readonly workspace: Workspace;
  readonly #files;

  constructor(storage: ConversationStorage, workingDir: string) {
    this.#files = once(async () => new (await part(import("./workspace/conversation.js"))).ConversationFiles(storage, workingDir));
    this.workspace = lazily(workingDir, async () => (await this.#files()).workspace);
  }

  /** The files for one call of a built-in tool. */
  async begin(): Promise<PendingFiles> {
    return (await this.#files()).begin();
  }
}

/** Workspaces that check paths themselves. */
const ready = new WeakSet<Workspace>();

/** A workspace that is opened with its first call; after a failure the next call tries again. */
function lazily(workingDir: string, open: () => Promise<Workspace>): Workspace {
  const opened = once(open);
  const later = (name: string) => [name, async (...args: unknown[]) => ((await opened()) as unknown as Record<string, (...args: unknown[]) => unknown>)[name]!(...args)];
  const workspace = {
    workingDir,
    ...Object.fromEntries("read write stat list makeDirectory remove move close".split(" ").map(later)),
    watch(listener) {
      let end: (() => void) | undefined = () => {};
      opened().then((workspace) => end &&= workspace.watch(listener), () => {});
      return () => {
        end?.();
        end = undefined;
      };
    },
  } as Workspace;
  ready.add(workspace);
  return workspace;
}

/** The function, called once unless it fails. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return () => (opening ??= open().catch((error: unknown) => {
    opening = undefined;
    throw error;
  }));
}
