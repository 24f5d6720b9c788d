// The rules for paths of a workspace. The same for all workspaces, so that files can be moved between them and into an archive.
import { ThreadkeepError, invalidOptions } from "../input/errors.js";

/** The name of the hidden file that represents an empty directory among the files of a conversation. */
export const directoryMarker = ".directory";
/** The longest name of a file or directory, in bytes of UTF-8: the limit of common file systems. */
const longestName = 255;
/** The longest path, in bytes: with `workspace/` and a marker it still fits into a store, which accepts 1024. */
const longestPath = 1000;

const encoder = new TextEncoder();

/**
 * The shortest relative form of any spelling of a path: `"notes/plan.md"` for `"./notes//plan.md"` and for
 * `"/workspace/notes/plan.md"`, and `""` for the workspace itself.
 * @throws ThreadkeepError `invalid_options` if the path leads out of the workspace, or has a name that not every file
 * system accepts
 */
export function relativePath(path: unknown, workingDir: string): string {
  if (typeof path !== "string") throw invalidOptions("the path of a file must be a text");
  const refused = (why: string) => invalidOptions(`path ${shown(path)} ${why}`);
  // Checked before the path is taken apart, because it may be of any length.
  if (path.length > longestPath + workingDir.length) throw refused(`is longer than ${longestPath} bytes`);
  const root = parts(workingDir);
  const names = parts(path.startsWith("/") ? path : `${workingDir}/${path}`);
  if (root.some((name, place) => names[place] !== name)) throw refused(`is outside of the workspace ${workingDir}; use a path below it`);
  const relative = names.slice(root.length);
  for (const name of relative) {
    const problem = problemOf(name);
    if (problem) throw refused(problem);
  }
  const result = relative.join("/");
  if (encoder.encode(result).length > longestPath) throw refused(`is longer than ${longestPath} bytes`);
  return result;
}

/** Whether this is the shortest relative form of a path, and the path is not that of the workspace itself. */
export function isRelativePath(path: unknown): boolean {
  if (typeof path !== "string" || path.length > longestPath) return false;
  return encoder.encode(path).length <= longestPath && path.split("/").every((name) => !["", ".", ".."].includes(name) && !problemOf(name));
}

/** The path of a workspace in its shortest form. @throws ThreadkeepError `invalid_options` */
export function checkedWorkingDir(path: unknown): string {
  if (typeof path === "string" && path.startsWith("/") && !/[\0-\x1f\x7f]/.test(path)) return `/${parts(path).join("/")}`;
  throw invalidOptions("workingDir of a workspace must be an absolute path, such as /workspace");
}

/** The path of the directory with this file or directory. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

/** The path of a file or directory in a directory. */
export function childOf(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

/** A path in an error message. */
export function shown(path: string): string {
  return JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path);
}

/** The error for a file or directory that does not exist. */
export function notFound(path: string): ThreadkeepError {
  return new ThreadkeepError("not_found", `there is no file or directory ${shown(path)} in the workspace`);
}

/** The names in an absolute path, without `.`, and each `..` applied. As in POSIX, the parent of `/` is `/`. */
function parts(path: string): string[] {
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names;
}

/** The reason why no file may have this name. */
function problemOf(name: string): string | undefined {
  if (/[\0-\x1f\x7f-\x9f]/.test(name)) return "contains a control character";
  if (/[\\:]/.test(name)) return 'contains a backslash or a colon; separate names by "/"';
  if (/\p{Surrogate}/u.test(name)) return "contains half of a surrogate pair";
  // Some file systems do not distinguish upper and lower case.
  if (name.toLowerCase() === directoryMarker) return `contains the name ${directoryMarker}, which the workspace uses itself`;
  if (encoder.encode(name).length > longestName) return `contains a name longer than ${longestName} bytes`;
  return undefined;
}
