// The scheduler of `npm test`: what needs what, what shares a lane, and what becomes of the rest when a step fails.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { counted, repeatUnsteady, schedule, select } from "../../scripts/testing/schedule.mjs";
import { elsewhere } from "../../scripts/testing/elsewhere.mjs";
import { explored, testSteps } from "../../scripts/testing/steps.mjs";
import { unsteady } from "../../scripts/testing/unsteady.mjs";
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

test("only files in which nothing failed but known cases are performed once more, one step after the other", async () => {
  const known = [{ file: "a.test.mjs", name: "wobbles" }];
  const wobbled = { file: "a.test.mjs", name: "chromium > wobbles", reason: "why" };
  const failed = (name, failures, more) => ({ name, outcome: "failed", reason: "exit 1", failures, times: [], ...more });
  const results = [
    failed("known", [wobbled]),
    failed("known, and again", [wobbled]),
    failed("with another", [wobbled, { file: "a.test.mjs", name: "breaks" }]),
    failed("in another file", [{ ...wobbled, file: "b.test.mjs" }]),
    failed("without a test", []),
    failed("endless", [wobbled], { timedOut: true }),
    failed("cannot", [wobbled]),
    { name: "fine", outcome: "ok", failures: [], times: [] },
    { name: "after", outcome: "not run", reason: "needs known" },
  ];
  const steps = results.map(({ name }) => ({ name, command: [], again: name === "cannot" ? undefined : (files) => files }));
  const performed = [];
  let running = 0;
  const after = await repeatUnsteady(steps, results, known, async ({ name, command }) => {
    assert.equal(running++, 0);
    performed.push([name, ...command]);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return { outcome: name === "known" ? "ok" : "failed", failures: [wobbled], times: [] };
  });
  assert.deepEqual(performed, [
    ["known", "a.test.mjs"],
    ["known, and again", "a.test.mjs"],
  ]);
  assert.deepEqual(
    after.map(({ outcome, repeated }) => [outcome, repeated]),
    [["ok", [wobbled]], ...results.slice(1).map(({ outcome }) => [outcome, undefined])],
  );
});

test("at most five cases are repeated; each is there, has a reason, and a day by which it is gone", () => {
  assert.ok(unsteady.length <= 5);
  const today = new Date().toISOString().slice(0, 10);
  for (const { file, name, reason, until } of unsteady) {
    assert.ok(readFileSync(path.join(root, file), "utf8").includes(name), `${file} has no test "${name}"`);
    assert.ok(reason.length > 20, name);
    assert.ok(/^\d{4}-\d\d-\d\d$/.test(until) && until >= today, `${name} was to be mended by ${until}`);
  }
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

test("what is played again in another browser or with an older SDK is a list of files that are there", () => {
  const { firefox, olderSdk } = elsewhere;
  for (const file of [...firefox.browser, ...firefox.demo, ...firefox.kills, ...olderSdk])
    assert.ok(existsSync(path.join(root, file)), file);
});

test("no step chooses a seed", () => {
  for (const { name, env = {} } of testSteps({ all: true }))
    assert.deepEqual(
      Object.keys(env).filter((key) => /SEED|AMOUNT/.test(key)),
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
    explored,
  );
  const script = readFileSync(path.join(root, "scripts/explore.mjs"), "utf8");
  for (const file of explored) assert.ok(script.includes(file.slice("tests/".length, -".test.mjs".length)), `nothing plays ${file}`);
});

/** All test files below a folder of the repository. */
function testFiles(folder) {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return ["node_modules", "projects", "project"].includes(entry.name) ? [] : testFiles(name);
    return name.endsWith(".test.mjs") ? [name] : [];
  });
}
