// The steps of `npm test`. Cargo's steps share a lane, because they would wait for each other's lock anyway.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../process.mjs";

const node = process.execPath;
const warningsDenied = ["--", "-D", "warnings"];
const wasm = ["--target", "wasm32-unknown-unknown"];

export function testSteps({ quick }) {
  const build = [node, "scripts/build.mjs", ...(quick ? ["--quick"] : [])];
  const steps = [
    { name: "browsers", command: [node, "scripts/browsers.mjs"], timeout: 600 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    { name: "build", lane: "cargo", command: build, timeout: 900 },
    { name: "types", lane: "pages", needs: ["build"], command: [node, "node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], timeout: 120 },
    { name: "scripts", lane: "pages", needs: ["build"], command: nodeTests("tests/scripts"), timeout: 120 },
    { name: "browser", lane: "pages", needs: ["build", "browsers"], command: nodeTests("tests/browser"), timeout: 900 },
    { name: "packaging", lane: "pages", needs: ["build", "browsers"], command: nodeTests("tests/packaging"), timeout: 600 },
    { name: "interop", lane: "interop", needs: ["build"], command: nodeTests("tests/interop"), timeout: 900 },
    { name: "lint", lane: "cargo", needs: ["build"], command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied], timeout: 600 },
    { name: "lint-wasm", lane: "cargo", needs: ["build"], command: ["cargo", "clippy", "--locked", "--lib", ...wasm, ...warningsDenied], timeout: 600 },
    { name: "native", lane: "cargo", needs: ["build"], command: ["cargo", "test", "--locked"], timeout: 900 },
  ];
  return steps.filter((step) => step.command !== undefined);
}

/** `node --test` on the test files of a folder, or `undefined` for a folder without any. */
function nodeTests(folder) {
  const directory = path.join(root, folder);
  const files = existsSync(directory) ? readdirSync(directory).filter((file) => file.endsWith(".test.mjs")).sort() : [];
  if (files.length === 0) return undefined;
  return [node, "--test", "--test-reporter=spec", ...files.map((file) => path.join(folder, file))];
}
