// The tool `apply_patch`: changes several files by a patch in the format of OpenAI's models. The SDK's is `tools/apply_patch/`.
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, ToolPlace } from "../tool/types.js";
import type { Workspace } from "../workspace/types.js";
import { PatchError, changesOf, pathsNeeded } from "./apply-patch/patch.js";
import { messageOf, present, safety } from "./definition.js";
import { maxBytes, megabytes, withLineFeeds } from "./file-content.js";
import { inWorkspace, statOf } from "./paths.js";

const description = (
  workingDir: string,
) => `Changes files by a patch. The patch begins with the line "*** Begin Patch" and ends with "*** End Patch". Between them:

* "*** Add File: path", then the content, each line with "+" before it;
* "*** Delete File: path";
* "*** Update File: path", perhaps "*** Move to: new path", then sections that begin with "@@" or "@@ " and a line of the file above the change. In a section, a line begins with " " if it stays, "-" if it is removed and "+" if it is added. Give three lines before and after a change. "*** End of File" after a section places it at the end.

Paths are relative to ${workingDir}.`;

const parameters = {
  type: "object",
  properties: { patch: { type: "string", description: 'The patch, from "*** Begin Patch" to "*** End Patch".' } },
  required: ["patch"],
} as const;

export function define({ workingDir, isTransactional, isOwn }: ToolPlace): BuiltInDefinition {
  return {
    description: description(workingDir),
    parameters,
    annotations: { title: "apply_patch", readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    ...safety(isTransactional, isOwn),
    className: "ApplyPatch",
    action: ({ patch }: { patch: string }) => present({ patch }),
    execute,
  };
}

async function execute({ patch }: { patch: string }, { workspace }: BuiltInContext): Promise<BuiltInOutput> {
  try {
    if (!patch.startsWith("*** Begin Patch")) throw new PatchError('The patch must begin with the line "*** Begin Patch".');
    const originals = new Map<string, string>();
    for (const path of pathsNeeded(patch)) originals.set(path, await read(workspace, path));
    const { changes, fuzz } = changesOf(patch, originals);
    // Every path is checked before the first change.
    const all = [...changes].flatMap(([path, { move_path }]) => (move_path ? [path, move_path] : [path]));
    for (const path of all) located(workspace, path);
    for (const [path, { type, new_content, move_path }] of changes) {
      const [from, to] = [located(workspace, path), located(workspace, move_path || path)];
      if (type !== "delete") await workspace.write(to, new_content!);
      if (type === "delete" || from !== to) await workspace.remove(from);
    }
    const commit = { changes: Object.fromEntries(changes) };
    return { content: "Done!", fields: present({ message: "Done!", fuzz, commit }) };
  } catch (error) {
    return { content: messageOf(error), isError: true, fields: present({ message: "", fuzz: 0 }) };
  }
}

/** The path in the workspace. @throws PatchError if it is outside */
function located(workspace: Workspace, path: string): string {
  const found = inWorkspace(workspace, path);
  if (found === undefined) throw new PatchError(`${path} is outside of ${workspace.workingDir}: give a path relative to it, without "..".`);
  return found;
}

async function read(workspace: Workspace, path: string): Promise<string> {
  const found = located(workspace, path);
  const entry = await statOf(workspace, found);
  if (!entry) throw new PatchError(`There is no file ${path}.`);
  if (entry.type === "directory") throw new PatchError(`${path} is a directory`);
  if (entry.size > maxBytes)
    throw new PatchError(`${path} is too large (${megabytes(entry.size)}); at most ${megabytes(maxBytes)} can be changed`);
  const bytes = await workspace.read(found);
  try {
    return withLineFeeds(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new PatchError(`${path} is not text in UTF-8`);
  }
}
