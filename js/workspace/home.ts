// The files of an open conversation: those of its workspace, and those that tools store beside its events.
import type { ConversationFiles } from "../tools/built-in.js";
import type { Workspace } from "../workspace.js";
import { confined } from "./confined.js";
import { ConversationWorkspace, type PendingFiles } from "./conversation.js";

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
  readonly workspace: Workspace;
  /** The files for a call. The core makes these calls one after the other, so at most one is not committed. */
  call(actionId: string): CallFiles;
  /** The files for a call of a sub-agent, which stores the changes; the workspace is the conversation's own. */
  begin(): PendingFiles;
  /** The result of this call is stored, and with it its changes. Those of calls that end otherwise are dropped. */
  committed(actionId: string): void;
  /** Another page may have changed the files in the store. */
  changed(): void;
}

/**
 * @param given The workspace of the host or of the conversation above, instead of the conversation's own files.
 * @param owner The conversation above, if its files are changed together with results.
 */
export function openHome(stored: StoredFiles, workingDir: string, given: Workspace | undefined, owner: ConversationHome | undefined): ConversationHome {
  const own = given ? undefined : new ConversationWorkspace(stored, workingDir);
  const workspace = own?.workspace ?? confined(given!);
  /** The call that ended last, and the function that takes over its changes. */
  let ended: { actionId: string; commit: () => void } | undefined;
  return {
    workspace,
    begin: () => own!.begin(),
    call(actionId) {
      const pending = (owner ?? own)?.begin();
      const beside = new Map<string, Uint8Array | null>();
      return {
        workspace: pending?.workspace ?? workspace,
        files: {
          read: async (path) => (beside.has(path) ? beside.get(path)?.slice() : stored.readFile(path)),
          write: (path, content) => void beside.set(path, typeof content === "string" ? new TextEncoder().encode(content) : content),
        },
        changes() {
          const changes = [...beside].map(([path, content]) => ({ path, content }));
          const changed = pending?.end() ?? [];
          // Calls that change nothing may end beside one that waits for its commit.
          if (pending && changed.length > 0) ended = { actionId, commit: () => pending.commit() };
          return [...changes, ...(owner ? changed.map((change) => ({ ...change, isOwners: true })) : changed)];
        },
      };
    },
    committed(actionId) {
      if (ended?.actionId !== actionId) return;
      ended.commit();
      ended = undefined;
    },
    changed: () => own?.reload(),
  };
}
