// Paths as models write them, with the texts of Python's `Path`, and the paths of the workspace that they mean.
import { fieldOf } from "../input/errors.js";
import type { Workspace, WorkspaceEntry } from "../workspace/types.js";

/** `str(Path(path))`: without empty parts, `.`, and a slash at the end. */
export function pathText(path: string): string {
  const root = /^\/\/(?!\/)/.test(path) ? "//" : path.startsWith("/") ? "/" : "";
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return root + parts.join("/") || ".";
}

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** `Path.suffix`: `".py"`, or an empty string. */
export function suffixOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf(".");
  return dot > 0 && dot < name.length - 1 ? name.slice(dot) : "";
}

/** The parent of a path of the workspace; `undefined` for the workspace itself. */
export function parentOf(path: string): string | undefined {
  if (path === "") return undefined;
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** An absolute path in its shortest form: `Path.resolve()` without links. Relative paths begin at `workingDir`. */
export function resolved(workingDir: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${workingDir}/${path}`).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** The path in the workspace of an absolute or relative path; `undefined` if it is outside. */
export function inWorkspace({ workingDir }: Workspace, path: string): string | undefined {
  const root = resolved("/", workingDir);
  const absolute = resolved(root, path);
  if (absolute === root) return "";
  const prefix = root === "/" ? root : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : undefined;
}

/** The file or directory; `undefined` if there is none, also because no file may have this path. */
export async function statOf(workspace: Workspace, path: string | undefined): Promise<WorkspaceEntry | undefined> {
  if (path === undefined) return undefined;
  try {
    return await workspace.stat(path);
  } catch (error) {
    if (fieldOf(error, "code") === "invalid_options") return undefined;
    throw error;
  }
}

/** The absolute path of a path of the workspace. */
export function absolutePath({ workingDir }: Workspace, path: string): string {
  const root = resolved("/", workingDir);
  return path === "" ? root : root === "/" ? `/${path}` : `${root}/${path}`;
}
