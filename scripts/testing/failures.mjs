// A reporter for node's test runner: names the files that failed of those that together.mjs runs, a line each. A file is known by
// the place of its outermost tests; if a failure is not in one of them, none is named.
import path from "node:path";

/** The beginning of such a line. */
export const failedFile = "FAILED FILE: ";

export default async function* failedFiles(events) {
  const given = new Map(process.argv.slice(2).map((file) => [path.resolve(file), file]));
  const failed = new Set();
  for await (const { type, data } of events) if (type === "test:fail" && data.nesting === 0) failed.add(given.get(data.file));
  if (!failed.has(undefined)) for (const file of failed) yield `${failedFile}${file}\n`;
}
