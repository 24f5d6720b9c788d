// Imports the text of another program's JSON.
import { importInterchange } from "../../../pkg/threadkeep.js";
import { ThreadkeepError, fromCore } from "../../input/errors.js";
import { locking } from "../../store/locking.js";
import type { Store } from "../../store/store.js";
import type { ImportedConversation } from "../types.js";
import { conversationsIn } from "./programs.js";
import type { Converted } from "./programs/session.js";

/** Imports the only conversation of a file. */
export async function importText(text: string, store: Store): Promise<ImportedConversation> {
  const found = await conversationsIn(text);
  if (found === undefined) return importOne(text, store);
  if (found.length === 1) return importConverted(found[0]!, store);
  const message = `the file cannot be imported as one conversation: it has ${found.length}; importFile() imports all of them`;
  throw new ThreadkeepError("archive_invalid", message);
}

/** Imports all conversations of a file. What cannot be imported of several is named in a warning. */
export async function importTexts(texts: readonly string[], store: Store): Promise<ImportedConversation[]> {
  const imported: ImportedConversation[] = [];
  const failed: Array<{ name: string; error: ThreadkeepError }> = [];
  for (const text of texts) {
    const found = await conversationsIn(text);
    if (found === undefined) imported.push(await importOne(text, store));
    for (const each of found ?? []) {
      try {
        imported.push(await importConverted(each, store));
      } catch (thrown) {
        const error = fromCore(thrown);
        if (error.code !== "archive_invalid") throw error;
        failed.push({ name: each.session.title ?? "without a title", error });
      }
    }
  }
  const [first] = imported;
  if (first === undefined && failed.length > 0) throw failed[0]!.error;
  first?.warnings.push(...failed.map(({ name, error }) => `the conversation “${name}” was not imported: ${error.message}`));
  return imported;
}

async function importConverted({ session, leftOut }: Converted, store: Store): Promise<ImportedConversation> {
  const imported = await importOne(JSON.stringify(session), store);
  const names = [...leftOut].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  if (names.length > 0) imported.warnings.push(`content that a conversation cannot store was left out: ${names.join(", ")}`);
  return imported;
}

function importOne(text: string, store: Store): Promise<ImportedConversation> {
  return locking(store, (claim) => importInterchange({ text, store, claim }));
}
