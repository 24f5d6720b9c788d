// The library's own wasm below its TypeScript: the glue code that is part of its modules, and the files that a page downloads.
import { CoreStore, instantiate, loadChunksWith } from "/pkg/threadkeep.js";

export * from "/pkg/threadkeep.js";

const compiled = (file) => WebAssembly.compileStreaming(fetch(`/threadkeep/${file}`));
const main = await instantiate(await compiled("threadkeep_bg.wasm"));
const chunks = {};

const chunk = (name) =>
  (chunks[name] ??= compiled(`threadkeep_${name}_bg.wasm`).then((module) => WebAssembly.instantiate(module, { __wasm_split: main })));

// What another chunk shares with `run` is in the file of `run` alone.
loadChunksWith((name) => Promise.all([chunk(name), chunk("run")]));

// As the stores of `js/store/types.ts` have it.
CoreStore.prototype.spansConversations = true;
