// The steps of `npm test`. Cargo's steps share a lane, because Cargo's lock lets only one run at a time.
import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../process.mjs";
import { sdkVersions } from "../../tests/interop/setup.mjs";

const node = process.execPath;
const warningsDenied = ["--", "-D", "warnings"];
const lintWasm = ["cargo", "clippy", "--locked", "--lib", "--target", "wasm32-unknown-unknown"];
/** In CI a failure must come from the change, not from new random commands; those run in `npm test` and `cargo test` elsewhere. */
const fixedSeed = process.env.CI ? { PROPTEST_RNG_SEED: "20261121" } : {};

/** Selects the newest version of the SDK: see tests/interop/setup.mjs. */
const newest = { THREADKEEP_SDK: sdkVersions.at(-1) };

export function testSteps({ quick }) {
  const interop = filesIn("tests/interop");
  const pages = filesIn("tests/browser").filter((file) => !file.endsWith("/crash.test.mjs"));
  const demo = pages.filter((file) => path.basename(file).startsWith("demo"));
  const library = pages.filter((file) => !demo.includes(file));
  const inBrowser = (kind, files) => ({ needs: ["build", "browsers"], command: together(files), env: { THREADKEEP_BROWSER: kind }, timeout: 1800 });
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  return [
    { name: "browsers", command: [node, "scripts/browsers.mjs"], timeout: 1200 },
    { name: "python", command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], timeout: 1500 },
    { name: "python-newest", command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], env: newest, timeout: 1500 },
    { name: "litellm", command: [node, "scripts/testing/python.mjs", "tests/proxy/setup.mjs"], timeout: 1800 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    { name: "build", lane: "cargo", command: build, timeout: 1800 },
    { name: "interop", lane: "interop", needs: ["build", "python"], command: together(interop), timeout: 1800 },
    { name: "played-newest", lane: "interop", needs: ["build", "python-newest"], command: [node, "tests/interop/conversations.mjs"], env: newest, timeout: 1800 },
    { name: "interop-newest", lane: "interop", needs: ["played-newest"], command: together(interop), env: newest, timeout: 1800 },
    { name: "archive", lane: "interop", needs: ["build"], command: apart(filesIn("tests/archive")), timeout: 1200 },
    { name: "secrets", lane: "interop", needs: ["build"], command: apart(filesIn("tests/secrets")), timeout: 600 },
    { name: "firefox", lane: "firefox", ...inBrowser("firefox", library) },
    { name: "firefox-demo", lane: "firefox-demo", ...inBrowser("firefox", demo) },
    { name: "size", lane: "pages", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: 60 },
    { name: "types", lane: "pages", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: 600 },
    { name: "tooling", lane: "pages", needs: ["build"], command: apart(filesIn("tests", "tests/support", "tests/tooling", "tests/models", "tests/mistakes")), timeout: 600 },
    { name: "security", lane: "pages", needs: ["build"], command: apart(filesIn("tests/security", "tests/host")), timeout: 600 },
    { name: "crash", lane: "crash", needs: ["build", "browsers"], command: apart(["tests/browser/crash.test.mjs"]), timeout: 1800 },
    { name: "chromium", lane: "pages", ...inBrowser("chromium", library) },
    { name: "chromium-demo", lane: "pages", ...inBrowser("chromium", demo) },
    { name: "proxy", lane: "pages", needs: ["build", "browsers", "litellm"], command: apart(filesIn("tests/proxy")), timeout: 600 },
    { name: "packaging", lane: "pages", needs: ["build", "browsers"], command: apart(filesIn("tests/packaging")), timeout: 1200 },
    { name: "lint", lane: "cargo", needs: ["build"], command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied], timeout: 1200 },
    { name: "lint-wasm", lane: "cargo", needs: ["build"], command: [...lintWasm, ...warningsDenied], timeout: 1200 },
    { name: "lint-testing", lane: "cargo", needs: ["build"], command: [...lintWasm, "--features", "testing", ...warningsDenied], timeout: 1200 },
    { name: "native", lane: "cargo", needs: ["build"], command: ["cargo", "test", "--locked"], env: { THREADKEEP_SCRIPTS: "4000", ...fixedSeed }, timeout: 1800 },
  ];
}

/** The test files of these folders. */
function filesIn(...folders) {
  return folders.flatMap((folder) => {
    const names = readdirSync(path.join(root, folder)).filter((name) => name.endsWith(".test.mjs"));
    return names.sort().map((name) => path.join(folder, name));
  });
}

/** Runs each test file in a process of its own, two at a time. */
function apart(files) {
  return [node, "--test", "--test-reporter=spec", "--test-concurrency=2", ...files];
}

/** Runs all test files in one process. */
function together(files) {
  return [node, "--test-reporter=spec", "scripts/testing/together.mjs", ...files];
}
