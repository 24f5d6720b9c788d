// Conversations as files, for archives to be made of.
import assert from "node:assert/strict";

export const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
export const folder = id.replaceAll("-", "");

export const eventId = (index) => `${index.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
export const eventPath = (index, of = folder) => `${of}/events/event-${String(index).padStart(5, "0")}-${eventId(index)}.json`;
export const event = (index, text = "ü\u2028") =>
  `{"id":"${eventId(index)}","timestamp":"2026-01-31T09:15:02.123456","source":"user","n":1.50,"text":"${text}","kind":"MessageEvent"}`;
export const baseState = (of = id) =>
  `{"id":"${of}","agent":{"llm":{"model":"m"},"kind":"Agent"},"workspace":{"working_dir":"w","kind":"LocalWorkspace"},"persistence_dir":"mine/${of.replaceAll("-", "")}","execution_status":"idle"}`;

/** The entries of a conversation's archive. */
export function conversation(length, of = id) {
  const folder = of.replaceAll("-", "");
  return [
    { name: `${folder}/`, method: 0 },
    { name: `${folder}/base_state.json`, content: baseState(of) },
    { name: `${folder}/events/`, method: 0 },
    ...Array.from({ length }, (_, index) => ({ name: eventPath(index, folder), content: event(index) })),
  ];
}

/** The entry of this name, to be changed. */
export function entry(entries, name) {
  const found = entries.find((one) => one.name === name);
  assert(found, name);
  return found;
}
