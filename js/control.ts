// When an agent has to ask first: as the host says it, and as the wasm takes it.
import { arrayOf, jsonOf } from "./arguments.js";
import { optionsOf, reading } from "./errors.js";
import type { SecurityRisk } from "./events.js";
import { type CoreAnalyzer, type SecurityAnalyzer, hostAnalyzer, storedAnalyzer } from "./security.js";

/**
 * When a call waits for the user. The whole answer waits if one of its calls has to; a `finish` or `think` that is
 * alone never does.
 */
export type ConfirmationPolicy =
  /** Every call. */
  | { kind: "AlwaysConfirm" }
  /** No call. The default. */
  | { kind: "NeverConfirm" }
  /**
   * Calls as risky as `threshold` (default `"HIGH"`) or more, and with `confirmUnknown` (default true) those of which
   * nobody knows. Without a security analyzer nobody knows of any.
   */
  | { kind: "ConfirmRisky"; threshold?: Exclude<SecurityRisk, "UNKNOWN"> | undefined; confirmUnknown?: boolean | undefined };

/** A policy as the SDK stores it. @internal */
export function storedPolicy(policy: ConfirmationPolicy): string {
  const given = optionsOf("confirmationPolicy", policy, "kind threshold confirmUnknown");
  const risky = given.kind === "ConfirmRisky" && { threshold: given.threshold ?? "HIGH", confirm_unknown: given.confirmUnknown ?? true };
  return jsonOf("confirmationPolicy", { ...risky, kind: given.kind });
}

/** The ids of actions as the wasm takes them. @internal */
export function actionIds(name: string, ids: readonly string[] | undefined): string[] | undefined {
  return ids === undefined ? undefined : arrayOf(name, "ids of events", ids, (id) => typeof id === "string");
}

const theModel = JSON.stringify({ kind: "LLMSecurityAnalyzer" });

/** Asks the analyzer that a conversation has stored. @internal */
export class Analyzers {
  /** What the host gave: a function among it is nowhere else. */
  #given: CoreAnalyzer | undefined;
  #asked: { json: string; analyzer: Promise<CoreAnalyzer> } | undefined;

  /** Takes what the host gives, and returns what is to be stored. @throws ThreadkeepError `invalid_options` */
  async take(analyzer: SecurityAnalyzer | null): Promise<string> {
    if (analyzer === null) return "null";
    // The model's own word needs no code.
    if (reading("securityAnalyzer", () => "kind" in analyzer && analyzer.kind === "LLMSecurityAnalyzer" && optionsOf("securityAnalyzer", analyzer, "kind"))) return theModel;
    this.#given = await hostAnalyzer(analyzer);
    return this.#given.json;
  }

  /** The risk of an action, both in JSON. Rejects where the analyzer fails. */
  async securityRisk(stored: string, action: string): Promise<SecurityRisk> {
    return (await this.#analyzer(stored)).securityRisk(action);
  }

  /** A sentence about what of the stored analyzer cannot be used here; none of one that the host has just given. */
  async complaint(stored: { kind: string } | undefined): Promise<string | undefined> {
    // Only these have parts; of the others the wasm knows by their names.
    if (stored?.kind !== "PatternSecurityAnalyzer" && stored?.kind !== "EnsembleSecurityAnalyzer") return undefined;
    const json = JSON.stringify(stored);
    if (this.#given?.json === json) return undefined;
    // What cannot be loaded now is loaded when a call is judged, or counts as HIGH then.
    const unavailable = await this.#analyzer(json).then((analyzer) => analyzer.unavailable, () => []);
    if (unavailable.length === 0) return undefined;
    return `parts of the security analyzer of this conversation cannot be used here, and say the worst of every call: ${unavailable.join("; ")}`;
  }

  async #analyzer(stored: string): Promise<CoreAnalyzer> {
    if (this.#given?.json === stored) return this.#given;
    if (this.#asked?.json !== stored) {
      const asked = { json: stored, analyzer: storedAnalyzer(stored, this.#given) };
      this.#asked = asked;
      // A page that was offline comes back.
      asked.analyzer.catch(() => this.#asked === asked && (this.#asked = undefined));
    }
    return this.#asked.analyzer;
  }
}
