// All files of a workspace.
import { checkCount } from "./limits.js";
import { childOf, directoryMarker } from "./path.js";
import type { Workspace, WorkspaceEntry } from "./types.js";

/** All files, in no particular order. A directory that is empty is returned as the file that marks it, which has no content. */
export async function filesOf(workspace: Workspace): Promise<WorkspaceEntry[]> {
  const files: WorkspaceEntry[] = [];
  const directories = [""];
  for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
    const entries = await workspace.list(next);
    for (const entry of entries) {
      if (entry.type === "directory") directories.push(entry.path);
      else files.push(entry);
    }
    if (entries.length === 0 && next !== "") files.push({ path: childOf(next, directoryMarker), type: "file", size: 0, modifiedAt: 0 });
    checkCount(files.length + directories.length, "the workspace");
  }
  return files;
}

export function isMarker(path: string): boolean {
  return path.endsWith(`/${directoryMarker}`);
}
