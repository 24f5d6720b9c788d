// A conversation of any length, made from a short one that the SDK wrote: too large to be kept in the repository.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The id of every long conversation. */
export const id = "00000000-0000-4000-8000-000000010000";

/** Writes into `place` the conversation that `longConversationFiles` makes, and returns its directory. */
export function longConversation(template, place, count) {
  const directory = path.join(place, id.replaceAll("-", ""));
  mkdirSync(path.join(directory, "events"), { recursive: true });
  for (const [name, content] of longConversationFiles(template, count)) writeFileSync(path.join(directory, name), content);
  return directory;
}

/**
 * The files of a copy of the conversation in `template` whose user and agent messages repeat, with ids, parents and texts
 * of their own, until there are `count` events; the same arguments give the same bytes.
 */
export function longConversationFiles(template, count) {
  const names = readdirSync(path.join(template, "events"))
    .filter((name) => name.startsWith("event-"))
    .sort();
  const [prompt, ...turns] = names.map((name) => JSON.parse(readFileSync(path.join(template, "events", name), "utf8")));
  const messages = turns.filter(({ kind }) => kind === "MessageEvent").slice(0, 2);
  const state = JSON.parse(readFileSync(path.join(template, "base_state.json"), "utf8"));
  const files = new Map();
  for (let index = 0; index < count; index++) {
    const event = index === 0 ? { ...prompt } : numbered(messages[(index + 1) % 2], index);
    event.id = eventId(index);
    files.set(`events/event-${String(index).padStart(5, "0")}-${event.id}.json`, JSON.stringify(event));
  }
  const lastUser = count - 1 - ((count - 1) % 2 === 0 ? 1 : 0);
  const head = {
    id,
    leaf_event_id: eventId(count - 1),
    last_user_message_id: eventId(lastUser),
    persistence_dir: `workspace/conversations/${id.replaceAll("-", "")}`,
  };
  return files.set("base_state.json", JSON.stringify({ ...state, ...head }));
}

const eventId = (index) => `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;

function numbered(message, index) {
  const event = { ...structuredClone(message), parent_id: eventId(index - 1) };
  if (event.llm_response_id) event.llm_response_id = `chatcmpl-${index}`;
  event.llm_message.content = [{ cache_prompt: false, type: "text", text: `Number ${index}.` }];
  return event;
}
