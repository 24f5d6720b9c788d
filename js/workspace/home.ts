// The files of an open conversation: those of its workspace, and those that tools store beside its events.
import { confined } from "./confined.js";
import { ConversationWorkspace } from "./conversation.js";
import type { ConversationHome, StoredFiles, Workspace } from "./types.js";

/**
 * @param given The workspace of the host or of the conversation above, instead of the conversation's own files.
 * @param owner The conversation above, if its files are changed together with results.
 */
export function openHome(
  stored: StoredFiles,
  workingDir: string,
  given: Workspace | undefined,
  owner: ConversationHome | undefined,
): ConversationHome {
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
