// A store in a directory, in the layout of the SDK, so that Python can open what it has. Its code is loaded with its first call.
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
import { part } from "../wasm/wasm.js";
import { later } from "./later.js";
import { type Store, nameOfStore, storeMethods } from "./store.js";

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
  const given = name === undefined ? undefined : nameOfStore(name);
  const folder = reading("the directory", () => (handle?.kind === "directory" ? String(handle.name) : undefined));
  if (folder === undefined) throw invalidOptions("directoryStore() takes the handle of a directory");
  const load = async () => (await part(import("./directory/store.js"))).storeIn(handle);
  return { ...later(storeMethods, load), name: given ?? `folder:${folder}` };
}
