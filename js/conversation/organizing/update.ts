// Changes the tags of conversations: of those that nobody writes in the store, of the others by their writer.
import { type CoreStore, lockConversation } from "../../../pkg/threadkeep.js";
import { arrayOf, checkId } from "../../input/arguments.js";
import { fromCore, invalidOptions, optionsOf, reading, settle, ThreadkeepError } from "../../input/errors.js";
import { announce } from "../../store/changes.js";
import { type Store, coreStore, indexedDBStore } from "../../store/store.js";
import { openInTurn } from "../../store/turns.js";
import type { ConversationChanges, TagChanges } from "../types.js";
import { askWriter } from "./ask-writer.js";

/** How often a conversation is tried whose writer ends or begins at the same time. */
const attempts = 3;

/** How many milliseconds another tab has to greet where nothing says that there is one. It may have to load the code for that. */
const brief = 1_000;

const flags = ["pinned", "archived", "trashed"] as const;

/** See `updateConversations()`. */
export async function update(
  given: string | readonly string[],
  changes: ConversationChanges,
  options: { store?: Store | undefined },
): Promise<void> {
  const { store = indexedDBStore() } = optionsOf("updateConversations()", options, "store");
  const ids = (typeof given === "string" ? [given] : arrayOf("the conversations", "ids", given, (id) => typeof id === "string")).map(
    checkId,
  );
  const tags = tagsOf(changes);
  if (Object.keys(tags).length === 0) return;
  const core = await coreStore(store);
  const asked = new Map<string, Promise<boolean>>();
  // Without Web Locks nothing else tells whether another tab writes one of them. All are asked at once, because silence takes time.
  if (store.name !== undefined && !globalThis.navigator?.locks)
    for (const id of ids) if (!asked.has(id)) asked.set(id, askWriter(store, id, tags, brief));
  for (const answer of asked.values()) answer.catch(() => {});
  let failure: ThreadkeepError | undefined;
  for (const id of new Set(ids)) {
    try {
      if (!(await asked.get(id))) await change(store, core, id, tags);
    } catch (error) {
      failure ??= fromCore(error);
    }
  }
  if (failure) throw failure;
}

/** The changes as tags: the time of each flag that is set. */
function tagsOf(changes: ConversationChanges): TagChanges {
  const { tags = {}, ...rest } = optionsOf("updateConversations()", changes, "pinned archived trashed tags");
  const changed: TagChanges = reading("tags", () => {
    if (typeof tags === "object" && tags !== null && !Array.isArray(tags)) {
      const copy = { ...tags };
      if (Object.values(copy).every((value) => value === null || typeof value === "string")) return copy;
    }
    throw invalidOptions("tags must be an object of strings, in which null removes one");
  });
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
    // A handle of this page that is about to open can be asked once it is open, and one that opens later shall not find the lock.
    if (await openInTurn(store, id, () => changeStored(core, id, tags), nothing)) return announce(store, [id]);
    if (await askWriter(store, id, tags)) return;
  }
  throw new ThreadkeepError(
    "locked_elsewhere",
    `conversation ${id} is open in a tab that does not answer; go there, or close it, and try again`,
  );
}

const nothing = () => undefined;

/** Resolves to whether nobody writes the conversation, so that it is changed here. */
async function changeStored(core: CoreStore, id: string, tags: TagChanges): Promise<boolean> {
  const lock = await settle(lockConversation(id, core));
  if (!lock) return false;
  try {
    await settle(core.changeTags(id, JSON.stringify(tags), Date.now()));
    return true;
  } finally {
    await settle(lock.release());
  }
}
