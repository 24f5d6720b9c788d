// The chunks of the wasm. This module is loaded with the first chunk, and each chunk when it is first used. They share the
// memory of the main wasm, and call functions through its table.
import { loader, type Wasm } from "./loader.js";

/** The file of a chunk, and the chunks that have to be loaded with it; the build has the same list in `scripts/wasms.mjs`. */
interface Chunk extends Pick<Wasm, "file"> {
  loadedWith?: string[];
}

const chunks: Record<string, Chunk> = {
  branches: { file: () => new URL("./threadkeep_branches_bg.wasm", import.meta.url) },
  chat: { file: () => new URL("./threadkeep_chat_bg.wasm", import.meta.url) },
  responses: { file: () => new URL("./threadkeep_responses_bg.wasm", import.meta.url) },
  anthropic: { file: () => new URL("./threadkeep_anthropic_bg.wasm", import.meta.url) },
  skills: { file: () => new URL("./threadkeep_skills_bg.wasm", import.meta.url) },
  text_tools: { file: () => new URL("./threadkeep_text_tools_bg.wasm", import.meta.url), loadedWith: ["chat"] },
  stores: { file: () => new URL("./threadkeep_stores_bg.wasm", import.meta.url) },
  archive: { file: () => new URL("./threadkeep_archive_bg.wasm", import.meta.url), loadedWith: ["stores"] },
  condensing: { file: () => new URL("./threadkeep_condensing_bg.wasm", import.meta.url) },
  messages: { file: () => new URL("./threadkeep_messages_bg.wasm", import.meta.url), loadedWith: ["archive", "stores", "chat"] },
  side_calls: { file: () => new URL("./threadkeep_side_calls_bg.wasm", import.meta.url) },
};

const loading: Record<string, () => Promise<void>> = {};

/** Loads a chunk, with the exports of the main wasm. After a failure the next call tries again. */
export async function loadChunk(name: string, main: object): Promise<void> {
  const { file, loadedWith = [] } = chunks[name]!;
  const fileName = `threadkeep_${name}_bg.wasm`;
  loading[name] ??= loader({
    name: fileName,
    advice: `serve ${fileName} beside the module`,
    file,
    instantiate: (module) => WebAssembly.instantiate(module, { __wasm_split: main as WebAssembly.ModuleImports }),
  });
  await Promise.all([loading[name](), ...loadedWith.map((other) => loadChunk(other, main))]);
}
