// A reporter for node's test runner: names the files that failed of those that together.mjs runs, a line each.

/** The beginning of such a line. */
export const failedFile = "FAILED FILE: ";

export default async function* failedFiles(events) {
  for await (const { type, data } of events) if (type === "test:fail" && data.nesting === 0) yield `${failedFile}${data.name}\n`;
}
