// A reporter for node's test runner: every test in a line, with its file if it is an outermost one; and for perform.mjs what has failed
// and how long each outermost test took, as JSON.
import path from "node:path";
import { root } from "../process.mjs";

/** The beginning of a line about a test that failed: { file, line, name, reason }. */
export const failedTest = "FAILED TEST: ";
/** The beginning of a line about an outermost test: { file, name, seconds }. */
export const timedTest = "TIMED TEST: ";

const longestReason = 20;

export default async function* report(events) {
  // The names of the tests around the one that reports next: they begin before it, and report after it.
  const around = [];
  // Of a file that hangs, the last test that was over says where.
  let over = "none";
  for await (const { type, data } of events) {
    if (type === "test:stdout" || type === "test:stderr") yield data.message;
    else if (type === "test:start") around.splice(data.nesting, Infinity, data.name);
    else if (type === "test:pass" || type === "test:fail") {
      const file = data.file && path.relative(root, data.file);
      const seconds = data.details.duration_ms / 1000;
      const name = [...around.slice(0, data.nesting), data.name].join(" > ");
      const isSkipped = data.skip !== undefined && data.skip !== false;
      const mark = type === "test:fail" ? "✖" : isSkipped ? "﹣" : "✔";
      const place = data.nesting === 0 ? ` [${file}]` : "";
      yield `${"  ".repeat(data.nesting)}${mark} ${data.name} (${seconds.toFixed(1)} s)${place}\n`;
      if (data.nesting === 0) yield `${timedTest}${JSON.stringify({ file, name: data.name, seconds })}\n`;
      // The tests in it say why.
      if (type === "test:fail" && data.details.error.failureType !== "subtestsFailed") {
        const hint = data.details.error.failureType === "testTimeoutFailure" ? `; the last test that was over: ${over}` : "";
        yield `${failedTest}${JSON.stringify({ file, line: data.line, name, reason: `${reasonOf(data.details.error)}${hint}` })}\n`;
      }
      over = name;
    }
  }
}

/** The message, and where in the project the error was thrown. */
function reasonOf({ message, cause }) {
  const lines = String(cause?.stack ?? cause ?? message).split("\n");
  const [places, words] = [true, false].map((isPlace) => lines.filter((line) => /^ {4}at /.test(line) === isPlace));
  const shown = [...words.slice(0, longestReason), ...(words.length > longestReason ? ["…"] : [])];
  return [...shown, ...places.filter((place) => !place.includes("node:")).slice(0, 3)].join("\n");
}
