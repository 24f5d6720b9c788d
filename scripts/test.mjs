// `npm test`: runs the checks of every change, and sets up what they need.
//   --all                   also two other browsers, both SDKs, the proxy, packaging, kills, and lint of all targets
//   --only native,browser   only these steps, of all, and what they need
//   --quick                 the fast build of the wasm
//   --list                  the names of the steps
// With CI set, a step that cannot run here fails instead of being skipped, but for those in WebKit.
import { availableParallelism } from "node:os";
import { endAll, perform } from "./testing/perform.mjs";
import { counted, repeatUnsteady, schedule, select } from "./testing/schedule.mjs";
import { testSteps } from "./testing/steps.mjs";
import { summarise } from "./testing/summary.mjs";
import { unsteady } from "./testing/unsteady.mjs";
import { Stop, main } from "./process.mjs";
import { ensureLinters, ensureRust, requireNode } from "./toolchain.mjs";

const strict = Boolean(process.env.CI);

await main(async () => {
  const options = parse(process.argv.slice(2));
  requireNode();
  const offered = testSteps({ ...options, all: options.all || options.only !== undefined });
  if (options.list) return console.log(offered.map((step) => step.name).join("\n"));
  await ensureRust();
  await ensureLinters();
  const steps = options.only ? select(offered, options.only) : offered;
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, async () => {
      await endAll();
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
    console.log(`${result.outcome === "ok" ? "✔" : "✖"} ${step.name} (${result.seconds.toFixed(1)} s)`);
    return result;
  };
  // With --all real servers run beside the browsers, and have ten seconds for each answer.
  const slots = options.all ? availableParallelism() : undefined;
  const results = await repeatUnsteady(steps, await schedule(steps, carryOut, slots), unsteady, carryOut);
  clearInterval(ticker);
  const { lines, isFailure } = summarise(steps, results, (performance.now() - begun) / 1000);
  console.log(lines.join("\n"));
  if (isFailure) process.exitCode = 1;
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

function stillRunning(running) {
  const now = performance.now();
  return `still running: ${[...running].map(([name, since]) => `${name} (${Math.round((now - since) / 1000)} s)`).join(", ")}`;
}
