// A place of four functions in memory, which counts what it is asked and fails when it is told to.

/** @param delay Called before each answer, with the name of the function and the path. */
export function placeInMemory({ name, delay } = {}) {
  const files = new Map();
  const asked = [];
  const place = {
    files,
    asked,
    /** Thrown by the functions, if it is set. */
    failure: undefined,
    name,
    list: (prefix) => ask("list", prefix, () => [...files.keys()].filter((path) => path.startsWith(prefix))),
    read: (path) => ask("read", path, () => files.get(path)),
    write: (path, bytes) => ask("write", path, () => void files.set(path, bytes.slice())),
    remove: (path) => ask("remove", path, () => void files.delete(path)),
  };
  async function ask(what, path, answer) {
    asked.push([what, path]);
    await delay?.(what, path);
    if (place.failure) throw place.failure;
    return answer();
  }
  return place;
}

/** The texts of the files below a folder, by their paths. */
export const textsIn = ({ files }, folder = "") =>
  Object.fromEntries(
    [...files].filter(([path]) => path.startsWith(folder)).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]),
  );

export const eventsIn = (place) => [...place.files.keys()].filter((path) => path.includes("/events/event-")).sort();

/** As the SDK opens it: a log without gaps, and HEAD in it. Returns what is wrong. */
export function refusedByPython(place) {
  const problems = [];
  for (const [path, bytes] of place.files) {
    if (!path.endsWith("base_state.json")) continue;
    const folder = path.slice(0, -"base_state.json".length);
    const names = eventsIn(place).filter((name) => name.startsWith(`${folder}events/`));
    const events = names.map((name) => /event-(\d+)-([\w-]+)\.json$/.exec(name).slice(1));
    const numbers = new Set(events.map(([number]) => Number(number)));
    if (numbers.size < events.length) problems.push(`${folder}: ${events.length} events have ${numbers.size} numbers`);
    let length = 0;
    while (numbers.has(length)) length++;
    const { leaf_event_id: head } = JSON.parse(new TextDecoder().decode(bytes));
    if (head && !events.some(([number, id]) => id === head && Number(number) < length))
      problems.push(`${folder}: HEAD ${head} is not among the ${length} events before the first gap: ${names.join(" ")}`);
    for (const name of names) JSON.parse(new TextDecoder().decode(place.files.get(name)));
  }
  return problems;
}
