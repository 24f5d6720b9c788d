// Critics: they rate the answers of an agent, and can demand another attempt at its task. Their options are checked by code
// that is loaded when an agent has a critic; the rating itself is in a chunk of the wasm.
import { part } from "../wasm/wasm.js";
import type { CoreCritic, Critic } from "./types.js";

/** @internal @throws ThreadkeepError `invalid_options`, `network` */
export async function coreCritic(critic: Critic): Promise<CoreCritic> {
  return (await part(import("./critics/options.js"))).coreCritic(critic);
}
