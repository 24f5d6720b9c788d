// The known changes of the files in the panel: from the agent's calls, or from the server that it works on.

import type { Session } from "../thread/session.ts";
import { type Change, changedFiles } from "./changes.ts";
import { filesOfTerminal } from "./terminal-files.ts";

export interface FileChanges {
  /** The name of the view with the changes of one file. */
  name: string;
  /** Reads them anew, those of this file, too, if it is given. Never rejects. */
  read(path?: string): Promise<void>;
  /** A word for each changed file, by its path. */
  marks(): ReadonlyMap<string, string>;
  /** The paths of files that are gone. */
  removed(): readonly string[];
  /** The change of this file; `undefined` if nothing is known. */
  of(path: string): Change | undefined;
}

export function changesByAgent(session: Session): FileChanges {
  const changes = (): Map<string, Change> => changedFiles(session.results, session.conversation.workspace.workingDir);
  return {
    name: "Changes by the agent",
    read: async () => undefined,
    marks: () => new Map([...changes().keys(), ...filesOfTerminal(session.conversation)].map((path) => [path, "changed"])),
    removed: () => [],
    of: (path) => changes().get(path),
  };
}
