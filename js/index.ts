export { load, type WasmSource } from "./wasm.js";
import { version as wasmVersion } from "../pkg/threadkeep.js";
import { load } from "./wasm.js";
/** The version of the loaded wasm. */
export async function version(): Promise<string> {
  await load();
  return wasmVersion();
}
