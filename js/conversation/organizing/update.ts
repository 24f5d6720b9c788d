// Changes the tags of conversations: of those that nobody writes in the store, of the others by their writer.
import { type CoreStore, lockConversation } from "../../../pkg/threadkeep.js";
import { arrayOf, checkId } from "../../input/arguments.js";
import { fromCore, invalidOptions, optionsOf, settle, ThreadkeepError } from "../../input/errors.js";
import { announce } from "../../store/changes.js";
import { type Store, coreStore, indexedDBStore } from "../../store/store.js";
import type { ConversationChanges, TagChanges } from "../types.js";
import { askWriter } from "./ask-writer.js";

/** How often a conversation is tried whose writer ends or begins at the same time. */
const attempts = 3;

const flags = ["pinned", "archived", "trashed"] as const;

/** See `updateConversations()`. */
export async function update(
  given: string | readonly string[],
  changes: ConversationChanges,
  options: { store?: Store | undefined },
): Promise<void> {
  const { store = indexedDBStore() } = optionsOf("updateConversations()", options, "store");
  const ids = typeof given === "string" ? [given] : arrayOf("the conversations", "ids", given, (id) => typeof id === "string");
  for (const id of ids) checkId(id);
  const tags = tagsOf(changes);
  if (Object.keys(tags).length === 0) return;
  const core = await coreStore(store);
  let failure: ThreadkeepError | undefined;
  for (const id of new Set(ids)) {
    try {
      await change(store, core, id, tags);
    } catch (error) {
      failure ??= fromCore(error);
    }
  }
  if (failure) throw failure;
}

/** The changes as tags: the time of each flag that is set. */
function tagsOf(changes: ConversationChanges): TagChanges {
  const { tags = {}, ...rest } = optionsOf("updateConversations()", changes, "pinned archived trashed tags");
  if (typeof tags !== "object" || tags === null || Object.values(tags).some((value) => value !== null && typeof value !== "string"))
    throw invalidOptions("tags must be an object of strings, in which null removes one");
  const changed: TagChanges = { ...tags };
  const now = new Date().toISOString();
  for (const flag of flags) {
    const isSet = rest[flag];
    if (isSet !== undefined && typeof isSet !== "boolean") throw invalidOptions(`${flag} must be true or false`);
    if (isSet !== undefined) changed[flag] = isSet ? now : null;
  }
  return changed;
}

async function change(store: Store, core: CoreStore, id: string, tags: TagChanges): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const lock = await settle(lockConversation(id, core));
    if (lock) {
      try {
        await settle(core.call("changeTags", [id, JSON.stringify(tags), Date.now()]));
      } finally {
        await settle(lock.release());
      }
      return announce(store, [id]);
    }
    if (await askWriter(store, id, tags)) return;
  }
  throw new ThreadkeepError(
    "locked_elsewhere",
    `conversation ${id} is open in a tab that does not answer; go there, or close it, and try again`,
  );
}
