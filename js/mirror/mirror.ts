// Mirrors: every conversation of a store follows to another place, and comes back. The code that does it is loaded with the first call.
import { isFunction, signalOf } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading } from "../input/errors.js";
import type { ImportedConversation } from "../formats/types.js";
import { type Store, storeMethods } from "../store/store.js";
import { load, part } from "../wasm/wasm.js";
import type { Mirror, MirrorFiles, MirrorOptions, RestoreOptions } from "./types.js";

/**
 * Lets all conversations of a store follow to another place, in the layout of the SDK: to another store, such as
 * `directoryStore(handle)`, or to files that four functions of the host read and write. Resolves once it has begun; from then on each
 * commit is written there shortly after it is stored here, in the tab that holds the mirror's lock, and what fails is tried again.
 * A conversation never waits for its mirror.
 *
 * All that another device has written into the same place is taken in, as by an import: its events are branches beside the active one.
 * Nothing is ever removed there because it is missing here. Secrets are left out, as in an export.
 * @throws ThreadkeepError `invalid_options`, `store_unavailable` in a page that is not a secure context
 */
export async function mirror(store: Store, to: Store | MirrorFiles, options: MirrorOptions = {}): Promise<Mirror> {
  const { onChange, signal, deletions = "keep" } = optionsOf("mirror()", options, "onChange signal deletions");
  if (onChange !== undefined && !isFunction(onChange)) throw invalidOptions("onChange is not a function");
  if (deletions !== "keep" && deletions !== "follow") throw invalidOptions('deletions must be "keep" or "follow"');
  signalOf(signal);
  const target = placeOf(to);
  const isSame = reading("store", () => target === store || ("load" in target && target.name !== undefined && target.name === store.name));
  if (isSame) throw invalidOptions("a store is no mirror of itself; give another store, or a place for files");
  const { begin } = await parts();
  return begin(store, target, { onChange, signal, follows: deletions === "follow" });
}

/**
 * Imports all conversations that a mirror has, one after the other, each with those of its sub-agents, as
 * `Conversation.importZip()` does: events that are not stored are added, nothing is removed, and no setting becomes looser. If one
 * cannot be imported, the others are, and the error of the first such one is thrown in the end.
 * @throws ThreadkeepError as `importZip()`: for an open conversation `locked_elsewhere`; that of the place; `aborted`
 */
export async function restoreMirror(from: Store | MirrorFiles, options: RestoreOptions = {}): Promise<ImportedConversation[]> {
  const given = optionsOf("restoreMirror()", options, "store onProgress signal");
  signalOf(given.signal);
  const source = placeOf(from);
  const { restore } = await parts();
  return restore(source, given);
}

async function parts() {
  await load();
  return part(import("./mirror/parts.js"));
}

function placeOf(to: Store | MirrorFiles): Store | MirrorFiles {
  const has = (names: readonly string[]) => names.every((name) => isFunction((to as unknown as Record<string, unknown>)[name]));
  const isPlace = reading(
    "the place of a mirror",
    () => typeof to === "object" && to !== null && (has(storeMethods) || has(["list", "read", "write", "remove"])),
  );
  if (!isPlace) throw invalidOptions("the place of a mirror is a store, or an object with the functions list, read, write and remove");
  return to;
}
