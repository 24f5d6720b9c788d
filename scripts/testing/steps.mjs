// The steps of `npm test`, by lanes: the longest lanes first, so that none of them is left over at the end. What cargo
// compiles for this machine shares a lane, because it would wait for the lock on target/debug anyway. The wasm is compiled in
// another folder, and most of the time on one processor: native tests are compiled beside it. In CI a step with `repeats` is
// performed once more if it fails.
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
  const inBrowsers = filesIn("tests/browser");
  const kills = ["tests/browser/kills.test.mjs"];
  const killsOfTools = inBrowsers.filter((file) => file.endsWith("-kills.test.mjs"));
  const pages = inBrowsers.filter((file) => ![...kills, ...killsOfTools].includes(file));
  const demo = pages.filter((file) => path.basename(file).startsWith("demo"));
  const library = pages.filter((file) => !demo.includes(file));
  const inBrowser = (kind, files) => ({ needs: ["build", "browsers"], command: together(files), env: { THREADKEEP_BROWSER: kind }, timeout: 1800, repeats: true });
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  return [
    { name: "browsers", command: [node, "scripts/browsers.mjs"], timeout: 1200 },
    { name: "python", command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], timeout: 1500 },
    { name: "python-newest", command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], env: newest, timeout: 1500 },
    { name: "litellm", command: [node, "scripts/testing/python.mjs", "tests/proxy/setup.mjs"], timeout: 1800 },
    { name: "packaging-tools", command: [node, "tests/packaging/tools.mjs"], timeout: 1200 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    { name: "tools", lane: "cargo", command: [node, "scripts/build.mjs", "--tools"], timeout: 1200 },
    { name: "build", lane: "build", needs: ["tools"], command: build, timeout: 1800 },
    { name: "native", lane: "cargo", needs: ["tools"], command: ["cargo", "test", "--locked"], env: { THREADKEEP_SCRIPTS: "4000", ...fixedSeed }, timeout: 1800 },
    { name: "interop", lane: "interop", needs: ["build", "python", "browsers"], command: together(interop), timeout: 1800 },
    { name: "played-newest", lane: "interop", needs: ["build", "python-newest"], command: [node, "tests/interop/conversations.mjs"], env: newest, timeout: 1800 },
    { name: "interop-newest", lane: "interop", needs: ["played-newest"], command: together(interop), env: newest, timeout: 1800 },
    { name: "firefox", lane: "firefox", ...inBrowser("firefox", library) },
    { name: "firefox-demo", lane: "firefox", ...inBrowser("firefox", demo) },
    { name: "size", lane: "chromium", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: 60 },
    { name: "types", lane: "chromium", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: 600 },
    { name: "chromium", lane: "chromium", ...inBrowser("chromium", library) },
    { name: "chromium-demo", lane: "chromium", ...inBrowser("chromium", demo) },
    { name: "proxy", lane: "chromium", needs: ["build", "browsers", "litellm"], command: apart(filesIn("tests/proxy")), timeout: 600 },
    { name: "packaging", lane: "chromium", needs: ["build", "browsers", "packaging-tools"], command: together(filesIn("tests/packaging")), timeout: 1200, repeats: true },
    { name: "kills", lane: "kills", needs: ["build", "browsers"], command: apart(kills), timeout: 1800 },
    { name: "kills-of-tools", lane: "kills", needs: ["build", "browsers"], command: apart(killsOfTools), timeout: 1800 },
    { name: "docs", lane: "archive", needs: ["build"], command: apart(filesIn("tests/docs")), timeout: 600 },
    { name: "docs-site", lane: "archive", needs: ["build"], command: [node, "scripts/docs.mjs"], timeout: 900 },
    { name: "archive", lane: "archive", needs: ["build"], command: apart(filesIn("tests/archive")), timeout: 1200 },
    { name: "tooling", lane: "node", needs: ["build"], command: apart(filesIn("tests", "tests/support", "tests/tooling", "tests/models", "tests/mistakes")), timeout: 600 },
    { name: "security", lane: "node", needs: ["build"], command: apart(filesIn("tests/security", "tests/host", "tests/thread", "tests/ai-sdk", "tests/context", "tests/workspace", "tests/tools")), timeout: 600 },
    { name: "mcp", lane: "node", needs: ["build", "python"], command: apart(filesIn("tests/mcp")), timeout: 900 },
    { name: "secrets", lane: "node", needs: ["build"], command: apart(filesIn("tests/secrets")), timeout: 600 },
    { name: "lint", lane: "cargo", needs: ["tools"], command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied], timeout: 1200 },
    { name: "lint-wasm", lane: "cargo", needs: ["tools"], command: [...lintWasm, ...warningsDenied], timeout: 1200 },
    { name: "lint-testing", lane: "cargo", needs: ["tools"], command: [...lintWasm, "--features", "testing", ...warningsDenied], timeout: 1200 },
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
