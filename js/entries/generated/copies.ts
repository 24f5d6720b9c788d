// Generated from scripts/wasms.mjs. Change it there, then run `THREADKEEP_WRITE=1 node --test tests/tooling/chunks.test.mjs`.

/** The modules with copies of the wasm, by the names of the files. */
export const copies = {
  "threadkeep_bg.wasm": () => import("./wasm-inline.js"),
  "threadkeep_stores_bg.wasm": () => import("./wasm-stores-inline.js"),
  "threadkeep_archive_bg.wasm": () => import("./wasm-archive-inline.js"),
  "threadkeep_messages_bg.wasm": () => import("./wasm-messages-inline.js"),
  "threadkeep_branches_bg.wasm": () => import("./wasm-branches-inline.js"),
  "threadkeep_requests_bg.wasm": () => import("./wasm-requests-inline.js"),
  "threadkeep_chat_bg.wasm": () => import("./wasm-chat-inline.js"),
  "threadkeep_responses_bg.wasm": () => import("./wasm-responses-inline.js"),
  "threadkeep_anthropic_bg.wasm": () => import("./wasm-anthropic-inline.js"),
  "threadkeep_skills_bg.wasm": () => import("./wasm-skills-inline.js"),
  "threadkeep_text_tools_bg.wasm": () => import("./wasm-text-tools-inline.js"),
  "threadkeep_condensing_bg.wasm": () => import("./wasm-condensing-inline.js"),
  "threadkeep_drafts_bg.wasm": () => import("./wasm-drafts-inline.js"),
  "threadkeep_side_calls_bg.wasm": () => import("./wasm-side-calls-inline.js"),
  "threadkeep_server_bg.wasm": () => import("./wasm-server-inline.js"),
};
