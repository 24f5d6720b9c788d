// The chunks of the wasm are listed in scripts/wasms.mjs. A bundler needs their URLs and the imports of their copies spelled out:
// these two modules are generated from the list. The attribute `wasm_file` puts functions into them.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { chunks, wasms } from "../../scripts/wasms.mjs";

const text = (file) => readFileSync(path.join(root, file), "utf8");

const command = "THREADKEEP_WRITE=1 node --test tests/tooling/chunks.test.mjs";
const begin = `// Generated from scripts/wasms.mjs. Change it there, then run \`${command}\`.\n\n`;
const generated = {
  "js/wasm/generated/chunks.ts": [
    "/** The file of each chunk, in the form in which Vite and webpack recognise and emit it, and the chunks that are loaded with it. */",
    "export const chunks: Record<string, { file: () => URL; loadedWith: string[] }> = {",
    ...Object.entries(chunks).map(([name, { file, loadedWith }]) => {
      const others = loadedWith.map((other) => `"${other}"`).join(", ");
      return `  ${name}: { file: () => new URL("./${file}", import.meta.url), loadedWith: [${others}] },`;
    }),
    "};",
  ],
  "js/entries/generated/copies.ts": [
    "/** The modules with copies of the wasm, by the names of the files. */",
    "export const copies = {",
    ...wasms.map(({ file, copy }) => `  "${file}": () => import("./${copy}"),`),
    "};",
  ],
};

for (const [file, lines] of Object.entries(generated)) {
  test(`${file} has the chunks of scripts/wasms.mjs`, () => {
    const expected = `${begin}${lines.join("\n")}\n`;
    if (process.env.THREADKEEP_WRITE) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), expected);
    }
    assert.equal(text(file), expected, `out of date: run ${command}`);
  });
}

test("the core has the content of every chunk", () => {
  const sources = readdirSync(path.join(root, "src"), { recursive: true }).filter((file) => file.endsWith(".rs"));
  const names = sources.flatMap((file) => [...text(`src/${file}`).matchAll(/^#\[wasm_file\((\w+)\)\]$/gm)].map(([, name]) => name));
  assert.deepEqual([...new Set(names)].sort(), Object.keys(chunks).sort());
});
