// Security analyzers rate the risk of calls. Their code is loaded when one is used.
import type { ActionEvent, SecurityRisk } from "./events.js";
import { part } from "./wasm.js";

/**
 * A regular expression in Python's syntax, a description of what it finds, and a name. It is matched without regard to
 * case, in texts in which each run of white space is one space.
 */
export type SecurityPattern = readonly [pattern: string, description: string, detector: string];

/**
 * The SDK's analyzers, or a function of the host. The SDK's analyzers are stored with the conversation, and mean the same
 * in Python. A function cannot be stored: where it is missing, each call is rated `HIGH`.
 */
export type SecurityAnalyzer =
  /** The risk that the model itself gives in its call. */
  | { kind: "LLMSecurityAnalyzer" }
  /** Patterns that are matched against calls, and against the thoughts with them. The default of each list are the built-in rules. */
  | {
      kind: "PatternSecurityAnalyzer";
      /** Matched against arguments and names. */
      highPatterns?: readonly SecurityPattern[] | undefined;
      mediumPatterns?: readonly SecurityPattern[] | undefined;
      /** Matched against arguments, names, thoughts and summaries. */
      injectionHighPatterns?: readonly SecurityPattern[] | undefined;
      injectionMediumPatterns?: readonly SecurityPattern[] | undefined;
    }
  /** Rules for dangerous combinations within one argument. */
  | { kind: "PolicyRailSecurityAnalyzer" }
  /** The highest risk that its analyzers return; `UNKNOWN` if all return it, or with `propagateUnknown` if one does. */
  | { kind: "EnsembleSecurityAnalyzer"; analyzers: SecurityAnalyzer[]; propagateUnknown?: boolean | undefined }
  /** A function of the host. If it throws or returns anything else, the risk is `HIGH`. */
  | { securityRisk(action: ActionEvent): SecurityRisk | Promise<SecurityRisk> };

/** An analyzer in the form that the wasm needs. @internal */
export interface CoreAnalyzer {
  /** The analyzer as it is stored in `base_state.json`. */
  readonly json: string;
  /** The risk of the action in this JSON text. Rejects if the analyzer fails. */
  securityRisk(actionJson: string): Promise<SecurityRisk>;
  /** Names of the parts that cannot be used here; they rate every call `HIGH`. */
  readonly unavailable: readonly string[];
}

/** An analyzer of the host. @internal @throws ThreadkeepError `invalid_options`, `network` */
export async function hostAnalyzer(analyzer: SecurityAnalyzer): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).hostAnalyzer(analyzer);
}

/** A stored analyzer; `given`, an analyzer of the host, may be a part of it. @internal */
export async function storedAnalyzer(json: string, given: CoreAnalyzer | undefined): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).storedAnalyzer(json, given);
}
