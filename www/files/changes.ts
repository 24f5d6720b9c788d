// The changes that the agent made to files with its tools, from the results of its calls. A terminal's result does not name
// the files that it changed: see terminal-files.ts.

import { type Change, changesOf } from "threadkeep/preact";
import type { Result } from "../thread/session.ts";

export type { Change };

/** The change of each file over all of these results, by its path below the working directory. */
export function changedFiles(results: readonly Result[], workingDir: string): Map<string, Change> {
  const files = new Map<string, Change>();
  for (const { path: absolute, before, after } of results.flatMap(changesOf)) {
    const path = below(workingDir, absolute);
    files.set(path, { path, before: files.has(path) ? files.get(path)!.before : before, after });
  }
  for (const [path, { before, after }] of files) if (before === after) files.delete(path);
  return files;
}

/** The path as the workspace lists it. */
export function below(workingDir: string, path: string): string {
  return path.startsWith(`${workingDir}/`) ? path.slice(workingDir.length + 1) : path;
}
