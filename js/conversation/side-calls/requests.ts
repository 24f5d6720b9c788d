// Requests beside the run: checks of their options, and the signals that stop them.
import type { CoreConversation } from "../../../pkg/threadkeep.js";
import { signalOf } from "../../input/arguments.js";
import { ThreadkeepError, ask, invalidOptions, optionsOf } from "../../input/errors.js";
import type { LLM } from "../../llm/llm.js";
import { givenLLM } from "../../llm/registry.js";
import type { Acting, AskOptions, TitleOptions } from "../types.js";

/** @throws ThreadkeepError `invalid_options`, `aborted`, and those of the wasm */
export async function askAgent(on: Acting, question: string, options: AskOptions): Promise<string> {
  const { llm, signal } = optionsOf("askAgent()", options, "llm signal");
  if (typeof question !== "string") throw invalidOptions("the question must be a string");
  const given = await inCore(on, llm);
  return untilStopped(signal, (stopped) => ask(on.core, "askAgent", question, given, stopped));
}

/** @throws ThreadkeepError `invalid_options`, `aborted`, and those of the wasm */
export async function generateTitle(on: Acting, options: TitleOptions): Promise<string> {
  const { llm, maxLength = 50, signal } = optionsOf("generateTitle()", options, "llm maxLength signal");
  if (!Number.isInteger(maxLength) || maxLength < 4) throw invalidOptions("maxLength must be a whole number of at least 4");
  const given = { maxLength, llm: await inCore(on, llm) };
  return untilStopped(signal, (stopped) => ask(on.core, "generateTitle", given, stopped));
}

/** A model of the host in the form that the wasm takes. @throws ThreadkeepError `invalid_options`, `not_found` */
async function inCore({ session }: Acting, llm: LLM | string | undefined): Promise<object | undefined> {
  if (llm === undefined) return undefined;
  return session.secrets.coreLLM(givenLLM(llm, session.agent.llmRegistry, "llm must be an LLM"), session.network);
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
