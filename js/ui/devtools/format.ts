// Numbers and JSON as the inspector shows them.

/** The time of day, with milliseconds. */
export function time(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

export function milliseconds(duration: number): string {
  return duration < 1000 ? `${duration} ms` : `${(duration / 1000).toFixed(1)} s`;
}

export function count(number: number, noun: string): string {
  return `${new Intl.NumberFormat("en").format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** JSON with indentation, also inside of server-sent events; other text as it is. */
export function pretty(text: string): string {
  if (text.startsWith("{") || text.startsWith("[")) return indented(text);
  return text.replace(/^data: (\{.*\})$/gm, (_, json: string) => `data: ${indented(json)}`);
}

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
