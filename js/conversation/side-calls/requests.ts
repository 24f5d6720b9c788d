// Requests beside the run: checks of their options, and the signals that stop them.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { isA, signalOf } from "../../input/arguments.js";
import { ThreadkeepError, ask, invalidOptions, optionsOf } from "../../input/errors.js";
import { LLM } from "../../llm/llm.js";
import type { TitleOptions } from "../types.js";

/** @throws ThreadkeepError `invalid_options`, `aborted`, and those of the wasm */
export async function askAgent(core: CoreConversation, question: string, options: { signal?: AbortSignal | undefined }): Promise<string> {
  const { signal } = optionsOf("askAgent()", options, "signal");
  if (typeof question !== "string") throw invalidOptions("the question must be a string");
  return untilStopped(signal, (stopped) => ask(core, "askAgent", question, stopped));
}

/** @throws ThreadkeepError `invalid_options`, `aborted`, and those of the wasm */
export async function generateTitle(core: CoreConversation, options: TitleOptions, inCore: (llm: LLM) => Promise<object>): Promise<string> {
  const { llm, maxLength = 50, signal } = optionsOf("generateTitle()", options, "llm maxLength signal");
  if (llm !== undefined && !isA(llm, LLM)) throw invalidOptions("llm must be an LLM");
  if (!Number.isInteger(maxLength) || maxLength < 4) throw invalidOptions("maxLength must be a whole number of at least 4");
  const given = { maxLength, llm: llm && (await inCore(llm)) };
  return untilStopped(signal, (stopped) => ask(core, "generateTitle", given, stopped));
}

/** `llm` is in the form that the wasm takes. @throws ThreadkeepError `aborted`, and those of the wasm */
export async function inspectImage(
  core: CoreConversation,
  llm: object,
  image: string,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  return untilStopped(signal, (stopped) => ask(core, "inspectImage", llm, image, question, stopped));
}

/** Makes a request, which an aborted `signal` stops. */
async function untilStopped(given: unknown, request: (stopped: Promise<void>) => Promise<string>): Promise<string> {
  const signal = signalOf(given);
  const aborted = () => new ThreadkeepError("aborted", "the request was stopped by its signal", { cause: signal?.reason });
  if (signal?.aborted) throw aborted();
  let stop!: () => void;
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  signal?.addEventListener("abort", stop);
  try {
    return await request(stopped);
  } catch (error) {
    throw signal?.aborted ? aborted() : error;
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}
