// Conversations in the formats of other programs. A chunk of the wasm knows these formats; it is loaded when one of them is
// first used.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import type { ConversationEvent } from "../events/events.js";
import type { JSONValue, LLMMessage } from "../events/types.js";
import { arrayOf } from "../input/arguments.js";
import { fromCore, invalidOptions, reading, textOf } from "../input/errors.js";
import type { Store } from "../store/store.js";
import { load, part } from "../wasm/wasm.js";
import type { Form, ImportedConversation, TextOptions } from "./types.js";

/** Imports JSON of another program as a new conversation. @internal */
export async function importJSON(json: unknown, store: Store): Promise<ImportedConversation> {
  const text = await reading("the JSON", () =>
    json instanceof Blob ? json.text() : typeof json === "string" ? json : JSON.stringify(json),
  );
  if (text === undefined) throw invalidOptions("importJSON takes JSON: as text, as a Blob of the text, or as the parsed value");
  return converted(({ importText }) => importText(text, store));
}

/** Imports all conversations of the JSON texts of other programs. @internal */
export function importTexts(texts: readonly string[], store: Store): Promise<ImportedConversation[]> {
  return converted((parts) => parts.importTexts(texts, store));
}

/** @throws ThreadkeepError `invalid_options` @internal */
export function formOfMessages(format: string): Form {
  const form = (["message", "chat", "responses", "anthropic"] as const).find((known) => known === format);
  if (form) return form;
  throw invalidOptions(`there are no messages of the format ${textOf(format)}`);
}

/** A stored conversation in another format. @internal */
export function written<T>(store: Store, id: string, form: Form, llm?: { [field: string]: JSONValue }): Promise<T> {
  return converted((parts) => parts.written(store, id, form, llm) as Promise<T>);
}

/** A branch as a text for people, in which the conversation's secrets are masked. @internal */
export function readable(
  core: CoreConversation,
  store: Store,
  id: string,
  form: "markdown" | "html",
  options: TextOptions,
): Promise<string> {
  return converted((parts) => parts.readable(core, store, id, form, options));
}

/**
 * The messages of these events, such as those of an export, as the SDK's `events_to_messages` builds them: in the order of the
 * list, without events that a model never sees. Needs no open conversation.
 * @throws ThreadkeepError `invalid_options` naming what is not an event
 */
export async function eventsToMessages(events: readonly ConversationEvent[]): Promise<LLMMessage[]> {
  const texts = textsOfEvents("eventsToMessages()", events);
  return JSON.parse(await converted((parts) => parts.messagesOfEvents(texts)));
}

/**
 * The message of the last `finish` in these events, or the agent's last text; `null` if there is neither. The SDK's
 * `get_agent_final_response`. Needs no open conversation.
 * @throws ThreadkeepError `invalid_options` naming what is not an event
 */
export async function finalResponse(events: readonly ConversationEvent[]): Promise<string | null> {
  const texts = textsOfEvents("finalResponse()", events);
  return converted((parts) => parts.responseOfEvents(texts));
}

function textsOfEvents(verb: string, events: readonly ConversationEvent[]): string[] {
  // The wasm says which of them is no event.
  return arrayOf(`the list of ${verb}`, "events", events, () => true).map(
    (event) => reading("an event", () => JSON.stringify(event)) ?? "",
  );
}

async function converted<T>(convert: (module: Awaited<ReturnType<typeof parts>>) => Promise<T>): Promise<T> {
  try {
    await load();
    return await convert(await parts());
  } catch (error) {
    throw fromCore(error);
  }
}

function parts() {
  return part(import("./interchange/parts.js"));
}
