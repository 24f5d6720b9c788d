// The steps of `npm test`, by lanes: the longest lanes first, so that none of them is left over at the end. What cargo
// compiles for this machine shares a lane, because it would wait for the lock on target/debug anyway. The wasm is compiled in
// another folder, and most of the time on one processor: native tests are compiled beside it. In CI a step with `repeat` is
// performed once more if it fails, with the files that failed. Steps with `extra` belong to `npm test -- --all`: other browsers, the real SDKs, other
// people's servers and bundlers, kills, and what takes minutes for one answer.
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

/** Pages that take over a minute, for one promise each. */
const longPages = ["long-memory.test.mjs"];
/** Tests of archives that import hundreds of megabytes, or hundreds of archives. */
const longArchives = ["memory.test.mjs", "mutations.test.mjs"];
/** The paths through the demo that everybody takes: a conversation that survives, approvals, branches, files, settings. */
const mainDemoPages = ["demo.test.mjs", "demo-control.test.mjs", "demo-branches.test.mjs", "demo-files.test.mjs", "demo-settings.test.mjs"];

/** The steps of `npm test`; with `all`, those of `npm test -- --all`, in which a step without `extra` may have more to do. */
export function testSteps({ quick = false, all = false } = {}) {
  const interop = filesIn("tests/interop");
  const inBrowsers = filesIn("tests/browser");
  const kills = ["tests/browser/kills.test.mjs"];
  const killsOfTools = inBrowsers.filter((file) => file.endsWith("-kills.test.mjs"));
  const pages = without(inBrowsers, [...kills, ...killsOfTools]);
  const demo = pages.filter((file) => path.basename(file).startsWith("demo"));
  const mainDemo = named(demo, mainDemoPages);
  const long = named(pages, longPages);
  const library = without(pages, [...demo, ...long]);
  const mcp = filesIn("tests/mcp");
  const mcpFromPython = named(mcp, ["fastmcp.test.mjs"]);
  const archive = filesIn("tests/archive");
  const longArchive = named(archive, longArchives);
  const inBrowser = (kind, files) => ({
    needs: ["build", "browsers"],
    ...repeatable(files),
    env: { THREADKEEP_BROWSER: kind },
    timeout: 1800,
  });
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  const steps = [
    { name: "browsers", command: [node, "scripts/browsers.mjs", ...(all ? [] : ["chromium"])], timeout: 1200 },
    { name: "python", extra: true, command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], timeout: 1500 },
    {
      name: "python-newest",
      extra: true,
      command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"],
      env: newest,
      timeout: 1500,
    },
    { name: "litellm", extra: true, command: [node, "scripts/testing/python.mjs", "tests/proxy/setup.mjs"], timeout: 1800 },
    { name: "packaging-tools", extra: true, command: [node, "tests/packaging/tools.mjs"], timeout: 1200 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    {
      name: "biome",
      lane: "node",
      needs: ["tools"],
      command: [node, "node_modules/@biomejs/biome/bin/biome", "ci", "--colors=off", "."],
      timeout: 60,
    },
    { name: "tools", lane: "cargo", command: [node, "scripts/build.mjs", "--tools"], timeout: 1200 },
    { name: "build", lane: "build", needs: ["tools"], command: build, timeout: 1800 },
    {
      name: "native",
      lane: "cargo",
      needs: ["tools"],
      command: ["cargo", "test", "--locked"],
      env: { THREADKEEP_SCRIPTS: "4000", ...fixedSeed },
      timeout: 1800,
    },
    { name: "interop", extra: true, lane: "interop", needs: ["build", "python", "browsers"], command: together(interop), timeout: 1800 },
    {
      name: "played-newest",
      extra: true,
      lane: "interop",
      needs: ["build", "python-newest"],
      command: [node, "tests/interop/conversations.mjs"],
      env: newest,
      timeout: 1800,
    },
    {
      name: "interop-newest",
      extra: true,
      lane: "interop",
      needs: ["played-newest"],
      command: together(interop),
      env: newest,
      timeout: 1800,
    },
    { name: "firefox", extra: true, lane: "firefox", ...inBrowser("firefox", [...library, ...long]) },
    { name: "firefox-demo", extra: true, lane: "firefox", ...inBrowser("firefox", demo) },
    { name: "chromium", lane: "chromium", ...inBrowser("chromium", library) },
    { name: "chromium-demo", lane: "chromium", ...inBrowser("chromium", mainDemo) },
    { name: "chromium-long", extra: true, lane: "chromium", ...inBrowser("chromium", [...without(demo, mainDemo), ...long]) },
    {
      name: "proxy",
      extra: true,
      lane: "chromium",
      needs: ["build", "browsers", "litellm"],
      command: apart(filesIn("tests/proxy")),
      timeout: 600,
    },
    {
      name: "packaging",
      extra: true,
      lane: "chromium",
      needs: ["build", "browsers", "packaging-tools"],
      ...repeatable(filesIn("tests/packaging")),
      timeout: 1200,
    },
    { name: "kills", extra: true, lane: "kills", needs: ["build", "browsers"], command: apart(kills), timeout: 1800 },
    { name: "kills-of-tools", extra: true, lane: "kills", needs: ["build", "browsers"], command: apart(killsOfTools), timeout: 1800 },
    { name: "docs-site", extra: true, lane: "archive", needs: ["build"], command: [node, "scripts/docs.mjs"], timeout: 900 },
    { name: "archive-long", extra: true, lane: "archive", needs: ["build"], command: apart(longArchive), timeout: 1200 },
    { name: "size", lane: "node", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: 60 },
    { name: "types", lane: "node", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: 600 },
    {
      name: "tooling",
      lane: "node",
      needs: ["build"],
      command: apart(filesIn("tests", "tests/support", "tests/tooling", "tests/models", "tests/mistakes")),
      timeout: 600,
    },
    {
      name: "security",
      lane: "node",
      needs: ["build"],
      command: apart(
        filesIn("tests/security", "tests/host", "tests/thread", "tests/ai-sdk", "tests/context", "tests/workspace", "tests/tools"),
      ),
      timeout: 600,
    },
    { name: "archive", lane: "node", needs: ["build"], command: apart(without(archive, longArchive)), timeout: 600 },
    { name: "mcp", lane: "node", needs: ["build"], command: apart(without(mcp, mcpFromPython)), timeout: 900 },
    { name: "mcp-python", extra: true, lane: "node", needs: ["build", "python"], command: apart(mcpFromPython), timeout: 900 },
    { name: "secrets", lane: "node", needs: ["build"], command: apart(filesIn("tests/secrets")), timeout: 600 },
    { name: "docs", lane: "node", needs: ["build"], command: apart(filesIn("tests/docs")), timeout: 600 },
    {
      name: "lint",
      extra: true,
      lane: "cargo",
      needs: ["tools"],
      command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied],
      timeout: 1200,
    },
    { name: "lint-wasm", extra: true, lane: "cargo", needs: ["tools"], command: [...lintWasm, ...warningsDenied], timeout: 1200 },
    {
      name: "lint-testing",
      extra: true,
      lane: "cargo",
      needs: ["tools"],
      command: [...lintWasm, "--features", "testing", ...warningsDenied],
      timeout: 1200,
    },
  ];
  return steps.filter(({ extra }) => all || !extra);
}

const named = (files, names) => files.filter((file) => names.includes(path.basename(file)));
const without = (files, others) => files.filter((file) => !others.includes(file));

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
  const reporters = ["spec", "./scripts/testing/failed-files.mjs"];
  const flags = reporters.flatMap((reporter) => [`--test-reporter=${reporter}`, "--test-reporter-destination=stdout"]);
  return [node, ...flags, "scripts/testing/together.mjs", ...files];
}

/** So, and those that failed once more: see `repeatFailed` in schedule.mjs. */
function repeatable(files) {
  return { command: together(files), repeat: together };
}
