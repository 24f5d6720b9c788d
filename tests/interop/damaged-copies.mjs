// Copies of a good conversation, each with one fault that the SDK refuses or would pass over: a check that missed one is no check.
import { cpSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";

/** `{ what, directory, file }` for each fault; `file` is the one that a check has to name. */
export function damagedCopies(good, place) {
  const names = readdirSync(path.join(good, "events"))
    .filter((name) => name.startsWith("event-"))
    .sort();
  const last = names.at(-1);
  const inLast = (change) => (directory) => edit(path.join(directory, "events", last), change);
  const faults = [
    ["an unknown key in an event", last, inLast((event) => ({ ...event, extra: 1 }))],
    ["an unknown key in a text", last, inLast((event) => ((event.llm_message.content[0].extra = 1), event))],
    ["an unknown kind", last, inLast((event) => ({ ...event, kind: "UnheardOfEvent" }))],
    ["another id inside", last, inLast((event) => ({ ...event, id: "00000000-0000-4000-8000-000000000000" }))],
    ["a key that the SDK drops", last, inLast((event) => ((event.llm_message.extra = 1), event))],
    ["a lone surrogate", last, inLast((event) => ((event.llm_message.content[0].text = "\ud83d"), event))],
    [
      "a name that the SDK does not recognise",
      "event-00099-zebra.json",
      (directory) => {
        writeFileSync(path.join(directory, "events/event-00099-zebra.json"), readFileSync(path.join(directory, "events", last)));
      },
    ],
    [
      "a gap",
      last,
      (directory) => {
        renameSync(path.join(directory, "events", last), path.join(directory, "events", last.replace("event-00004", "event-00005")));
        edit(path.join(directory, "base_state.json"), ({ leaf_event_id: _, ...state }) => state);
      },
      last.replace("event-00004", "event-00005"),
    ],
    [
      "a leaf that is nowhere",
      "base_state.json",
      (directory) => {
        edit(path.join(directory, "base_state.json"), (state) => ({ ...state, leaf_event_id: "00000000-0000-4000-8000-000000000000" }));
      },
    ],
    [
      "another id in the state",
      "base_state.json",
      (directory) => {
        edit(path.join(directory, "base_state.json"), (state) => ({ ...state, id: "00000000-0000-4000-8000-000000000000" }));
      },
    ],
  ];
  return faults.map(([what, named, damage, file = named], index) => {
    const directory = path.join(place, `damaged-${index}`, path.basename(good));
    mkdirSync(path.dirname(directory), { recursive: true });
    cpSync(good, directory, { recursive: true });
    damage(directory);
    return { what, directory, file };
  });
}

function edit(file, change) {
  writeFileSync(file, JSON.stringify(change(JSON.parse(readFileSync(file, "utf8")))));
}
