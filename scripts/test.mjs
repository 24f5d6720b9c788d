// `npm test`: runs the checks of every change, and sets up what they need.
//   --all                   also two other browsers, both SDKs, the proxy, packaging, kills, and lint of all targets
//   --only native,browser   only these steps, of all, and what they need
//   --quick                 the fast build of the wasm
//   --list                  the names of the steps
// With CI set, a step that cannot run here fails instead of being skipped, but for those in WebKit.
import { endAll, perform } from "./testing/perform.mjs";
import { counted, repeatFailed, schedule, select } from "./testing/schedule.mjs";
import { testSteps } from "./testing/steps.mjs";
import { Stop, main } from "./process.mjs";
import { ensureLinters, ensureRust, requireNode } from "./toolchain.mjs";

const strict = Boolean(process.env.CI);
const shownLines = 200;
/** Of each step that failed, at the end: so many tests, or lines of its output if none is named. */
const mostReasons = 10;
const endOfText = 20;

await main(async () => {
  const options = parse(process.argv.slice(2));
  requireNode();
  const offered = testSteps({ ...options, all: options.all || options.only !== undefined });
  if (options.list) return console.log(offered.map((step) => step.name).join("\n"));
  await ensureRust();
  await ensureLinters();
  const steps = options.only ? select(offered, options.only) : offered;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => {
      endAll();
      process.exit(130);
    });
  }

  const begun = performance.now();
  const running = new Map();
  const ticker = setInterval(() => console.log(`… ${stillRunning(running)}`), 30_000);
  const carryOut = async (step) => {
    console.log(`▶ ${step.name}`);
    running.set(step.name, performance.now());
    const result = counted(step, await perform(step), strict);
    running.delete(step.name);
    report(step, result);
    return result;
  };
  const first = await schedule(steps, carryOut);
  // Nobody sits in front of CI to start a step again.
  const results = strict ? await repeatFailed(steps, first, carryOut) : first;
  clearInterval(ticker);
  summarise(results, (performance.now() - begun) / 1000);
});

function parse(args) {
  const options = { quick: false, list: false, all: false, only: undefined };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--all") options.all = true;
    else if (args[i] === "--quick") options.quick = true;
    else if (args[i] === "--list") options.list = true;
    else if (args[i] === "--only" && args[i + 1]) options.only = args[++i].split(",");
    else throw new Stop(`unknown option ${args[i]}: there are --all, --only <steps>, --quick and --list`);
  }
  return options;
}

function report(step, result) {
  console.log(
    `${mark(result)} ${step.name} (${result.seconds.toFixed(1)} s)${result.reason ? `: ${result.reason}` : ""}${repetition(result)}`,
  );
  if (result.outcome === "failed") showOutput(step, result);
}

function repetition({ repeated }) {
  return repeated === undefined ? "" : ` flaky: passed when it was repeated; it had failed: ${repeated}`;
}

function mark({ outcome }) {
  return { ok: "✔", failed: "✖", skipped: "⚠", "not run": "·" }[outcome];
}

function stillRunning(running) {
  const now = performance.now();
  return `still running: ${[...running].map(([name, since]) => `${name} (${Math.round((now - since) / 1000)} s)`).join(", ")}`;
}

function showOutput(step, { text, log }) {
  const lines = text.trimEnd().split("\n");
  console.log(`\n--- ${step.command.join(" ")}`);
  if (lines.length > shownLines) console.log(`(the last ${shownLines} of ${lines.length} lines; all of them are in ${log})`);
  console.log(lines.slice(-shownLines).join("\n"));
  console.log(`--- end of ${step.name}\n`);
}

/** Lines on what has failed of a step. */
function reasonsOf({ failures = [], outcome, text }) {
  const indented = (lines) => lines.replace(/^/gm, "  ");
  if (failures.length > 0) return failures.slice(0, mostReasons).map(({ name, reason }) => indented(`${name}\n${indented(reason)}`));
  return outcome === "failed" ? [indented(text.trimEnd().split("\n").slice(-endOfText).join("\n"))] : [];
}

function summarise(results, seconds) {
  console.log("");
  for (const result of results) {
    const time = result.seconds === undefined ? "" : `${result.seconds.toFixed(1)} s`;
    console.log(`${mark(result)} ${result.name.padEnd(16)}${time.padStart(9)}  ${result.reason ?? ""}${repetition(result)}`.trimEnd());
  }
  const failed = results.filter((result) => result.outcome === "failed" || result.outcome === "not run");
  const skipped = results.filter((result) => result.outcome === "skipped");
  const flaky = results.filter(({ repeated }) => repeated !== undefined).length;
  const ofThese = flaky === 0 ? "" : `, ${flaky} of them flaky`;
  console.log(
    `\n${results.length - failed.length - skipped.length} of ${results.length} steps passed in ${seconds.toFixed(0)} s${ofThese}`,
  );
  const gaps = [
    ...skipped.map(({ name, reason }) => `${name}: ${reason}`),
    ...results.flatMap(({ name, gaps: left = [] }) => left.map((gap) => `${name}: ${gap}`)),
  ];
  // Once more at the end: nobody finds it in the output of an hour.
  for (const result of results) {
    const reasons = reasonsOf(result);
    if (reasons.length > 0) console.log(`\n${mark(result)} ${result.name}:\n${reasons.join("\n")}`);
  }
  if (gaps.length > 0) console.log(`\n⚠ not checked here:\n${gaps.map((gap) => `  ${gap}`).join("\n")}`);
  if (failed.length > 0) process.exitCode = 1;
}
