// The scheduler of `npm test`: what needs what, what shares a lane, and what becomes of the rest when a step fails.
import assert from "node:assert/strict";
import { test } from "node:test";
import { schedule, select } from "../../scripts/testing/schedule.mjs";

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
  assert.deepEqual((await results).map((result) => result.outcome), ["ok", "ok", "ok", "ok", "ok"]);
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
  assert.deepEqual(select(steps, ["c"]).map((step) => step.name), ["a", "b", "c"]);
  assert.throws(() => select(steps, ["x"]), /no step "x": choose from a, b, c, d/);
});
