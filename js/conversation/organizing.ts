// Order in a list of conversations: pinned, archived, in the trash, tags. The code that does it is loaded with the first use.
import { part } from "../wasm/wasm.js";
import type { ConversationChanges, EmptyTrashOptions } from "./types.js";
import type { Store } from "../store/store.js";

/**
 * Changes what lists show of one conversation or of several, whether they are open or not, here or in another tab: whether they are
 * pinned, archived or in the trash, and tags. Each conversation is changed by a commit of its own, which is stored when this
 * resolves. If one fails, the others are changed all the same, and then this rejects with the first error. A change does not move a
 * conversation to the beginning of the list, unless it is open.
 * @throws ThreadkeepError `invalid_options` (nothing is changed then), `not_found`, `unsupported` for the copy of a conversation that a
 * server runs, `locked_elsewhere` if the tab that writes it does not answer, and those of the store
 */
export async function updateConversations(
  ids: string | readonly string[],
  changes: ConversationChanges,
  options: { store?: Store | undefined } = {},
): Promise<void> {
  await (await part(import("./organizing/update.js"))).update(ids, changes, options);
}

/**
 * Deletes, as `Conversation.delete()` does, the conversations that have been in the trash for `olderThan` milliseconds, and to which
 * nothing has been added since. One that is open stays. Resolves to the ids of those that were deleted.
 * @throws ThreadkeepError `aborted` if the signal was, and those of the store
 */
export async function emptyTrash(options: EmptyTrashOptions = {}): Promise<string[]> {
  return (await part(import("./organizing/trash.js"))).empty(options);
}
