// The steps of `npm test`. One that runs tests is named as their folder in tests/, with a suffix if it is a part or another browser.
// They are in lanes: the longest lanes first, so that none of them is left over at the end. What cargo compiles for this machine
// shares a lane, because it would wait for the lock on target/debug anyway. The wasm is compiled in another folder, and most of
// the time on one processor: native tests are compiled beside it. In CI a step with `repeat`, which no other needs, is performed
// once more at the end if it fails, with the files that failed. Steps with `extra` belong to `npm test -- --all`: other browsers,
// the real SDKs, other people's servers and bundlers, kills, and what takes minutes for one answer.
import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../process.mjs";
import { sdkVersions } from "../../tests/interop/setup.mjs";
import { serverVersions } from "../../tests/server/setup.mjs";
import { webKitTests } from "../webkit.mjs";

const node = process.execPath;
const warningsDenied = ["--", "-D", "warnings"];
const lintWasm = ["cargo", "clippy", "--locked", "--lib", "--target", "wasm32-unknown-unknown"];
/** A failure must come from the change, not from new random commands: those run in `cargo test`. */
const fixedSeed = { PROPTEST_RNG_SEED: "20261121" };

/** Selects the newest version of the SDK: see tests/interop/setup.mjs. */
const newest = { THREADKEEP_SDK: sdkVersions.at(-1) };
/** And of its agent server: see tests/server/setup.mjs. */
const newestServer = { THREADKEEP_AGENT_SERVER: serverVersions.at(-1) };

/** Folders of tests that need more than Node and the library, and have rows of their own. */
const ownRows = ["browser", "demo", "interop", "kills", "packaging", "proxy", "server"];
/** Pages that take over a minute, for one promise each. */
const longPages = ["agent/long-memory", "store/directory", "store/encrypted"].map((name) => `tests/browser/${name}.test.mjs`);
/** Tests of archives that import hundreds of megabytes, or hundreds of archives. */
const longArchives = ["tests/formats/memory.test.mjs", "tests/formats/mutations.test.mjs"];
/** A server library in Python. */
const mcpFromPython = ["tests/mcp/fastmcp.test.mjs"];
/** The paths through the demo that everybody takes: a conversation that survives, approvals, branches, files, settings. */
const mainDemo = ["demo", "control", "branches", "files", "settings"].map((name) => `tests/demo/${name}.test.mjs`);

/** The steps of `npm test`; with `all`, those of `npm test -- --all`, in which a step without `extra` may have more to do. */
export function testSteps({ quick = false, all = false } = {}) {
  const interop = filesIn("interop");
  const pages = without(filesIn("browser"), longPages);
  const demo = filesIn("demo");
  const kills = ["tests/kills/kills.test.mjs"];
  const inBrowser = (kind, files) => ({
    needs: ["build", "install-browsers"],
    ...repeatable(files),
    env: { THREADKEEP_BROWSER: kind },
    // On a loaded machine with two cores it takes half an hour.
    timeout: 3000,
  });
  const inWebKit = { needs: ["build", "install-webkit"], env: { THREADKEEP_BROWSER: "webkit" }, timeout: 1800 };
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  const steps = [
    { name: "install-browsers", command: [node, "scripts/browsers.mjs", ...(all ? [] : ["chromium"])], timeout: 1200 },
    {
      name: "install-webkit",
      extra: true,
      optional: true,
      needs: ["install-browsers"],
      command: [node, "scripts/webkit.mjs"],
      timeout: 900,
    },
    { name: "python", extra: true, command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"], timeout: 1500 },
    {
      name: "python-newest",
      extra: true,
      command: [node, "scripts/testing/python.mjs", "tests/interop/setup.mjs"],
      env: newest,
      timeout: 1500,
    },
    { name: "litellm", extra: true, command: [node, "scripts/testing/python.mjs", "tests/proxy/setup.mjs"], timeout: 1800 },
    { name: "server-python", extra: true, command: [node, "scripts/testing/python.mjs", "tests/server/setup.mjs"], timeout: 1500 },
    {
      name: "server-python-newest",
      extra: true,
      command: [node, "scripts/testing/python.mjs", "tests/server/setup.mjs"],
      env: newestServer,
      timeout: 1500,
    },
    { name: "packaging-tools", extra: true, command: [node, "tests/packaging/tools.mjs"], timeout: 1200 },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--check"], timeout: 60 },
    {
      name: "biome",
      lane: "node",
      needs: ["build-tools"],
      command: [node, "node_modules/@biomejs/biome/bin/biome", "ci", "--colors=off", "."],
      timeout: 60,
    },
    { name: "build-tools", lane: "cargo", command: [node, "scripts/build.mjs", "--tools"], timeout: 1200 },
    { name: "build", lane: "build", needs: ["build-tools"], command: build, timeout: 1800 },
    {
      name: "native",
      lane: "cargo",
      needs: ["build-tools"],
      command: ["cargo", "test", "--locked"],
      env: { THREADKEEP_SCRIPTS: "4000", ...fixedSeed },
      timeout: 1800,
    },
    {
      name: "interop",
      extra: true,
      lane: "interop",
      needs: ["build", "python", "install-browsers"],
      ...repeatable(interop),
      timeout: 1800,
    },
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
      ...repeatable(interop),
      env: newest,
      timeout: 1800,
    },
    {
      name: "server",
      extra: true,
      lane: "interop",
      needs: ["build", "install-browsers", "server-python", "server-python-newest"],
      ...repeatable(filesIn("server")),
      // On a loaded machine with two cores; alone it takes twenty minutes.
      timeout: 4500,
    },
    { name: "browser-firefox", extra: true, lane: "firefox", ...inBrowser("firefox", [...pages, ...longPages]) },
    { name: "demo-firefox", extra: true, lane: "firefox", ...inBrowser("firefox", demo) },
    { name: "browser-webkit", extra: true, lane: "webkit", ...inWebKit, ...repeatable(webKitTests.browser) },
    { name: "kills-webkit", extra: true, lane: "webkit", ...inWebKit, command: apart(webKitTests.kills) },
    { name: "browser", lane: "chromium", ...inBrowser("chromium", pages) },
    { name: "demo", lane: "chromium", ...inBrowser("chromium", mainDemo) },
    { name: "demo-long", extra: true, lane: "chromium", ...inBrowser("chromium", without(demo, mainDemo)) },
    { name: "browser-long", extra: true, lane: "chromium", ...inBrowser("chromium", longPages) },
    {
      name: "proxy",
      extra: true,
      lane: "chromium",
      needs: ["build", "install-browsers", "litellm"],
      command: apart(filesIn("proxy")),
      timeout: 600,
    },
    {
      name: "packaging",
      extra: true,
      lane: "chromium",
      needs: ["build", "install-browsers", "packaging-tools"],
      ...repeatable(filesIn("packaging")),
      timeout: 1200,
    },
    { name: "kills", extra: true, lane: "kills", needs: ["build", "install-browsers"], command: apart(kills), timeout: 1800 },
    {
      name: "kills-of-tools",
      extra: true,
      lane: "kills",
      needs: ["build", "install-browsers"],
      command: apart(without(filesIn("kills"), kills)),
      timeout: 1800,
    },
    { name: "docs-site", extra: true, lane: "long", needs: ["build"], command: [node, "scripts/docs.mjs"], timeout: 900 },
    { name: "formats-long", extra: true, lane: "long", needs: ["build"], command: apart(longArchives), timeout: 1200 },
    { name: "size", lane: "node", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: 60 },
    { name: "types", lane: "node", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: 600 },
    ...foldersForNode().map((folder) => ({
      name: folder,
      lane: "node",
      needs: ["build"],
      command: apart(without(filesIn(folder), [...longArchives, ...mcpFromPython])),
      timeout: 900,
    })),
    { name: "mcp-python", extra: true, lane: "node", needs: ["build", "python"], command: apart(mcpFromPython), timeout: 900 },
    {
      name: "lint",
      extra: true,
      lane: "cargo",
      needs: ["build-tools"],
      command: ["cargo", "clippy", "--locked", "--all-targets", ...warningsDenied],
      timeout: 1200,
    },
    { name: "lint-wasm", extra: true, lane: "cargo", needs: ["build-tools"], command: [...lintWasm, ...warningsDenied], timeout: 1200 },
    {
      name: "lint-testing",
      extra: true,
      lane: "cargo",
      needs: ["build-tools"],
      command: [...lintWasm, "--features", "testing", ...warningsDenied],
      timeout: 1200,
    },
  ];
  return steps.filter(({ extra }) => all || !extra);
}

const without = (files, others) => files.filter((file) => !others.includes(file));

/** The folders of tests/ with tests that run in Node alone. */
function foldersForNode() {
  const folders = readdirSync(path.join(root, "tests")).filter((name) => !name.includes(".") && !ownRows.includes(name));
  return folders.filter((folder) => filesIn(folder).length > 0).sort();
}

/** The test files below this folder of tests/. */
function filesIn(folder) {
  const names = readdirSync(path.join(root, "tests", folder), { recursive: true });
  const files = names.map((name) => `tests/${folder}/${name.split(path.sep).join("/")}`);
  return files.filter((file) => file.endsWith(".test.mjs") && !file.includes("/node_modules/")).sort();
}

const reporters = ["spec", "./scripts/testing/failures.mjs"].flatMap((reporter) => [
  `--test-reporter=${reporter}`,
  "--test-reporter-destination=stdout",
]);

/** Runs each test file in a process of its own, two at a time. */
function apart(files) {
  return [node, "--test", ...reporters, "--test-concurrency=2", ...files];
}

/** Runs all test files in one process. */
function together(files) {
  return [node, ...reporters, "scripts/testing/together.mjs", ...files];
}

/** So, and those that failed once more: see `repeatFailed` in schedule.mjs. */
function repeatable(files) {
  return { command: together(files), repeat: together };
}
