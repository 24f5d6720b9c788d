// The files into which the wasm is split: the main one, which every page downloads, and the chunks, which are loaded when
// they are needed. `src/bindings/chunks.rs` defines the content of a chunk.

/** `copy` is the module with a copy of the wasm, used if the file itself cannot be fetched. */
const wasm = (name, copy) => ({ name, file: `${name}_bg.wasm`, copy });

export const mainWasm = wasm("threadkeep", "wasm-inline.js");

/** By purpose. A chunk is loaded together with those in `loadedWith`, so that code that they share is in one file. */
export const chunks = {
  stores: wasm("threadkeep_stores", "wasm-stores-inline.js"),
  archive: { ...wasm("threadkeep_archive", "wasm-archive-inline.js"), loadedWith: ["stores"] },
  messages: { ...wasm("threadkeep_messages", "wasm-messages-inline.js"), loadedWith: ["archive", "stores", "chat"] },
  branches: wasm("threadkeep_branches", "wasm-branches-inline.js"),
  chat: wasm("threadkeep_chat", "wasm-chat-inline.js"),
  responses: wasm("threadkeep_responses", "wasm-responses-inline.js"),
  anthropic: wasm("threadkeep_anthropic", "wasm-anthropic-inline.js"),
  skills: wasm("threadkeep_skills", "wasm-skills-inline.js"),
  text_tools: { ...wasm("threadkeep_text_tools", "wasm-text-tools-inline.js"), loadedWith: ["chat"] },
  condensing: wasm("threadkeep_condensing", "wasm-condensing-inline.js"),
  side_calls: wasm("threadkeep_side_calls", "wasm-side-calls-inline.js"),
};

export const wasms = [mainWasm, ...Object.values(chunks)];
