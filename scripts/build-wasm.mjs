// Compiles a wasm and splits it. In a file of its own, because a change of a script that the compilation uses repeats it.
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fingerprint, isFresh, unlessFresh } from "./freshness.mjs";
import { output, root, run } from "./process.mjs";
import { customSection, declaration, shorten } from "./shorten.mjs";
import { chunks, mainWasm } from "./wasms.mjs";

/** The library: only this build makes a wasm of it, so that Cargo optimizes across crates, and tests do not link one. */
export const library = {
  name: mainWasm.name,
  sources: ["src"],
  cargo: ["rustc", "--lib", "--crate-type", "cdylib"],
  chunks,
};

/** What tests and `threadkeep/testing` need beyond it (tests/kit). */
export const kit = {
  name: "threadkeep_testing",
  sources: ["src", "tests/kit"],
  cargo: ["build", "--package", "threadkeep-testing"],
  chunks: {},
};

/**
 * Sources -> pkg/: the main wasm, its JavaScript glue and the glue's types, each called `name`, and the chunks. Skipped if nothing
 * changed since a build with one of the `profiles`; otherwise compiled with the last of them. `tool()` promises the path of the tool
 * for wasm files, which is built beside the wasm.
 */
export async function buildWasm({ name, sources, cargo, chunks: wanted }, { targetDirectory, tool, profiles }) {
  const flags = compilerFlags();
  const commands = profiles.map((profile) => [
    ...cargo,
    "--locked",
    "--quiet",
    "--profile",
    profile,
    "--target",
    "wasm32-unknown-unknown",
    ...flags,
  ]);
  const rustc = output("rustc", ["--version"]);
  const scripts = ["scripts/build-wasm.mjs", "scripts/shorten.mjs", "scripts/wasms.mjs"];
  const inputs = [...sources, "Cargo.toml", "Cargo.lock", "tools/wasm", "tools/wasm-file", ...scripts];
  const prints = commands.map((command) => fingerprint([...inputs, { text: [...command, rustc].join(" ") }]));
  const outputs = [`pkg/${name}_bg.wasm`, `pkg/${name}.js`, ...Object.values(wanted).map(({ file }) => `pkg/${file}`)];
  const fresh = prints.find((print) => isFresh(`wasm ${name}`, print, outputs));
  const [profile, command] = [profiles.at(-1), commands.at(-1)];
  const made = await unlessFresh(`wasm ${name}`, fresh ?? prints.at(-1), outputs, async () => {
    console.log(`compiling ${name} (profile ${profile})`);
    const [program] = await Promise.all([tool(), run("cargo", command)]);
    const compiled = path.join(targetDirectory, "wasm32-unknown-unknown", profile, `${name}.wasm`);
    const cut = path.join(root, ".cache/cut", name);
    rmSync(cut, { recursive: true, force: true });
    mkdirSync(cut, { recursive: true });
    const names = Object.entries(wanted).map(([chunk, { loadedWith }]) => [chunk, ...loadedWith].join("+"));
    await run(program, ["split", compiled, cut, ...names]);
    await run(program, ["bind", path.join(cut, "main.wasm"), "pkg", name]);
    const [wasm, glue] = [`pkg/${name}_bg.wasm`, `pkg/${name}.js`];
    const short = shorten(readFileSync(wasm), readFileSync(glue, "utf8"));
    writeFileSync(wasm, short.wasm);
    const files = [wasm];
    for (const [chunk, { file }] of Object.entries(wanted)) {
      copyFileSync(path.join(cut, `${chunk}.wasm`), `pkg/${file}`);
      files.push(`pkg/${file}`);
    }
    await run(program, ["pack", ...files]);
    // All files of a build carry the same mark; the loader refuses files with another one.
    const build = fingerprint([...files, { text: short.glue }]).slice(0, 12);
    for (const file of files) appendFileSync(file, customSection("build", build));
    writeFileSync(glue, `${short.glue}export const build = "${build}";\n`);
    appendFileSync(`pkg/${name}.d.ts`, `${declaration}export const build: string;\n`);
  });
  if (!made) console.log(`pkg/${name}_bg.wasm is fresh`);
}

/**
 * Panic messages contain the paths of source files; the paths of dependencies in the home directory, and of the standard
 * library if its source is installed, are replaced, so that every machine builds the same file. SHA-256 is not unrolled:
 * only a few names are hashed, and this saves eight kilobytes.
 */
function compilerFlags() {
  const registry = path.join(process.env.CARGO_HOME || path.join(homedir(), ".cargo"), "registry/src");
  const library = path.join(output("rustc", ["--print", "sysroot"]), "lib/rustlib/src/rust");
  const commit = /^commit-hash: (.+)$/m.exec(output("rustc", ["-vV"]))?.[1];
  const flags = [
    `--remap-path-prefix=${registry}=crates`,
    `--remap-path-prefix=${library}=/rustc/${commit}`,
    '--cfg=sha2_backend="soft"',
    '--cfg=sha2_backend_soft="compact"',
    // The tool needs these to tell functions and data apart; they are removed from the download.
    "-Clink-arg=--emit-relocs",
  ];
  return ["--config", `target.wasm32-unknown-unknown.rustflags=${JSON.stringify(flags)}`];
}
