// The changes that the agent made to files with its tools, from the results in the log. A terminal's result does not name
// the files that it changed.

import type { StoredEvent } from "../thread/event-shapes.ts";

/** A change of a file. The contents are null where the file does not exist. */
export interface Change {
  /** As the tool has it: an absolute path, or one below the working directory. */
  path: string;
  before: string | null;
  after: string | null;
}

/** The changes of one result; none if its tool only reads, or failed. */
export function changesOf(observation: StoredEvent["observation"]): Change[] {
  if (observation === undefined || observation.is_error) return [];
  if (observation.kind === "FileEditorObservation") return editorChanges(observation);
  if (observation.kind === "ApplyPatchObservation") return patchChanges(observation["commit"]);
  return [];
}

/** The change of each file over all of these events, by its path below the working directory. */
export function changedFiles(events: readonly StoredEvent[], workingDir: string): Map<string, Change> {
  const files = new Map<string, Change>();
  for (const { observation } of events) {
    for (const { path: absolute, before, after } of changesOf(observation)) {
      const path = below(workingDir, absolute);
      files.set(path, { path, before: files.has(path) ? files.get(path)!.before : before, after });
    }
  }
  for (const [path, { before, after }] of files) if (before === after) files.delete(path);
  return files;
}

/** The path as the workspace lists it. */
export function below(workingDir: string, path: string): string {
  return path.startsWith(`${workingDir}/`) ? path.slice(workingDir.length + 1) : path;
}

function editorChanges({ path, prev_exist, old_content, new_content }: Record<string, unknown>): Change[] {
  if (typeof path !== "string" || typeof new_content !== "string") return [];
  return [{ path, before: typeof old_content === "string" ? old_content : prev_exist === true ? "" : null, after: new_content }];
}

function patchChanges(commit: unknown): Change[] {
  const changes = Object.entries((commit as { changes?: Record<string, Record<string, unknown>> } | undefined)?.changes ?? {});
  return changes.flatMap(([path, { old_content, new_content, move_path }]) => {
    const [before, after] = [textOrNull(old_content), textOrNull(new_content)];
    if (typeof move_path !== "string" || move_path === "") return [{ path, before, after }];
    return [{ path, before, after: null }, { path: move_path, before: null, after }];
  });
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
