// Imports the text of another program's JSON.
import { importInterchange } from "../../../pkg/threadkeep.js";
import { locking } from "../../store/locking.js";
import type { Store } from "../../store/store.js";
import type { ImportedConversation } from "../types.js";

export function importText(text: string, store: Store): Promise<ImportedConversation> {
  return locking(store, (claim) => importInterchange({ text, store, claim }));
}
