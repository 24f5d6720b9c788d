// A folder that the user has picked. Its handle is stored in IndexedDB; whether the page may use it is asked before each
// operation, because the user can take the permission back at any time, and browsers do so after a reload.
import { type Table, within } from "../store/database.js";
import { ThreadkeepError, fieldOf, invalidOptions, reading, textOf } from "../input/errors.js";
import { confined } from "./confined.js";
import { directoryWorkspace } from "./directory.js";
import { shown } from "./path.js";
import type { FolderPermission, FolderWorkspace } from "./types.js";

/** TypeScript does not know what Chromium has. A handle of OPFS needs no permission. */
type Handle = FileSystemDirectoryHandle & {
  queryPermission?(descriptor: { mode: string }): Promise<PermissionState>;
  requestPermission?(descriptor: { mode: string }): Promise<PermissionState>;
};

const mode = "readwrite";
const table: Table = {
  database: "threadkeep-folders",
  name: "folders",
  instead: "a picked folder cannot be remembered; use memoryWorkspace()",
};

/** @internal */
export async function folderFiles(name: string, workingDir: string): Promise<FolderWorkspace> {
  if (typeof name !== "string" || name === "") throw invalidOptions("the name of a folderWorkspace() must be a text that is not empty");
  let handle: Handle | undefined;
  const remembered = async () => (handle ??= await within(table, "readonly", (rows) => rows.get(name) as IDBRequest<Handle | undefined>));
  const permission = async (): Promise<FolderPermission> => {
    const folder = await remembered();
    return folder ? ((await folder.queryPermission?.({ mode })) ?? "granted") : "none";
  };
  const usable = async () => {
    const state = await permission();
    if (state === "none") throw required("no folder has been picked yet: call pick() of the workspace in the handler of a click");
    const which = `the page may not use the folder ${shown(handle!.name)}`;
    if (state === "prompt")
      throw required(`${which} until the user allows it again: call requestPermission() of the workspace in the handler of a click`);
    if (state === "denied")
      throw required(`${which}, because the user has refused it: allow it in the settings of the browser, or pick another folder`);
    return handle!;
  };
  return {
    ...confined(directoryWorkspace(usable, workingDir)),
    permission,
    async requestPermission() {
      const folder = await remembered();
      if (!folder) return "none";
      return (await asked(async () => folder.requestPermission?.({ mode }))) ?? "granted";
    },
    async pick(given) {
      const picked = given === undefined ? await pickedByUser() : given;
      if (reading("the handle", () => picked?.kind) !== "directory")
        throw invalidOptions("pick() takes the handle of a directory, or nothing");
      await within(table, "readwrite", (rows) => rows.put(picked, name));
      handle = picked;
    },
    async forget() {
      await within<unknown>(table, "readwrite", (rows) => rows.delete(name) as IDBRequest);
      handle = undefined;
    },
  };
}

async function pickedByUser(): Promise<Handle> {
  const { showDirectoryPicker } = globalThis as { showDirectoryPicker?: (options: { mode: string }) => Promise<Handle> };
  if (!showDirectoryPicker)
    throw new ThreadkeepError("store_unavailable", "this browser cannot open a folder of the user; use opfsWorkspace()");
  return asked(() => showDirectoryPicker({ mode }));
}

/** Asks the user. */
async function asked<T>(question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (error) {
    if (fieldOf(error, "name") === "AbortError") throw new ThreadkeepError("aborted", "the user has picked no folder", { cause: error });
    throw new ThreadkeepError("permission_required", `the user could not be asked: ${textOf(error)}; call this in the handler of a click`, {
      cause: error,
    });
  }
}

function required(message: string): ThreadkeepError {
  return new ThreadkeepError("permission_required", message);
}
