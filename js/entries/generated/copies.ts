// Generated from scripts/wasms.mjs. Change it there, then run `THREADKEEP_WRITE=1 node --test tests/tooling/chunks.test.mjs`.

/** The modules with copies of the wasm, by the names of the files. */
export const copies = {
  "threadkeep_bg.wasm": () => import("./wasm-inline.js"),
  "threadkeep_run_bg.wasm": () => import("./wasm-run-inline.js"),
  "threadkeep_agent_bg.wasm": () => import("./wasm-agent-inline.js"),
  "threadkeep_formats_bg.wasm": () => import("./wasm-formats-inline.js"),
  "threadkeep_server_bg.wasm": () => import("./wasm-server-inline.js"),
  "threadkeep_plugins_bg.wasm": () => import("./wasm-plugins-inline.js"),
};
