// The steps of `npm test`. One that runs tests is named as their folder in tests/, with a suffix if it is a part or another browser.
// They are in lanes: the longest lanes first, so that none of them is left over at the end. What cargo compiles for this machine
// shares a lane, because it would wait for the lock on target/debug anyway. The wasm is compiled in another folder, and most of
// the time on one processor: native tests are compiled beside it. Steps with `extra` belong to `npm test -- --all`: other browsers,
// the real SDKs, other people's servers and bundlers, kills, and what takes minutes for one answer.
import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "../process.mjs";
import { sdkVersions } from "../../tests/interop/setup.mjs";
import { serverVersions } from "../../tests/server/setup.mjs";
import { elsewhere } from "./elsewhere.mjs";

const node = process.execPath;
const warningsDenied = ["--", "-D", "warnings"];
const ofTheWasm = ["--package=threadkeep", "--package=threadkeep-testing"];

/** Selects the newest version of the SDK: see tests/interop/setup.mjs. */
const newest = { THREADKEEP_SDK: sdkVersions.at(-1) };
/** And of its agent server: see tests/server/setup.mjs. */
const newestServer = { THREADKEEP_AGENT_SERVER: serverVersions.at(-1) };

/** Folders of tests that need more than Node and the library, and have rows of their own. */
const ownRows = ["browser", "demo", "interop", "kills", "packaging", "proxy", "server"];
/** A server library in Python. */
const mcpFromPython = ["tests/mcp/fastmcp.test.mjs"];
/** Files that belong to `npm test -- --all`, because a cheaper test shows the kind, too, or the chance of it is small. */
const onlyWithAll = {
  "minutes, or hundreds of megabytes, of what has a small form elsewhere": [
    "browser/agent/long-memory",
    "browser/formats/memory",
    "browser/store/directory",
    "browser/store/encrypted",
    "formats/memory",
  ],
  "chance, whose rules native tests have": ["browser/formats/devices"],
  "apps whose types each check compiles": [
    "browser/docs/failures",
    "browser/examples/ai-sdk-chat",
    "browser/examples/assistant-ui-chat",
    "browser/examples/react-chat",
    "browser/examples/worker-chat",
  ],
  "deaths of a browser and of a database, of which kills are the rest": ["browser/store/lost", "browser/store/stopped"],
};
const long = Object.values(onlyWithAll)
  .flat()
  .map((name) => `tests/${name}.test.mjs`);
/**
 * Tabs that do for some seconds whatever chance says: no seed plays it again, so it belongs to `npm run explore`. What it has found are tests of
 * their own: tests/conversation/two_writers.rs, take-overs.test.mjs and homes.test.mjs.
 */
export const explored = ["tests/browser/conversation/homes-chaos.test.mjs"];
/** The paths through the demo that everybody takes first: a conversation that survives, and settings. */
const mainDemo = ["demo", "settings"].map((name) => `tests/demo/${name}.test.mjs`);

/** The steps of `npm test`; with `all`, those of `npm test -- --all`, in which a step without `extra` may have more to do. */
export function testSteps({ quick = false, all = false } = {}) {
  const usual = (files) => (all ? files : without(files, long));
  const inBrowser = (kind, files, play = played) => ({
    needs: ["build", "install-browsers"],
    ...play(files, { atOnce: browsersAtOnce }),
    env: { THREADKEEP_BROWSER: kind },
    timeout: hang,
  });
  const inWebKit = { needs: ["build", "install-webkit"], env: { THREADKEEP_BROWSER: "webkit" }, timeout: hang };
  const build = [node, "scripts/build.mjs", "--testing", ...(quick ? ["--quick"] : [])];
  const installPython = (name, file, env = {}) => ({
    name,
    extra: true,
    command: [node, "scripts/testing/python.mjs", file],
    env,
    timeout: hang,
  });
  const steps = [
    { name: "install-browsers", command: [node, "scripts/browsers.mjs", ...(all ? [] : ["shell"])], timeout: hang },
    {
      name: "install-webkit",
      extra: true,
      optional: true,
      needs: ["install-browsers"],
      command: [node, "scripts/webkit.mjs"],
      timeout: hang,
    },
    installPython("python", "tests/interop/setup.mjs"),
    installPython("python-newest", "tests/interop/setup.mjs", newest),
    installPython("litellm", "tests/proxy/setup.mjs"),
    installPython("server-python", "tests/server/setup.mjs"),
    installPython("server-python-newest", "tests/server/setup.mjs", newestServer),
    { name: "packaging-tools", extra: true, command: [node, "tests/packaging/tools.mjs"], timeout: hang },
    { name: "format", lane: "cargo", command: ["cargo", "fmt", "--all", "--check"], timeout: hang },
    {
      name: "biome",
      lane: "node",
      needs: ["build-tools"],
      command: [node, "node_modules/@biomejs/biome/bin/biome", "ci", "--colors=off", "."],
      timeout: hang,
    },
    { name: "build-tools", lane: "cargo", command: [node, "scripts/build.mjs", "--tools"], timeout: hang },
    { name: "build", lane: "build", needs: ["build-tools"], command: build, timeout: hang },
    { name: "native", lane: "cargo", needs: ["build-tools"], command: ["cargo", "test", "--locked"], timeout: hang },
    {
      name: "server",
      extra: true,
      // After the native tests: the servers have ten seconds for each answer, also on a machine with other work.
      lane: "cargo",
      needs: ["build", "install-browsers", "server-python", "server-python-newest"],
      ...played(filesIn("server")),
      env: { THREADKEEP_BROWSER: "chromium" },
      timeout: hang,
    },
    {
      name: "played-newest",
      extra: true,
      lane: "interop",
      needs: ["build", "python-newest"],
      command: [node, "tests/interop/conversations.mjs"],
      env: newest,
      timeout: hang,
    },
    {
      name: "interop-newest",
      extra: true,
      lane: "interop",
      needs: ["played-newest", "install-browsers"],
      ...playedTogether(filesIn("interop")),
      env: { ...newest, THREADKEEP_BROWSER: "chromium" },
      timeout: hang,
    },
    {
      name: "interop",
      extra: true,
      lane: "interop",
      needs: ["build", "python", "install-browsers"],
      ...playedTogether(elsewhere.olderSdk),
      env: { THREADKEEP_BROWSER: "chromium" },
      timeout: hang,
    },
    { name: "browser", lane: "chromium", ...inBrowser("chromium", usual(without(filesIn("browser"), explored)), playedInPages) },
    { name: "demo", lane: "chromium", ...inBrowser("chromium", all ? filesIn("demo") : mainDemo) },
    { name: "browser-firefox", extra: true, lane: "firefox", ...inBrowser("firefox", elsewhere.firefox.browser, playedInPages) },
    { name: "demo-firefox", extra: true, lane: "firefox", ...inBrowser("firefox", elsewhere.firefox.demo) },
    { name: "browser-webkit", extra: true, lane: "webkit", ...inWebKit, ...played(elsewhere.webkit.browser) },
    { name: "kills-webkit", extra: true, lane: "webkit", ...inWebKit, ...played(elsewhere.webkit.kills) },
    { name: "kills", extra: true, lane: "kills", ...inBrowser("chromium", filesIn("kills")) },
    { name: "kills-firefox", extra: true, lane: "firefox", ...inBrowser("firefox", elsewhere.firefox.kills) },
    {
      name: "proxy",
      extra: true,
      lane: "chromium",
      needs: ["build", "install-browsers", "litellm"],
      ...played(filesIn("proxy")),
      timeout: hang,
    },
    {
      name: "packaging",
      extra: true,
      lane: "packaging",
      needs: ["build", "install-browsers", "packaging-tools"],
      ...played(filesIn("packaging")),
      env: { THREADKEEP_BROWSER: "chromium" },
      timeout: hang,
    },
    { name: "docs-site", extra: true, lane: "packaging", needs: ["build"], command: [node, "scripts/docs.mjs"], timeout: hang },
    { name: "size", lane: "node", needs: ["build"], command: [node, "scripts/sizes.mjs"], timeout: hang },
    { name: "types", lane: "node", needs: ["build"], command: [node, "scripts/testing/types.mjs"], timeout: hang },
    ...foldersForNode().map((folder) => ({
      name: folder,
      lane: "node",
      needs: ["build"],
      ...played(usual(without(filesIn(folder), mcpFromPython)), { atOnce: 3 }),
      timeout: hang,
    })),
    { name: "mcp-python", extra: true, lane: "node", needs: ["build", "python"], ...played(mcpFromPython), timeout: hang },
    {
      name: "lint",
      extra: true,
      lane: "cargo",
      needs: ["build-tools"],
      command: ["cargo", "clippy", "--locked", "--all-targets", "--package=threadkeep", "--package=wasm-tool", ...warningsDenied],
      timeout: hang,
    },
    {
      name: "lint-wasm",
      extra: true,
      lane: "cargo",
      needs: ["build-tools"],
      command: ["cargo", "clippy", "--locked", "--lib", "--target=wasm32-unknown-unknown", ...ofTheWasm, ...warningsDenied],
      timeout: hang,
    },
  ];
  const wanted = steps.filter(({ extra }) => all || !extra);
  const more = { THREADKEEP_ALL: "1", PROPTEST_CASES: "500" };
  return all ? wanted.map((step) => ({ ...step, env: { ...step.env, ...more } })) : wanted;
}

/** Seconds after which nothing is expected any more, also on a machine with other work. */
const hang = 1800;
/** Browsers that run at once; the machine is waiting for pages much of the time. */
const browsersAtOnce = 3;

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

const reporter = "--test-reporter=./scripts/testing/reporter.mjs";
/** A file that is not over after 20 minutes hangs. */
const longestFile = "--test-timeout=1200000";

/** Each test file in a process of its own, so many at once; and how those that may be repeated are. */
function played(files, { atOnce = 2 } = {}) {
  const command = (files) => [node, "--test", reporter, longestFile, `--test-concurrency=${atOnce}`, ...files];
  return { command: command(files), again: command };
}

/** A few processes at once, each of which plays its files in one browser, whose start costs seconds. */
function playedInPages(files, { atOnce }) {
  const command = (files) => [node, "scripts/testing/beside.mjs", String(atOnce), ...files];
  return { command: command(files), again: command };
}

/** All test files in one process, which share one Python: it starts slowly. */
function playedTogether(files) {
  const command = (files) => [node, reporter, "scripts/testing/together.mjs", ...files];
  return { command: command(files), again: command };
}
