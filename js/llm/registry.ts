// Models under their usage ids: the SDK's `LLMRegistry`.
import { isA } from "../input/arguments.js";
import { invalidOptions, textOf, ThreadkeepError } from "../input/errors.js";
import { LLM } from "./llm.js";

/** Models by `usageId`, which can be given by this name then. It is in memory only, and nothing of it is stored. */
export class LLMRegistry {
  readonly #llms = new Map<string, LLM>();

  /** Adds a model under its `usageId`. @throws ThreadkeepError `invalid_options` if another one has it */
  add(llm: LLM): void {
    if (!isA(llm, LLM)) throw invalidOptions("add() takes an LLM");
    const { usageId = "default" } = llm.options;
    if (this.#llms.has(usageId)) throw invalidOptions(`a model with the usageId ${usageId} is registered; remove() it first`);
    this.#llms.set(usageId, llm);
  }

  /** The model with this `usageId`. @throws ThreadkeepError `not_found` */
  get(usageId: string): LLM {
    const llm = this.#llms.get(usageId);
    if (llm) return llm;
    throw new ThreadkeepError("not_found", `no model with the usageId ${textOf(usageId)} is registered; add() it first`);
  }

  /** Removes a model; does nothing if there is none. What uses it already keeps it. */
  remove(usageId: string): void {
    this.#llms.delete(usageId);
  }

  /** The usage ids, in the order in which their models were added. */
  listUsageIds(): string[] {
    return [...this.#llms.keys()];
  }
}

/** A model that was given itself or by its usage id. @throws ThreadkeepError `not_found`, and `invalid_options` with `otherwise` @internal */
export function givenLLM(llm: unknown, registry: LLMRegistry, otherwise: string): LLM {
  if (typeof llm === "string") return registry.get(llm);
  if (isA(llm, LLM)) return llm;
  throw invalidOptions(otherwise);
}
