// Limits of workspaces, so that a tool that runs wild ends with an error and not with a page that has no memory left.
import { ThreadkeepError } from "../input/errors.js";
import { shown } from "./path.js";

/** The largest file that is read or written, in bytes. A file is held in memory as a whole, a few times over. */
export const mostFileBytes = 32 << 20;
/** The most files in a workspace in memory or in a conversation, and the most entries of a directory elsewhere. */
export const mostFiles = 100_000;
/** The most bytes that one call of a tool, or one move of a directory, may change in a conversation's files. */
export const mostChangedBytes = 256 << 20;
/** The most bytes of files that an export contains. */
export const mostExportedBytes = 1 << 30;

/** Fails if a file of this size is not read or written. */
export function checkSize(path: string, bytes: number): void {
  if (bytes > mostFileBytes)
    throw tooLarge(`the file ${shown(path)} has ${bytes} bytes, more than the ${mostFileBytes} that a workspace reads and writes`);
}

/** Fails if a workspace or directory would have so many files. */
export function checkCount(files: number, place: string): void {
  if (files > mostFiles) throw tooLarge(`${place} would have more than ${mostFiles} files; remove some first`);
}

export function tooLarge(message: string): ThreadkeepError {
  return new ThreadkeepError("too_large", message);
}
