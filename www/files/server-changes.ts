// The changes of files on an agent server: it keeps no earlier files, so they are those since the origin of the repository that the
// directory is in, if it is in one.

import type { Change } from "./changes.ts";
import type { FileChanges } from "./file-changes.ts";
import type { Session } from "../thread/session.ts";

const MARKS = { ADDED: "added", UPDATED: "changed", MOVED: "moved", DELETED: "removed" } as const;

export function changesOnServer(session: Session): FileChanges {
  let marks: ReadonlyMap<string, string> = new Map();
  let removed: readonly string[] = [];
  let open: Change | undefined;
  const workspace = () => session.conversation.workspace;

  const readAll = async (): Promise<void> => {
    // Without a repository, or a connection, there are files, but no changes to show.
    const found =
      (await workspace()
        .gitChanges?.()
        .catch(() => [])) ?? [];
    marks = new Map(found.map(({ path, status }) => [path, MARKS[status] ?? "changed"]));
    removed = found.flatMap(({ path, status }) => (status === "DELETED" ? [path] : []));
  };
  const readOf = async (path: string): Promise<void> => {
    const diff = await workspace()
      .gitDiff?.(path)
      .catch(() => null);
    open = !diff || diff.modified === diff.original ? undefined : { path, before: diff.original, after: diff.modified };
  };
  return {
    name: "Changes in the repository",
    read: async (path) => void (await Promise.all([readAll(), path !== undefined && readOf(path)])),
    marks: () => marks,
    removed: () => removed,
    of: (path) => (open?.path === path ? open : undefined),
  };
}
