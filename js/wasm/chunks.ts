// The chunks of the wasm, each loaded when it is first used. They share the memory of the main wasm, and call functions through its
// table.
import { chunks } from "./generated/chunks.js";
import { loader } from "./loader.js";

const loading: Record<string, () => Promise<void>> = {};

/** Loads a chunk, with the exports of the main wasm. After a failure the next call tries again. */
export async function loadChunk(name: string, main: object): Promise<void> {
  const { file, loadedWith } = chunks[name]!;
  const fileName = `threadkeep_${name}_bg.wasm`;
  loading[name] ??= loader({
    name: fileName,
    advice: `serve ${fileName} beside the module`,
    file,
    instantiate: (module) => WebAssembly.instantiate(module, { __wasm_split: main as WebAssembly.ModuleImports }),
  });
  await Promise.all([loading[name](), ...loadedWith.map((other) => loadChunk(other, main))]);
}
