// The chunks of the wasm. This module is loaded with the first chunk, and each chunk when it is first used. They share the
// memory of the main wasm, and call functions through its table.
import { type Wasm, loader } from "./wasm.js";

/** The file of a chunk, and the chunk that has to be loaded with it; the build has the same list in `scripts/wasms.mjs`. */
interface Chunk extends Pick<Wasm, "file" | "copy"> {
  loadedWith?: string[];
}

const chunks: Record<string, Chunk> = {
  branches: { file: () => new URL("./threadkeep_branches_bg.wasm", import.meta.url), copy: () => import("./wasm-branches-inline.js") },
  chat: { file: () => new URL("./threadkeep_chat_bg.wasm", import.meta.url), copy: () => import("./wasm-chat-inline.js") },
  responses: { file: () => new URL("./threadkeep_responses_bg.wasm", import.meta.url), copy: () => import("./wasm-responses-inline.js") },
  anthropic: { file: () => new URL("./threadkeep_anthropic_bg.wasm", import.meta.url), copy: () => import("./wasm-anthropic-inline.js") },
  skills: { file: () => new URL("./threadkeep_skills_bg.wasm", import.meta.url), copy: () => import("./wasm-skills-inline.js") },
  text_tools: { file: () => new URL("./threadkeep_text_tools_bg.wasm", import.meta.url), copy: () => import("./wasm-text-tools-inline.js"), loadedWith: ["chat"] },
  stores: { file: () => new URL("./threadkeep_stores_bg.wasm", import.meta.url), copy: () => import("./wasm-stores-inline.js") },
  archive: { file: () => new URL("./threadkeep_archive_bg.wasm", import.meta.url), copy: () => import("./wasm-archive-inline.js"), loadedWith: ["stores"] },
  condensing: { file: () => new URL("./threadkeep_condensing_bg.wasm", import.meta.url), copy: () => import("./wasm-condensing-inline.js") },
  messages: { file: () => new URL("./threadkeep_messages_bg.wasm", import.meta.url), copy: () => import("./wasm-messages-inline.js"), loadedWith: ["archive", "stores", "chat"] },
  side_calls: { file: () => new URL("./threadkeep_side_calls_bg.wasm", import.meta.url), copy: () => import("./wasm-side-calls-inline.js") },
};

const loading: Record<string, () => Promise<void>> = {};

/** Loads a chunk, with the exports of the main wasm. After a failure the next call tries again. */
export async function loadChunk(name: string, main: object): Promise<void> {
  const { file, copy, loadedWith = [] } = chunks[name]!;
  loading[name] ??= loader({
    advice: `serve threadkeep_${name}_bg.wasm beside the module`,
    file,
    copy,
    instantiate: (module) => WebAssembly.instantiate(module, { __wasm_split: main as WebAssembly.ModuleImports }),
  });
  await Promise.all([loading[name](), ...loadedWith.map((other) => loadChunk(other, main))]);
}
