// `npm run one FILE`: builds what is stale, and runs one file of tests in seconds. Further arguments go to its runner:
//   npm run one tests/tools/tools.test.mjs -- --test-name-pattern=undo
//   npm run one tests/conversation/tree.rs
// THREADKEEP_BROWSER=chromium chooses one browser for a file that uses several.
import { existsSync } from "node:fs";
import path from "node:path";
import { buildForTests } from "./build.mjs";
import { Stop, isProgram, main, root, run } from "./process.mjs";
import { ensureRust, requireNode } from "./toolchain.mjs";

/** How to run a file of tests: { needsBuild, command }; `undefined` if it is not one. `more` are arguments for its runner. */
export function runnerOf(file, more = []) {
  const relative = path.relative(root, path.resolve(root, file)).split(path.sep).join("/");
  if (relative.endsWith(".test.mjs"))
    return { needsBuild: true, command: [process.execPath, "--test", "--test-reporter=spec", ...more, relative] };
  const [, top, module] = /^tests\/(\w+)(?:\/(.+))?\.rs$/.exec(relative) ?? [];
  if (!top) return undefined;
  // The modules of a crate of tests are the files beside its main.rs; its other tests are filtered out by the module's path.
  const modules = module?.split("/").filter((name) => !["main", "mod"].includes(name)) ?? [];
  const filter = modules.length > 0 ? [`${modules.join("::")}::`] : [];
  return { needsBuild: false, command: ["cargo", "test", "--locked", "--test", top, "--", ...filter, ...more] };
}

if (isProgram(import.meta.url)) {
  await main(async () => {
    const [file, ...more] = process.argv.slice(2);
    if (file === undefined) throw new Stop("name a file of tests: npm run one tests/tools/tools.test.mjs");
    const runner = existsSync(path.resolve(root, file)) ? runnerOf(file, more) : undefined;
    if (!runner) throw new Stop(`${file} is no file of tests: name a *.test.mjs or a file of Rust below tests/`);
    requireNode();
    if (runner.needsBuild) await buildForTests();
    else await ensureRust();
    const [program, ...args] = runner.command;
    await run(program, args);
  });
}
