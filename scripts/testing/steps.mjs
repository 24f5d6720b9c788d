// The steps of `npm test`. Cargo's steps share a lane, because they would wait for each other's lock anyway.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../process.mjs";

const node = process.execPath;
const warningsDenied = ["--", "-D", "warnings"];
const lintWasm = ["cargo", "clippy", "--locked", "--lib", "--target", "wasm32-unknown-unknown"];

export function testSteps({ quick }) {
  const interop = nodeTests("tests/interop");
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  const steps = [
    { name: "browsers", command: [node, "scripts/browsers.mjs"], timeout: 600 },
    { name: "python", command: interop && [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], timeout: 800 },
    { name: "litellm", command: [node, "scripts/testing/python.mjs", "tests/proxy/setup.mjs"], timeout: 800 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    { name: "build", lane: "cargo", command: build, timeout: 900 },
    { name: "size", lane: "pages", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: 60 },
    { name: "types", lane: "pages", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: 120 },
    { name: "tooling", lane: "pages", needs: ["build"], command: nodeTests("tests", "tests/support", "tests/tooling", "tests/models"), timeout: 120 },
    { name: "security", lane: "pages", needs: ["build"], command: nodeTests("tests/security"), timeout: 120 },
    { name: "archive", lane: "interop", needs: ["build"], command: nodeTests("tests/archive"), timeout: 600 },
    { name: "secrets", lane: "interop", needs: ["build"], command: nodeTests("tests/secrets"), timeout: 300 },
    { name: "browser", lane: "pages", needs: ["build", "browsers"], command: nodeTests("tests/browser"), timeout: 900 },
    { name: "proxy", lane: "pages", needs: ["build", "browsers", "litellm"], command: nodeTests("tests/proxy"), timeout: 300 },
    { name: "packaging", lane: "pages", needs: ["build", "browsers"], command: nodeTests("tests/packaging"), timeout: 600 },
    { name: "interop", lane: "interop", needs: ["build", "python"], command: interop, timeout: 900 },
    { name: "lint", lane: "cargo", needs: ["build"], command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied], timeout: 600 },
    { name: "lint-wasm", lane: "cargo", needs: ["build"], command: [...lintWasm, ...warningsDenied], timeout: 600 },
    { name: "lint-archive", lane: "cargo", needs: ["build"], command: [...lintWasm, "--no-default-features", "--features", "archive", ...warningsDenied], timeout: 600 },
    { name: "lint-testing", lane: "cargo", needs: ["build"], command: [...lintWasm, "--features", "archive,testing", ...warningsDenied], timeout: 600 },
    { name: "native", lane: "cargo", needs: ["build"], command: ["cargo", "test", "--locked"], env: { THREADKEEP_SCRIPTS: "10000" }, timeout: 900 },
  ];
  return steps.filter((step) => step.command !== undefined);
}

/** `node --test` on the test files of these folders, or `undefined` if they have none. */
function nodeTests(...folders) {
  const files = folders.flatMap((folder) => {
    const directory = path.join(root, folder);
    const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith(".test.mjs")) : [];
    return names.sort().map((name) => path.join(folder, name));
  });
  return files.length === 0 ? undefined : [node, "--test", "--test-reporter=spec", "--test-concurrency=2", ...files];
}
