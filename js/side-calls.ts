// Requests beside the run: questions about a conversation, and titles.
import type { CoreConversation } from "../pkg/threadkeep.js";
import { isA, signalOf } from "./arguments.js";
import { ThreadkeepError, ask, invalidOptions, optionsOf } from "./errors.js";
import { LLM } from "./llm.js";

export interface TitleOptions {
  /** The model that makes the title. Default: that of the conversation. */
  llm?: LLM | undefined;
  /** The length of the title in characters, at least 4. Default 50. */
  maxLength?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** The checked options of `generateTitle()`. @internal */
export function titleOptions(options: TitleOptions): TitleOptions & { maxLength: number } {
  const { llm, maxLength = 50, signal } = optionsOf("generateTitle()", options, "llm maxLength signal");
  if (llm !== undefined && !isA(llm, LLM)) throw invalidOptions("llm must be an LLM");
  if (!Number.isInteger(maxLength) || maxLength < 4) throw invalidOptions("maxLength must be a whole number of at least 4");
  return { llm, maxLength, signal };
}

/** Makes a request, which an aborted `signal` stops. @internal */
export async function sideCall(core: CoreConversation, given: unknown, call: object): Promise<string> {
  const signal = signalOf(given);
  const aborted = () => new ThreadkeepError("aborted", "the request was stopped by its signal", { cause: signal?.reason });
  if (signal?.aborted) throw aborted();
  let stop!: () => void;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  signal?.addEventListener("abort", stop);
  try {
    return await ask(core, "sideCall", { ...call, stopped });
  } catch (error) {
    throw signal?.aborted ? aborted() : error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
