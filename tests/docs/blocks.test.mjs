// Every JavaScript and TypeScript block of the documentation, and the files of examples/ that were taken from it, compile against the
// package's types.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

/** Inside the repository, so that `threadkeep` means this package. */
const folder = path.join(root, ".cache/docs-blocks");

/** The blocks of a page, with the number of lines before each. */
function blocksOf(file) {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/^```(js|ts|jsx|tsx)\n(.*?)^```$/gms)].map(({ 1: language, 2: code, index }) => {
    return { language, code, linesBefore: text.slice(0, index).split("\n").length };
  });
}

test("all code blocks compile", () => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const pages = [
    "README.md",
    ...readdirSync(path.join(root, "docs"))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `docs/${name}`),
  ];
  const sources = new Map();
  for (const page of pages) {
    for (const [number, { language, code, linesBefore }] of blocksOf(page).entries()) {
      const name = `${path.basename(page, ".md")}.${number}.${language}`;
      // Empty lines, so that the compiler names the line of the page; the export makes it a module with its own names.
      writeFileSync(path.join(folder, name), `${"\n".repeat(linesBefore)}${code}export {};\n`);
      sources.set(name, { page, language });
    }
  }
  for (const folderOfExample of ["mirror-places", "own-store", "own-workspace", "page-models"]) {
    for (const file of readdirSync(path.join(root, "examples", folderOfExample))) {
      const page = `examples/${folderOfExample}/${file}`;
      writeFileSync(path.join(folder, `${folderOfExample}.${file}`), `${readFileSync(path.join(root, page), "utf8")}export {};\n`);
      sources.set(`${folderOfExample}.${file}`, { page, language: "js" });
    }
  }
  assert.ok(sources.size > 40, `${sources.size} blocks`);
  // Untyped fragments are checked as an editor checks JavaScript: names, properties and arguments, but not what may be null.
  const errors = Object.entries({ js: false, ts: true }).flatMap(([language, strict]) => {
    const files = [...sources].filter(([, source]) => source.language.startsWith(language)).map(([name]) => name);
    return files.length === 0 ? [] : compile(language, files, strict);
  });
  const named = errors.map((line) =>
    line.replace(/^(\S+?)\((\d+),\d+\)/, (place, name, number) => (sources.has(name) ? `${sources.get(name).page}:${number}` : place)),
  );
  assert.deepEqual(named, []);
});

/** The compiler's errors in these files, a line each. */
function compile(name, files, strict) {
  const configuration = {
    compilerOptions: {
      target: "es2022",
      module: "esnext",
      moduleResolution: "bundler",
      lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable", "esnext.disposable"],
      types: [],
      jsx: "react-jsx",
      allowJs: true,
      checkJs: true,
      strict,
      skipLibCheck: true,
      noEmit: true,
    },
    files: [...files, ...["names.d.ts", "modules.d.ts"].map((file) => path.join(root, "tests/docs", file))],
  };
  const project = path.join(folder, `${name}.json`);
  writeFileSync(project, JSON.stringify(configuration));
  const { stdout } = spawnSync(process.execPath, [path.join(root, "node_modules/typescript/bin/tsc"), "-p", project, "--pretty", "false"], {
    encoding: "utf8",
    cwd: folder,
  });
  return stdout.trim() === "" ? [] : stdout.trim().split("\n");
}
