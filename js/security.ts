// Security analyzers: who says how dangerous a call is. Their code comes with a dynamic import, when one is used.
import type { ActionEvent, SecurityRisk } from "./events.js";
import { part } from "./wasm.js";

/**
 * A regular expression in Python's spelling, what it finds, and a name for it. Case is ignored; white space is one
 * space in the text that it is looked for in.
 */
export type SecurityPattern = readonly [pattern: string, description: string, detector: string];

/**
 * The SDK's analyzers, and one of the host's own. Stored with the conversation, and loaded by Python with the same
 * meaning; of a function only that there was one, so where it is missing each action has the highest risk.
 */
export type SecurityAnalyzer =
  /** What the model says of its own call. */
  | { kind: "LLMSecurityAnalyzer" }
  /** Patterns in what a call does, and in what was thought beside it. Lists that are left out are the built-in rules. */
  | {
      kind: "PatternSecurityAnalyzer";
      /** In arguments and names. */
      highPatterns?: readonly SecurityPattern[] | undefined;
      mediumPatterns?: readonly SecurityPattern[] | undefined;
      /** In arguments, names, thoughts and summaries. */
      injectionHighPatterns?: readonly SecurityPattern[] | undefined;
      injectionMediumPatterns?: readonly SecurityPattern[] | undefined;
    }
  /** A few things that are dangerous together, in one argument. */
  | { kind: "PolicyRailSecurityAnalyzer" }
  /** The worst of what several say; `UNKNOWN` only if all say so, or one with `propagateUnknown`. */
  | { kind: "EnsembleSecurityAnalyzer"; analyzers: SecurityAnalyzer[]; propagateUnknown?: boolean | undefined }
  /** A function that throws, or that answers anything else, says `HIGH`. */
  | { securityRisk(action: ActionEvent): SecurityRisk | Promise<SecurityRisk> };

/** An analyzer as the wasm needs it. @internal */
export interface CoreAnalyzer {
  /** As it is stored in `base_state.json`. */
  readonly json: string;
  /** The risk of the action in this JSON text. Rejects where the analyzer fails. */
  securityRisk(actionJson: string): Promise<SecurityRisk>;
  /** What of it cannot be used here and counts as the highest risk. */
  readonly unavailable: readonly string[];
}

/** An analyzer that the host asks for. @internal @throws ThreadkeepError `invalid_options`, `network` */
export async function hostAnalyzer(analyzer: SecurityAnalyzer): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).hostAnalyzer(analyzer);
}

/** An analyzer that a conversation has stored, of which the `given` one may be a part. @internal */
export async function storedAnalyzer(json: string, given: CoreAnalyzer | undefined): Promise<CoreAnalyzer> {
  return (await part(import("./security/index.js"))).storedAnalyzer(json, given);
}
