// Shortened, a wasm and its glue do what they did.
import assert from "node:assert/strict";
import { test } from "node:test";
import { customSection, shorten } from "../../scripts/shorten.mjs";

const text = (string) => [string.length, ...Buffer.from(string)];
const section = (id, bytes) => [id, bytes.length, ...bytes];
const imported = (name, ...type) => [...text("./x_bg.js"), ...text(name), ...type];
const names = {
  call: "__wbg_call_0123456789abcdef",
  table: "__wbg_table_1",
  memory: "__wbg_memory_2",
  count: "__wbg_count_3",
  run: "library_run",
  unused: "library_unused",
};

/** Imports of every kind; the function that it imports is what it exports. */
const wasm = Buffer.from([
  0x00,
  0x61,
  0x73,
  0x6d,
  1,
  0,
  0,
  0,
  ...section(0, [...text("name"), 1, 2, 3]),
  ...section(1, [1, 0x60, 0, 0]),
  ...section(2, [
    4,
    ...imported(names.call, 0, 0),
    ...imported(names.table, 1, 0x70, 0, 1),
    ...imported(names.memory, 2, 1, 1, 2),
    ...imported(names.count, 3, 0x7f, 0),
  ]),
  ...section(7, [3, ...text(names.run), 0, 0, ...text(names.unused), 0, 0, ...text("memory"), 2, 0]),
]);

const glue = `
let wasm;
let calls = 0;
export function run() {
    wasm.${names.run}();
    return calls;
}
function __wbg_get_imports() {
    const import0 = {
        __proto__: null,
        ${names.call}: function() { calls++; },
        ${names.table}: new WebAssembly.Table({ element: "anyfunc", initial: 1 }),
        ${names.memory}: new WebAssembly.Memory({ initial: 1, maximum: 2 }),
        ${names.count}: 7,
    };
    return { __proto__: null, "./x_bg.js": import0 };
}
function __wbg_finalize_init(instance) {
    return wasm = instance.exports;
}
`;

test("a shortened wasm comes up with its glue, and calls go both ways", async () => {
  const short = shorten(wasm, glue);
  const library = await import(`data:text/javascript,${encodeURIComponent(short.glue)}`);
  const exports = await library.instantiate(await WebAssembly.compile(short.wasm));
  assert.equal(library.run(), 1);
  assert.deepEqual(Object.keys(exports), ["_5", names.unused, "memory"]);
  for (const name of [names.call, names.table, names.memory, names.count, names.run, "x_bg"]) {
    assert(!short.wasm.includes(name) && !short.glue.includes(name), name);
  }
  assert.equal(WebAssembly.Module.customSections(new WebAssembly.Module(short.wasm), "name").length, 0);
});

test("an import that the glue does not give, or gives twice, is an error of the build", () => {
  assert.throws(
    () => shorten(wasm, glue.replace(names.count, "other")),
    /does not give the import __wbg_count_3 of .\/x_bg.js in one place/,
  );
  assert.throws(() => shorten(wasm, glue.replace("7,", `7,\n        ${names.count}: 8,`)), /__wbg_count_3/);
});

test("a wasm with an appended build mark still compiles, and the mark can be read", () => {
  const module = new WebAssembly.Module(Buffer.concat([wasm, customSection("build", "abc123")]));
  assert.deepEqual(
    WebAssembly.Module.exports(module).map(({ name }) => name),
    [names.run, names.unused, "memory"],
  );
  const [mark] = WebAssembly.Module.customSections(module, "build");
  assert.equal(Buffer.from(mark).toString(), "abc123");
});
