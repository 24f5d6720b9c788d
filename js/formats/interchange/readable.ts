// A branch as a text for people.
import { type CoreConversation, written } from "../../../pkg/threadkeep.js";
import { optionsOf, textOf } from "../../input/errors.js";
import type { Store } from "../../store/store.js";
import type { TextOptions } from "../types.js";

/** Secrets of the conversation are masked in it. */
export async function readable(
  core: CoreConversation,
  store: Store,
  id: string,
  form: "markdown" | "html",
  options: TextOptions,
): Promise<string> {
  const { leafEventId, sinceEventId } = optionsOf(`the export as ${form}`, options, "leafEventId sinceEventId");
  const given = (eventId: string | undefined) => (eventId === undefined ? undefined : textOf(eventId));
  const mask = (text: string) => core.masked(text);
  return written({ store, conversation: id, form, leaf: given(leafEventId), since: given(sinceEventId), mask });
}
