// The scheduler of `npm test`: what needs what, what shares a lane, and what becomes of the rest when a step fails.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { counted, repeatFailed, schedule, select } from "../../scripts/testing/schedule.mjs";
import { testSteps } from "../../scripts/testing/steps.mjs";
import { webKitTests } from "../../scripts/webkit.mjs";

/** Performs steps only on request: `finish(name, outcome)`; `running` are those begun and not finished. */
function stage(steps, slots) {
  const endings = new Map();
  const running = () => [...endings.keys()].sort();
  const results = schedule(steps, (step) => new Promise((resolve) => endings.set(step.name, resolve)), slots);
  const finish = async (name, outcome = "ok") => {
    const end = endings.get(name);
    endings.delete(name);
    end({ outcome });
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { running, results, finish };
}

test("a step begins when all it needs is ok, one at a time per lane, and no more lanes than slots", async () => {
  const steps = [
    { name: "download" },
    { name: "build", lane: "cargo" },
    { name: "lint", lane: "cargo" },
    { name: "pages", lane: "pages", needs: ["build", "download"] },
    { name: "interop", lane: "interop", needs: ["build"] },
  ];
  const { running, results, finish } = stage(steps, 2);
  assert.deepEqual(running(), ["build", "download"]);
  await finish("build");
  assert.deepEqual(running(), ["download", "interop", "lint"]);
  await finish("download");
  assert.deepEqual(running(), ["interop", "lint"]);
  await finish("lint");
  assert.deepEqual(running(), ["interop", "pages"]);
  await finish("interop");
  await finish("pages");
  assert.deepEqual(
    (await results).map((result) => result.outcome),
    ["ok", "ok", "ok", "ok", "ok"],
  );
});

test("what needs a failed step is not run, what needs a skipped one is skipped, the rest goes on", async () => {
  const steps = [
    { name: "build" },
    { name: "browsers" },
    { name: "pages", needs: ["browsers"] },
    { name: "packaging", needs: ["build"] },
    { name: "after", needs: ["packaging"] },
    { name: "native" },
  ];
  const { results, finish } = stage(steps);
  await finish("build", "failed");
  await finish("browsers", "skipped");
  await finish("native");
  assert.deepEqual(
    (await results).map(({ name, outcome, reason }) => [name, outcome, reason]),
    [
      ["build", "failed", undefined],
      ["browsers", "skipped", undefined],
      ["pages", "skipped", "needs browsers"],
      ["packaging", "not run", "needs build"],
      ["after", "not run", "needs packaging"],
      ["native", "ok", undefined],
    ],
  );
});

test("choosing steps brings what they need, in the order of the table", () => {
  const steps = [{ name: "a" }, { name: "b", needs: ["a"] }, { name: "c", needs: ["b"] }, { name: "d" }];
  assert.deepEqual(
    select(steps, ["c"]).map((step) => step.name),
    ["a", "b", "c"],
  );
  assert.throws(() => select(steps, ["x"]), /no step "x": choose from a, b, c, d/);
});

test("what failed is performed once more where it may, one after the other, and it says so if it passes", async () => {
  const failed = (name, more) => ({ name, outcome: "failed", reason: `${name} failed`, seconds: 2, failedFiles: [], ...more });
  const results = [
    failed("flaky", { failedFiles: ["b"], failures: ["why"] }),
    failed("broken"),
    failed("strict"),
    { name: "skipped", outcome: "skipped", seconds: 2 },
    { name: "fine", outcome: "ok", seconds: 2 },
    failed("endless", { timedOut: true }),
    { name: "after", outcome: "not run" },
  ];
  const steps = results.map(({ name }) => ({ name, command: ["a", "b"], repeat: name === "strict" ? undefined : (files) => files }));
  const performed = [];
  let running = 0;
  const after = await repeatFailed(steps, results, async ({ name, command }) => {
    running += 1;
    assert.equal(running, 1);
    performed.push([name, ...command]);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return name === "flaky" ? { outcome: "ok", seconds: 1 } : { outcome: "failed", reason: `${name} again`, seconds: 1 };
  });
  assert.deepEqual(performed, [
    ["flaky", "b"],
    ["broken", "a", "b"],
  ]);
  assert.deepEqual(after, [
    { name: "flaky", outcome: "ok", seconds: 3, repeated: "flaky failed", failures: ["why"] },
    { name: "broken", outcome: "failed", reason: "broken again", seconds: 3 },
    ...results.slice(2),
  ]);
});

test("what cannot run fails in CI, and an optional step never does", () => {
  const of = (step, result, inCi) => counted(step, { gaps: [], ...result }, inCi).outcome;
  const results = [{ outcome: "ok" }, { outcome: "ok", gaps: ["the weather"] }, { outcome: "skipped" }, { outcome: "failed" }];
  const all = (step, inCi) => results.map((result) => of(step, result, inCi));
  assert.deepEqual(all({}, false), ["ok", "ok", "skipped", "failed"]);
  assert.deepEqual(all({}, true), ["ok", "failed", "failed", "failed"]);
  for (const inCi of [false, true]) assert.deepEqual(all({ optional: true }, inCi), ["ok", "ok", "skipped", "skipped"]);
});

test("what WebKit runs and what it cannot run are files and folders of tests, and not the same", () => {
  const steps = testSteps({ all: true });
  const { lacks, ...runs } = webKitTests;
  const [run, cannot] = [Object.values(runs).flat(), Object.values(lacks).flat()];
  for (const place of [...run, ...cannot]) assert.ok(existsSync(path.join(root, place)), place);
  assert.deepEqual(
    run.filter((file) => cannot.some((place) => file.startsWith(place))),
    [],
  );
  const inWebKit = steps.filter(({ env }) => env?.THREADKEEP_BROWSER === "webkit");
  assert.ok(inWebKit.length === 2 && inWebKit.every(({ needs }) => needs.includes("install-webkit")));
  assert.deepEqual(
    steps.filter(({ optional }) => optional).map(({ name }) => name),
    ["install-webkit"],
  );
});

test("steps with browsers or the SDK may be repeated, those that kill something and folders about security may not", () => {
  const steps = testSteps({ all: true });
  const repeats = steps.filter((step) => step.repeat).map((step) => step.name);
  for (const name of ["browser", "demo-firefox", "packaging", "interop"]) assert.ok(repeats.includes(name), name);
  for (const name of ["kills", "kills-of-tools", "kills-webkit", "control", "secrets", "native", "build", "mcp", "size"])
    assert.ok(!repeats.includes(name), name);
  // They are repeated at the end, when it is too late to perform what needs them.
  for (const { name, needs = [] } of steps)
    assert.deepEqual(
      needs.filter((need) => repeats.includes(need)),
      [],
      name,
    );
});

test("the steps of a change need neither another browser nor Python, and --all leaves out no test of theirs", () => {
  const everyday = testSteps();
  const all = testSteps({ all: true });
  const names = everyday.map(({ name }) => name);
  for (const name of ["python", "interop", "browser-firefox", "browser-webkit", "kills-webkit", "proxy", "packaging", "kills", "lint"])
    assert.ok(!names.includes(name), name);
  for (const { needs = [] } of everyday)
    assert.deepEqual(
      needs.filter((name) => !names.includes(name)),
      [],
    );
  const files = (steps) => new Set(steps.flatMap(({ command }) => command.filter((part) => part.endsWith(".test.mjs"))));
  const [ofAChange, ofAll] = [files(everyday), files(all)];
  assert.deepEqual(
    [...ofAChange].filter((file) => !ofAll.has(file)),
    [],
  );
  assert.deepEqual(
    testFiles("tests").filter((file) => !ofAll.has(file)),
    [],
  );
});

/** All test files below a folder of the repository. */
function testFiles(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "projects", "project"].includes(entry.name) ? [] : testFiles(name);
    return name.endsWith(".test.mjs") ? [name] : [];
  });
}
