// The files of an open conversation: those of its workspace, and those that tools store beside its events.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { ask } from "../input/errors.js";
import { confined } from "./confined.js";
import { ConversationWorkspace } from "./conversation.js";
import { noPast, pastOf, versionLimits } from "./past.js";
import type { ConversationHome, RemoteWorkspace, ServerCommands, StoredFiles, Workspace } from "./types.js";

/** After how many changes of files versions over the limits are removed. */
const changesBetweenPruning = 50;

/**
 * @param given The workspace of the host or of the conversation above, instead of the conversation's own files.
 * @param owner The conversation above, if its files are changed together with results.
 */
export function openHome(
  stored: StoredFiles,
  workingDir: string,
  given: Workspace | undefined,
  owner: ConversationHome | undefined,
  core: () => CoreConversation,
): ConversationHome {
  let changes = 0;
  /** Versions over the limits cost space and nothing else, so a failure to remove them is left to the next time. */
  const prune = () => {
    if (changes++ % changesBetweenPruning === changesBetweenPruning - 1)
      void ask(core(), "pruneFileVersions", versionLimits.bytes, versionLimits.age).catch(() => {});
  };
  const own = given ? undefined : new ConversationWorkspace(stored, workingDir);
  own?.workspace.watch(prune);
  const workspace = Object.assign(
    own?.workspace ?? confined(given!),
    own ? pastOf(core, workingDir) : { ...noPast(), ...commandsOf(given!) },
  );
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
    moved: (paths) => own?.moved(paths),
  };
}

/** The methods that only the workspace of a server has, which has all of them. */
function commandsOf(workspace: Workspace & Partial<ServerCommands>): Partial<ServerCommands> {
  if (!workspace.executeCommand) return {};
  const { executeCommand, gitChanges, gitDiff } = workspace as RemoteWorkspace;
  return { executeCommand: executeCommand.bind(workspace), gitChanges: gitChanges.bind(workspace), gitDiff: gitDiff.bind(workspace) };
}
