// Security analyzers rate the risk of calls. Their code is loaded when one is used.
import { part } from "../wasm/wasm.js";
import type { CoreAnalyzer, SecurityAnalyzer } from "./types.js";

/** An analyzer of the host. @internal @throws ThreadkeepError `invalid_options`, `network` */
export async function hostAnalyzer(analyzer: SecurityAnalyzer): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).hostAnalyzer(analyzer);
}

/** A stored analyzer; `given`, an analyzer of the host, may be a part of it. @internal */
export async function storedAnalyzer(json: string, given: CoreAnalyzer | undefined): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).storedAnalyzer(json, given);
}
