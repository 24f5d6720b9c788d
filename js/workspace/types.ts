// Workspaces, and changes in the files of a conversation.

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

/** A file that is different at two events. */
export interface FileDifference {
  /** Relative to the workspace. */
  path: string;
  type: "added" | "changed" | "removed";
}

/** The earlier files of a conversation, as far as they are known. */
export interface FileHistory {
  /** The number of versions to which the files can go back. */
  versions: number;
  /** Bytes that versions take beside the files themselves. The same content is counted, and stored, once. */
  bytes: number;
  /** The event with the oldest version; `null` before the first event, or if nothing was recorded. */
  since: string | null;
  /** Whether the files of all events are known: nothing was removed, and there were no files before the first version. */
  isComplete: boolean;
  /** Versions are removed beyond so many bytes, those that are farthest from the current files first. */
  maxBytes: number;
  /** Versions are removed after so many milliseconds. */
  maxAge: number;
}

/** The files of earlier events. */
export interface Past {
  /**
   * The files of the workspace at this event: after the last change that was made while it was the newest event of its branch.
   * The methods that change files reject with `"invalid_state"`.
   * @throws ThreadkeepError `not_found` for an event that does not exist, or whose files are not known: they were changed
   * before there were versions, or these have been removed; `no_history` for a workspace that is not the conversation's own
   */
  at(eventId: string): Promise<Workspace>;
  /** The files that are different at these events, sorted by path. Throws as `at()` does. */
  changes(fromEventId: string, toEventId: string): Promise<FileDifference[]>;
  /**
   * Says how far back files are known.
   * @throws ThreadkeepError `no_history`
   */
  history(): Promise<FileHistory>;
}

/** A part of the output of a command on a server. */
export interface CommandOutput {
  stdout: string;
  stderr: string;
}

/** The options of `executeCommand()`. */
export interface CommandOptions {
  /** The directory in which the command runs. Default: that of the workspace. */
  cwd?: string | undefined;
  /** Seconds, rounded up, after which the server ends the command. Default: 30. */
  timeout?: number | undefined;
  /** Stops the command on servers since 1.58; an older one goes on with it until it has ended, or its time is over. */
  signal?: AbortSignal | undefined;
  /** Called with each piece of the output: a server tells of one for each MiB, and of the rest when the command has ended. */
  onOutput?: ((output: CommandOutput) => void) | undefined;
}

/** How a command on a server has ended. */
export interface CommandResult extends CommandOutput {
  command: string;
  /** Negative if a signal has ended it, and -1 if its time was over or it could not be started. */
  exitCode: number;
  /** Whether the server has ended it because its time was over. */
  timeoutOccurred: boolean;
}

/** A file that is different from the branch that the repository came from, or from its last commit. */
export interface GitChange {
  status: "MOVED" | "ADDED" | "DELETED" | "UPDATED";
  /** Relative to the directory that was asked about, and only of files in it. */
  path: string;
}

/** The text of a file now, and as it was; `null` where there is no repository. */
export interface GitDiff {
  modified: string | null;
  original: string | null;
}

/** The abilities of an agent server beside reading and writing files. */
export interface ServerCommands {
  /**
   * Runs a command in the shell of the server. It is no prisoner of the workspace. Resolves whatever its exit code is.
   * @throws ThreadkeepError `invalid_options`, `not_found` for `cwd`, `aborted` by its signal, `server_auth`, and `network`, after which
   * the command may go on
   */
  executeCommand(command: string, options?: CommandOptions): Promise<CommandResult>;
  /** The changes in the Git repository of this directory of the workspace; none if there is no repository. Throws as `gitDiff()` does. */
  gitChanges(path?: string): Promise<GitChange[]>;
  /**
   * The text of this file now, and as it was.
   * @throws ThreadkeepError `invalid_options` for a path outside of the workspace, or what Git cannot compare, such as a file of more
   * than 1 MiB; `not_found` for a link; `server_auth`, `network`
   */
  gitDiff(path: string): Promise<GitDiff>;
}

/** Files of an agent server: see `remoteWorkspace()`. */
export interface RemoteWorkspace extends Workspace, ServerCommands {}

/**
 * The workspace of a conversation. If it is the conversation's own, each change is recorded in the transaction that makes it;
 * `navigateTo()`, `regenerate()`, `editMessage()` and `fork()` take the files to where they were at the event. If it is one of an
 * agent server, it has the methods of `ServerCommands`.
 */
export interface VersionedWorkspace extends Workspace, Past, Partial<ServerCommands> {}

/** `"none"`: no folder has been picked. `"prompt"`: the user has to be asked. */
export type FolderPermission = "none" | "granted" | "prompt" | "denied";

/**
 * A folder that the user has picked. Until the user allows it, all methods of `Workspace` reject with the code
 * `"permission_required"`.
 */
export interface FolderWorkspace extends Workspace {
  /** Whether the page may use the folder now. After a reload most browsers ask again. */
  permission(): Promise<FolderPermission>;
  /** Asks the user to allow the folder that was picked before. Call it in the handler of a click. */
  requestPermission(): Promise<FolderPermission>;
  /**
   * Lets the user pick a folder, in the handler of a click; or takes the handle of one, such as a folder that was dropped
   * on the page. It is remembered after a reload.
   */
  pick(handle?: FileSystemDirectoryHandle | undefined): Promise<void>;
  /** Forgets the folder; its files stay as they are. */
  forget(): Promise<void>;
}

/** A change of a file of a conversation: new content, or `null` to remove it. */
export interface FileChange {
  /** Relative to the conversation: `"workspace/notes/plan.md"`, `"TASKS.json"`. */
  path: string;
  content: Uint8Array | null;
}

/** The files of a conversation: read from its store, and written by the conversation, which knows its length. */
export interface StoredFiles {
  /** The paths of the files below a folder. */
  files(folder: string): Promise<string[]>;
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Stores all changes in one transaction. */
  writeFiles(changes: FileChange[]): Promise<void>;
}

/** The files as one call of a built-in tool sees them. */
export interface CallFiles {
  /** With the changes of this call. */
  readonly workspace: Workspace;
  readonly files: ConversationFiles;
  /** The changes that are stored together with the result. */
  changes(): CallChange[];
}

/** The change of a file by a call. */
export interface CallChange extends FileChange {
  /** Whether it is a file of the conversation above, whose files this one works on. */
  isOwners?: boolean;
}

/** The files of an open conversation. */
export interface ConversationHome {
  /** For the host and its tools: each change is durable when its promise resolves. */
  readonly workspace: VersionedWorkspace;
  /** The files for a call. The core makes these calls one after the other, so at most one is not committed. */
  call(actionId: string): CallFiles;
  /** The files for a message, or for a call of a sub-agent, which stores the changes; the workspace is the conversation's own. */
  begin(): PendingFiles;
  /** The result of this call is stored, and with it its changes. Those of calls that end otherwise are dropped. */
  committed(actionId: string): void;
  /** Another page may have changed the files in the store. */
  changed(): void;
  /** A move of HEAD has changed the files of the conversation with these paths. */
  moved(paths: string[]): void;
}

/** Further files of a conversation, such as `TASKS.json`: the directory in which the SDK stores a conversation. */
export interface ConversationFiles {
  /** The content, or `undefined` if there is none of this name. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Stored together with the result of the call; `null` removes the file. */
  write(path: string, content: Uint8Array | string | null): void;
}

/** The changes of one call. */
export interface PendingFiles {
  /** Reads the files of the conversation with the changes of this call; the changes are visible nowhere else. */
  readonly workspace: Workspace;
  /** Ends the call, and returns its changes for the core. From now on all methods of its workspace reject. */
  end(): FileChange[];
  /** The result of the call is stored, and its changes with it. */
  commit(): void;
}
