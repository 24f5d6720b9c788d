// The packed package in an app of Next.js: in a component of the server and in one of the page.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { before, test } from "node:test";
import { inPage, needsBrowser } from "./conversations.mjs";
import { installedPackage, run } from "./installed.mjs";
import { script } from "./tools.mjs";

const next = script("next/dist/bin/next");
const env = { NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };

let installed;
before(async () => (installed = await installedPackage()));

for (const bundler of ["turbopack", "webpack"]) {
  test(`Next.js with ${bundler}, on the server and in the page`, needsBrowser, async () => {
    const project = installed.project(`next-${bundler}`, { template: "next" });
    const printed = await run(process.execPath, [next, "build", `--${bundler}`], project, env);
    assert.doesNotMatch(printed, /warning/i);
    await inPage(`Next.js with ${bundler}`, await started(project), async (page) => {
      assert.equal(await page.$eval("#server", (element) => element.textContent), "finished: 2 and 3 make 5.");
    });
  });
}

/** Starts the built app on a free port. It is a process group, because it is a server that `next` starts. */
async function started(project) {
  const options = { cwd: project, env: { ...process.env, ...env }, detached: true };
  const child = spawn(process.execPath, [next, "start", "--port", "0", "--hostname", "127.0.0.1"], options);
  const ended = once(child, "exit");
  let printed = "";
  const origin = await new Promise((resolve, reject) => {
    const read = (text) => {
      printed += text;
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(printed) ?? [];
      if (address && /ready/i.test(printed)) resolve(address);
    };
    child.stdout.setEncoding("utf8").on("data", read);
    child.stderr.setEncoding("utf8").on("data", read);
    ended.then(() => reject(new Error(`next start ended: ${printed}`)), reject);
  });
  const close = async () => {
    process.kill(-child.pid, "SIGKILL");
    await ended;
  };
  return { origin, close };
}
