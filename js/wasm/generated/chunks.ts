// Generated from scripts/wasms.mjs. Change it there, then run `THREADKEEP_WRITE=1 node --test tests/tooling/chunks.test.mjs`.

/** The file of each chunk, in the form in which Vite and webpack recognise and emit it, and the chunks that are loaded with it. */
export const chunks: Record<string, { file: () => URL; loadedWith: string[] }> = {
  stores: { file: () => new URL("./threadkeep_stores_bg.wasm", import.meta.url), loadedWith: [] },
  archive: { file: () => new URL("./threadkeep_archive_bg.wasm", import.meta.url), loadedWith: ["stores"] },
  messages: { file: () => new URL("./threadkeep_messages_bg.wasm", import.meta.url), loadedWith: ["archive", "stores", "chat", "requests"] },
  branches: { file: () => new URL("./threadkeep_branches_bg.wasm", import.meta.url), loadedWith: [] },
  requests: { file: () => new URL("./threadkeep_requests_bg.wasm", import.meta.url), loadedWith: [] },
  chat: { file: () => new URL("./threadkeep_chat_bg.wasm", import.meta.url), loadedWith: ["requests"] },
  responses: { file: () => new URL("./threadkeep_responses_bg.wasm", import.meta.url), loadedWith: ["requests"] },
  anthropic: { file: () => new URL("./threadkeep_anthropic_bg.wasm", import.meta.url), loadedWith: ["requests"] },
  skills: { file: () => new URL("./threadkeep_skills_bg.wasm", import.meta.url), loadedWith: [] },
  text_tools: { file: () => new URL("./threadkeep_text_tools_bg.wasm", import.meta.url), loadedWith: ["chat", "requests"] },
  condensing: { file: () => new URL("./threadkeep_condensing_bg.wasm", import.meta.url), loadedWith: [] },
  drafts: { file: () => new URL("./threadkeep_drafts_bg.wasm", import.meta.url), loadedWith: [] },
  side_calls: { file: () => new URL("./threadkeep_side_calls_bg.wasm", import.meta.url), loadedWith: [] },
  server: { file: () => new URL("./threadkeep_server_bg.wasm", import.meta.url), loadedWith: [] },
};
