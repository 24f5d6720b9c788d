// Generated from scripts/wasms.mjs. Change it there, then run `THREADKEEP_WRITE=1 node --test tests/tooling/chunks.test.mjs`.

/** The file of each chunk, in the form in which Vite and webpack recognise and emit it, and the chunks that are loaded with it. */
export const chunks: Record<string, { file: () => URL; loadedWith: string[] }> = {
  run: { file: () => new URL("./threadkeep_run_bg.wasm", import.meta.url), loadedWith: [] },
  agent: { file: () => new URL("./threadkeep_agent_bg.wasm", import.meta.url), loadedWith: ["run"] },
  formats: { file: () => new URL("./threadkeep_formats_bg.wasm", import.meta.url), loadedWith: ["run"] },
  server: { file: () => new URL("./threadkeep_server_bg.wasm", import.meta.url), loadedWith: [] },
  plugins: { file: () => new URL("./threadkeep_plugins_bg.wasm", import.meta.url), loadedWith: [] },
};
