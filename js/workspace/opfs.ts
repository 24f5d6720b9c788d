// A workspace in the origin private file system: files of this origin that the user does not see as files.
import { ThreadkeepError, invalidOptions, textOf } from "../input/errors.js";
import { passTornBlock } from "../store/torn-block.js";
import { confined } from "./confined.js";
import { directoryWorkspace } from "./directory.js";
import { isRelativePath } from "./path.js";
import type { Workspace } from "./types.js";

/** The directory of OPFS with the workspaces of this library. */
const around = "threadkeep";

/** @internal */
export async function opfsFiles(name: string, workingDir: string): Promise<Workspace> {
  if (!isRelativePath(name) || name.includes("/"))
    throw invalidOptions("opfsWorkspace() takes a name that a file may have, without a slash");
  return confined(
    directoryWorkspace(async () => {
      if (!globalThis.navigator?.storage?.getDirectory)
        throw unavailable("it needs a secure context (https:, or localhost) and a current browser");
      try {
        await passTornBlock();
        const root = await navigator.storage.getDirectory();
        return await (await root.getDirectoryHandle(around, { create: true })).getDirectoryHandle(name, { create: true });
      } catch (error) {
        throw unavailable(textOf(error), error);
      }
    }, workingDir),
  );
}

function unavailable(why: string, cause?: unknown): ThreadkeepError {
  return new ThreadkeepError("store_unavailable", `there is no private file system here: ${why}; use the conversation's own files`, {
    cause,
  });
}
