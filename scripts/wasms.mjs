// The wasm files that are made of the one crate, each with the cargo features that it has: the first is what every page
// downloads, the others are loaded when they are needed.

const onlyWith = (feature) => ["--no-default-features", "--features", feature];

/** `copy` is the module that carries the wasm once more, for where the file itself cannot be fetched. */
const wasm = (name, features, copy) => ({ name, file: `${name}_bg.wasm`, features, copy });

export const mainWasm = wasm("threadkeep", [], "wasm-inline.js");

/** By what they are for. */
export const lazyWasms = {
  archive: wasm("threadkeep_archive", onlyWith("archive"), "wasm-archive-inline.js"),
  messages: wasm("threadkeep_messages", onlyWith("messages"), "wasm-messages-inline.js"),
  responses: wasm("threadkeep_responses", onlyWith("responses"), "wasm-responses-inline.js"),
  anthropic: wasm("threadkeep_anthropic", onlyWith("anthropic"), "wasm-anthropic-inline.js"),
  text_tools: wasm("threadkeep_text_tools", onlyWith("text_tools"), "wasm-text-tools-inline.js"),
};

export const wasms = [mainWasm, ...Object.values(lazyWasms)];
