// What `npm test` says at its end: each step, the slowest tests, and each failure once, with the command that plays it again.

/** Of each step that failed: so many tests, or lines of its output if none is named. */
const mostFailures = 10;
const endOfText = 40;
const slowest = 10;

/** Lines of text on the results of these steps, and whether anything has failed. */
export function summarise(steps, results, seconds) {
  const failed = results.filter(({ outcome }) => outcome === "failed" || outcome === "not run");
  const skipped = results.filter(({ outcome }) => outcome === "skipped");
  const gaps = [
    ...skipped.map(({ name, reason }) => `${name}: ${reason}`),
    ...results.flatMap(({ name, gaps: left = [] }) => left.map((gap) => `${name}: ${gap}`)),
  ];
  const lines = [
    "",
    ...results.map(stepLine),
    ...slowestLines(results),
    ...results.flatMap(repeatedLines),
    ...failed.flatMap((result) => failureLines(result, steps)),
    ...(gaps.length > 0 ? ["", "⚠ not checked here:", ...gaps.map((gap) => `  ${gap}`)] : []),
    "",
    `${results.length - failed.length - skipped.length} of ${results.length} steps passed in ${seconds.toFixed(0)} s`,
  ];
  return { lines, isFailure: failed.length > 0 };
}

function stepLine({ name, outcome, seconds, reason = "" }) {
  const mark = { ok: "✔", failed: "✖", skipped: "⚠", "not run": "·" }[outcome];
  const time = seconds === undefined ? "" : `${seconds.toFixed(1)} s`;
  return `${mark} ${name.padEnd(20)}${time.padStart(9)}  ${reason}`.trimEnd();
}

function slowestLines(results) {
  const times = results.flatMap(({ name: step, times = [] }) => times.map((time) => ({ step, ...time })));
  if (times.length === 0) return [];
  times.sort((one, other) => other.seconds - one.seconds);
  const line = ({ step, file, name, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${step}: ${name} [${file}]`;
  return ["", "the slowest tests:", ...times.slice(0, slowest).map(line)];
}

function repeatedLines({ name, repeated = [] }) {
  if (repeated.length === 0) return [];
  const passed = repeated.map(({ file, name, reason }) => `  ${name} [${file}]\n${indented(reason, 4)}`);
  return ["", `⚠ ${name}: passed when it was repeated, as scripts/testing/unsteady.mjs allows:`, ...passed];
}

function failureLines({ name, reason, failures = [], text, log }, steps) {
  const { command, env } = steps.find((step) => step.name === name);
  const head = ["", `✖ ${name}: ${reason}`];
  if (text === undefined) return head;
  if (failures.length > 0) {
    const shown = failures.slice(0, mostFailures).flatMap((failure) => testLines(failure, env));
    const more = failures.length - mostFailures;
    return [...head, ...shown, ...(more > 0 ? [`  and ${more} more, in ${log}`] : [])];
  }
  const end = text.trimEnd().split("\n").slice(-endOfText).join("\n");
  return [...head, indented(end, 4), `  all of it is in ${log}; to play it again: ${command.join(" ")}`];
}

function testLines({ file, line, name, reason }, env = {}) {
  const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value} `);
  const again = file?.endsWith(".test.mjs") ? [`    to play it again: ${variables.join("")}npm run one ${file}`] : [];
  return [`  ${name} [${file}:${line}]`, indented(reason, 4), ...again];
}

const indented = (text, by) => text.replace(/^/gm, " ".repeat(by));
