// A reporter for node's test runner: what has failed, a line each, for perform.mjs. A file of those that together.mjs runs is known by the
// place of its outermost tests; if a failure is not in one of them, none is named.
import path from "node:path";

/** The beginning of a line with the name of a file. */
export const failedFile = "FAILED FILE: ";
/** The beginning of a line with a test and why it failed, as JSON: { name, reason }. */
export const failedTest = "FAILED TEST: ";

const longestReason = 20;

export default async function* failures(events) {
  const given = new Map(process.argv.slice(2).map((file) => [path.resolve(file), file]));
  const failed = new Set();
  for await (const { type, data } of events) {
    if (type !== "test:fail") continue;
    if (data.nesting === 0) failed.add(given.get(data.file));
    // The tests in it say why.
    if (data.details.error.failureType === "subtestsFailed") continue;
    yield `${failedTest}${JSON.stringify({ name: data.name, reason: reasonOf(data.details.error) })}\n`;
  }
  if (!failed.has(undefined)) for (const file of failed) yield `${failedFile}${file}\n`;
}

/** The message, and where in the project the error was thrown. */
function reasonOf({ message, cause }) {
  const lines = String(cause?.stack ?? cause ?? message).split("\n");
  const [places, words] = [true, false].map((isPlace) => lines.filter((line) => /^ {4}at /.test(line) === isPlace));
  const shown = [...words.slice(0, longestReason), ...(words.length > longestReason ? ["…"] : [])];
  return [...shown, ...places.filter((place) => !place.includes("node:")).slice(0, 3)].join("\n");
}
