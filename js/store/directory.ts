// A store in a directory, in the layout of the SDK, so that Python can open what it has. Its code is loaded with its first call.
import { ThreadkeepError, invalidOptions, optionsOf, reading } from "../input/errors.js";
import { part } from "../wasm/wasm.js";
import { type Store, storeMethods } from "./store.js";

/**
 * Stores conversations in a directory: of OPFS (`navigator.storage.getDirectory()`), or one that the user has picked
 * (`showDirectoryPicker({ mode: "readwrite" })`). Each is a folder in the layout of the SDK, which Python can open at any
 * moment at which nothing is being stored; what a commit has not completed because the page died is completed by the next call.
 *
 * `name` is that of the store (`Store.name`). Default: made of the name of the directory. Give one if an app uses several
 * directories of the same name, the same for one directory in all tabs.
 */
export function directoryStore(handle: FileSystemDirectoryHandle, options: { name?: string | undefined } = {}): Store {
  const { name } = optionsOf("directoryStore()", options, "name");
  if (name !== undefined && (typeof name !== "string" || name === ""))
    throw invalidOptions("the name of a store must be a text that is not empty");
  const folder = reading("the directory", () => (handle?.kind === "directory" ? String(handle.name) : undefined));
  if (folder === undefined) throw invalidOptions("directoryStore() takes the handle of a directory");
  let isOpen = true;
  let opening: Promise<Omit<Store, "close">> | undefined;
  const open = () =>
    (opening ??= part(import("./directory/store.js"))
      .then(({ storeIn }) => storeIn(handle))
      .catch((error: unknown) => {
        opening = undefined;
        throw error;
      }));
  const later = (method: keyof Store) => [
    method,
    async (...args: unknown[]) => {
      if (!isOpen) throw new ThreadkeepError("invalid_state", "the store is closed; open the conversation again");
      return ((await open())[method as "load"] as (...args: unknown[]) => unknown)(...args);
    },
  ];
  return {
    ...Object.fromEntries(storeMethods.map(later)),
    name: name ?? `folder:${folder}`,
    close() {
      isOpen = false;
    },
  };
}
