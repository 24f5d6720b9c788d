// Confirmation policies and security analyzers: from the host's form to that of the wasm.
import { arrayOf, jsonOf } from "../input/arguments.js";
import { optionsOf, reading } from "../input/errors.js";
import type { SecurityRisk } from "../events/events.js";
import { hostAnalyzer, storedAnalyzer } from "./security.js";
import type { ConfirmationPolicy, CoreAnalyzer, SecurityAnalyzer } from "./types.js";

/** The policy as the SDK stores it, as JSON. @internal */
export function storedPolicy(policy: ConfirmationPolicy): string {
  const given = optionsOf("confirmationPolicy", policy, "kind threshold confirmUnknown");
  const risky = given.kind === "ConfirmRisky" && { threshold: given.threshold ?? "HIGH", confirm_unknown: given.confirmUnknown ?? true };
  return jsonOf("confirmationPolicy", { ...risky, kind: given.kind });
}

/** Checks a list of action ids. @internal */
export function actionIds(name: string, ids: readonly string[] | undefined): string[] | undefined {
  return ids === undefined ? undefined : arrayOf(name, "ids of events", ids, (id) => typeof id === "string");
}

const theModel = JSON.stringify({ kind: "LLMSecurityAnalyzer" });

/** Holds the analyzer that the host gave, and asks the one that the conversation has stored. @internal */
export class Analyzers {
  /** The analyzer that the host gave. If it is a function, it exists only here. */
  #given: CoreAnalyzer | undefined;
  #asked: { json: string; analyzer: Promise<CoreAnalyzer> } | undefined;

  /** Accepts an analyzer of the host, and returns the JSON to store. @throws ThreadkeepError `invalid_options` */
  async take(analyzer: SecurityAnalyzer | null): Promise<string> {
    if (analyzer === null) return "null";
    // This analyzer reads the risk from the model's call, in the wasm, so no code has to be loaded.
    if (
      reading(
        "securityAnalyzer",
        () => "kind" in analyzer && analyzer.kind === "LLMSecurityAnalyzer" && optionsOf("securityAnalyzer", analyzer, "kind"),
      )
    )
      return theModel;
    this.#given = await hostAnalyzer(analyzer);
    return this.#given.json;
  }

  /** The risk of an action; both analyzer and action are JSON. Rejects if the analyzer fails. */
  async securityRisk(stored: string, action: string): Promise<SecurityRisk> {
    return (await this.#analyzer(stored)).securityRisk(action);
  }

  /** A sentence about parts of the stored analyzer that cannot be used here; nothing for one that the host has just given. */
  async complaint(stored: { kind: string } | undefined): Promise<string | undefined> {
    // Only these kinds have parts; the wasm reports other unknown kinds itself.
    if (stored?.kind !== "PatternSecurityAnalyzer" && stored?.kind !== "EnsembleSecurityAnalyzer") return undefined;
    const json = JSON.stringify(stored);
    if (this.#given?.json === json) return undefined;
    // An analyzer that cannot be loaded now is loaded when a call is rated, or the call counts as HIGH then.
    return this.#analyzer(json).then(
      (analyzer) => analyzer.complaint,
      () => undefined,
    );
  }

  async #analyzer(stored: string): Promise<CoreAnalyzer> {
    if (this.#given?.json === stored) return this.#given;
    if (this.#asked?.json !== stored) {
      const asked = { json: stored, analyzer: storedAnalyzer(stored, this.#given) };
      this.#asked = asked;
      // Loading may have failed because the page was offline, so it is tried again.
      asked.analyzer.catch(() => this.#asked === asked && (this.#asked = undefined));
    }
    return this.#asked.analyzer;
  }
}
