// The files that an agent works on: the interface, and the workspaces that come with the library, whose code is loaded when
// they are first used.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { isA } from "../input/arguments.js";
import { ask, invalidOptions, reading, ThreadkeepError } from "../input/errors.js";
import { AgentServer } from "../server/server.js";
import type { Store } from "../store/store.js";
import { loadChunk, part } from "../wasm/wasm.js";
import type {
  CallFiles,
  ConversationHome,
  FileChange,
  FolderWorkspace,
  PendingFiles,
  RemoteWorkspace,
  VersionedWorkspace,
  Workspace,
} from "./types.js";

/** Files in memory, which are gone after a reload. `files` are the first ones: texts or bytes by path. */
export function memoryWorkspace(files: Readonly<Record<string, string | Uint8Array>> = {}): Workspace {
  return lazily(
    () => usualDirectory,
    async () => (await part(import("./memory.js"))).memoryFiles(files, usualDirectory),
  );
}

/**
 * Files in the origin private file system: a directory of this name that belongs to your origin, and that all pages of the
 * origin share. It is not deleted with a conversation.
 */
export function opfsWorkspace(name = "workspace"): Workspace {
  return lazily(
    () => usualDirectory,
    async () => (await part(import("./opfs.js"))).opfsFiles(name, usualDirectory),
  );
}

/** A folder of the user's device, in browsers that have it. The folder is remembered under this name. */
export function folderWorkspace(name = "workspace"): FolderWorkspace {
  const open = async () => (await part(import("./folder.js"))).folderFiles(name, usualDirectory);
  return lazily(() => usualDirectory, open, ["permission", "requestPermission", "pick", "forget"]) as FolderWorkspace;
}

/**
 * Files of an OpenHands agent server, below the `workingDir` of `agentServer()`, and commands that it runs. Links are not followed: they
 * are as if they were not there.
 * @throws ThreadkeepError `invalid_options`
 */
export function remoteWorkspace(server: AgentServer): RemoteWorkspace {
  return workspaceOn(server, () => undefined);
}

/** The workspace of a conversation on this server, with its stored state if it has one. @internal */
export function workspaceOn(server: AgentServer, state: () => string | undefined): RemoteWorkspace {
  const given = reading("the server", () => AgentServer.optionsOf(server).workingDir);
  const workingDir = () => storedDirectory(state(), given);
  const open = async () => (await part(import("./remote.js"))).remoteFiles(server, workingDir());
  const workspace = lazily(workingDir, open, commands) as RemoteWorkspace;
  // There is nothing to release.
  delete workspace.close;
  return workspace;
}

/** The methods that the workspace of a server has beside the methods of every workspace. */
const commands = ["executeCommand", "gitChanges", "gitDiff"];
const methods = ["read", "write", "stat", "list", "makeDirectory", "remove", "move", "watch"] as const;
const usualDirectory = "/workspace";

/** @throws ThreadkeepError `invalid_options` if a method is missing. @internal */
export function checkedWorkspace(workspace: Workspace): Workspace {
  const missing = reading("workspace", () => methods.find((name) => typeof workspace?.[name] !== "function"));
  if (missing)
    throw invalidOptions(
      `workspace must be memoryWorkspace(), opfsWorkspace(), folderWorkspace() or a Workspace of your own; it has no ${missing}()`,
    );
  if (!isAbsolute(workspace.workingDir)) throw invalidOptions('workingDir of a workspace must be an absolute path such as "/workspace"');
  return workspace;
}

/** The directory in which the agent's tools work, if it has tools that work on files. @internal */
export async function workingDirOf(
  tools: readonly { readonly builtIn?: object }[],
  given: Workspace | undefined,
  store: Store,
  id: string,
): Promise<string | undefined> {
  if (given || !tools.some(({ builtIn }) => builtIn)) return given?.workingDir;
  const stored = await store.load(id);
  return storedDirectory(stored?.baseState);
}

/** The directory that the model of a stored conversation knows, which may be one of a Python process. */
function storedDirectory(baseState = "{}", usual = usualDirectory): string {
  const directory: unknown = JSON.parse(baseState).workspace?.working_dir;
  return isAbsolute(directory) ? directory : usual;
}

function isAbsolute(path: unknown): path is string {
  return typeof path === "string" && /^\/(?!\/)/.test(path);
}

/** A workspace that is opened with its first call; after a failure the next call tries again. */
function lazily(workingDir: () => string, open: () => Promise<Workspace>, more: string[] = []): Workspace {
  const opened = once(open);
  const later = (name: string) => [
    name,
    async (...args: unknown[]) => {
      // The caller may change its array afterwards.
      const copies = args.map((each) => (isA(each, Uint8Array) ? each.slice() : each));
      return ((await opened())[name as "read"] as (...args: unknown[]) => unknown)(...copies);
    },
  ];
  const watch: Workspace["watch"] = (listener) => {
    const end = opened().then((workspace) => workspace.watch(listener));
    end.catch(() => {});
    return () =>
      void end.then(
        (end) => end(),
        () => {},
      );
  };
  return {
    ...Object.fromEntries([...methods, "close", ...more].map(later)),
    watch,
    get workingDir() {
      return workingDir();
    },
  };
}

/** The function, called once unless it fails. */
function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opening: Promise<T> | undefined;
  return () =>
    (opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
}

/** The part of their session that the files use. */
interface HomeSession {
  readonly id: string;
  readonly store: Store;
  readonly core: CoreConversation;
  load<T>(load: () => Promise<T>): Promise<T>;
}

/** The files of an open conversation. Their code is loaded when they are first used. @internal */
export class LazyHome {
  readonly workspace: VersionedWorkspace;
  readonly workingDir: string | undefined;
  readonly isTransactional: boolean;
  /** Whether the workspace is the conversation's own files. */
  readonly isOwn: boolean;
  readonly #given: Workspace | undefined;
  readonly #load: () => Promise<ConversationHome>;
  #isUsed = false;

  /** @param owner The files of the conversation above, if `given` is its workspace and the store spans conversations. */
  constructor(given: Workspace | undefined, workingDir: string | undefined, session: HomeSession, owner: LazyHome | undefined) {
    const { id, store } = session;
    this.#given = given;
    this.workingDir = workingDir;
    this.isOwn = given === undefined;
    this.isTransactional = this.isOwn || owner !== undefined;
    const directory = () => workingDir ?? given?.workingDir ?? storedDirectory(session.core.state());
    const load = once(async () => {
      // The chunk records changes of files.
      const loading = () => Promise.all([part(import("./home.js")), loadChunk("agent")]);
      const [{ openHome }] = await session.load(loading);
      const stored = {
        files: (folder: string) => store.files(id, folder),
        readFile: (path: string) => store.readFile(id, path),
        writeFiles: async (changes: FileChange[]): Promise<void> => {
          if (session.core.access() === "follower")
            throw new ThreadkeepError("unsupported", "files are changed in the tab that writes this conversation: call takeOver() first");
          await ask(session.core, "writeFiles", changes);
        },
      };
      return openHome(stored, directory(), given, owner && (await owner.#load()), () => session.core);
    });
    this.#load = () => {
      this.#isUsed = true;
      return load();
    };
    const opened = async () => (await this.#load()).workspace;
    const more = commands.filter((name) => given?.[name as "read"]);
    this.workspace = lazily(directory, opened, ["at", "changes", "history", ...more]) as VersionedWorkspace;
  }

  async call(actionId: string): Promise<CallFiles> {
    return (await this.#load()).call(actionId);
  }

  /** For changes of the conversation's own files that are stored together with a message. */
  async begin(): Promise<PendingFiles> {
    return (await this.#load()).begin();
  }

  committed(actionId: string): void {
    this.#inUse((home) => home.committed(actionId));
  }

  changed(): void {
    this.#inUse((home) => home.changed());
  }

  moved(paths: string[]): void {
    if (paths.length > 1) this.#inUse((home) => home.moved(paths));
  }

  #inUse(act: (home: ConversationHome) => void): void {
    if (this.#isUsed) void this.#load().then(act, () => {});
  }

  async close(): Promise<void> {
    await this.#given?.close?.();
  }
}
