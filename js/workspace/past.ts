// The past of the conversation's own files. The core decides which version belongs to an event, and what is kept.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { ask, ThreadkeepError, textOf } from "../input/errors.js";
import { confined } from "./confined.js";
import { workspaceOver } from "./conversation.js";
import { Watchers } from "./listeners.js";
import { treeOf, workspaceFolder } from "./tree.js";
import type { Past } from "./types.js";

/** The most that versions take, in bytes and in milliseconds. */
export const versionLimits = { bytes: 64 << 20, age: 30 * 24 * 60 * 60 * 1000 };

export function pastOf(core: () => CoreConversation, workingDir: string): Past {
  return {
    async at(eventId) {
      const { version, paths } = await ask(core(), "filesAt", textOf(eventId));
      const tree = treeOf(paths.filter((path) => path.startsWith(workspaceFolder)));
      const access = {
        tree: async () => tree,
        content: (path: string) => ask(core(), "readFileAt", version, workspaceFolder + path),
        apply: async () => {
          throw new ThreadkeepError(
            "invalid_state",
            "the files of an earlier event cannot be changed; navigateTo() the event first, or change conversation.workspace",
          );
        },
      };
      return confined(workspaceOver(access, workingDir, new Watchers()));
    },
    async changes(from, to) {
      const changes = await ask(core(), "fileChanges", textOf(from), textOf(to));
      return changes
        .filter(({ path }) => path.startsWith(workspaceFolder))
        .map(({ path, type }) => ({ path: path.slice(workspaceFolder.length), type }));
    },
    async history() {
      const history = await ask(core(), "fileHistory");
      return { ...history, maxBytes: versionLimits.bytes, maxAge: versionLimits.age };
    },
  };
}

/** That of files which the conversation does not store. */
export function noPast(): Past {
  const refuse = async (): Promise<never> => {
    throw new ThreadkeepError(
      "no_history",
      "only the conversation's own files have versions; this one was opened with a workspace of its own, whose earlier files nobody keeps",
    );
  };
  return { at: refuse, changes: refuse, history: refuse };
}
