// The files that an agent works on.

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
