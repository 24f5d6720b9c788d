// The files into which the wasm is split: the main one, which every page downloads, and the chunks, which are loaded when
// they are needed. The attribute `wasm_file` in `src` puts functions into them.

/** By name. A chunk is loaded together with those in its list, so that code that they share is in one file. */
const loadedWith = { run: [], agent: ["run"], formats: ["run"], server: [], plugins: [] };

/** `copy` is the module with a copy of the wasm, used if the file itself cannot be fetched. */
export const mainWasm = { name: "threadkeep", file: "threadkeep_bg.wasm", copy: "wasm-inline.js" };

export const chunks = Object.fromEntries(
  Object.entries(loadedWith).map(([chunk, loadedWith]) => {
    const name = `threadkeep_${chunk}`;
    return [chunk, { name, file: `${name}_bg.wasm`, copy: `wasm-${chunk}-inline.js`, loadedWith }];
  }),
);

export const wasms = [mainWasm, ...Object.values(chunks)];
