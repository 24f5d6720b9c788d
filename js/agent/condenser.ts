// Condensers: when a part of the history is replaced by a summary. The options are checked by code that is loaded when an
// agent has a condenser; the condensing itself is a chunk of the wasm.
import type { Agent } from "./agent.js";
import type { LLM } from "../llm/llm.js";
import { part } from "../wasm/wasm.js";
import type { CoreCondensing } from "./condenser/options.js";
import type { ConversationProgress } from "./types.js";

/** Checks the options. `null` is an agent without a condenser. @throws ThreadkeepError `invalid_options` @internal */
export async function coreCondensing(
  { condenser, countTokens }: Agent,
  coreLLM: (llm: LLM) => object,
): Promise<CoreCondensing | null | undefined> {
  return condenser || countTokens
    ? (await part(import("./condenser/options.js"))).coreCondensing(condenser, countTokens, coreLLM)
    : (condenser as null | undefined);
}

/** The fields of a structured summary; `null` for another text. @internal */
export function progressOf(summary: string | undefined): ConversationProgress | null {
  if (!summary?.startsWith("# Progress\n")) return null;
  const progress: Record<string, string | string[]> = {
    userContext: "",
    completedTasks: [],
    pendingTasks: [],
    currentState: "",
    files: [],
    tests: "",
    errors: "",
    branchAndCommits: "",
    dependencies: "",
    other: "",
  };
  for (const section of summary.split(/^## /m).slice(1)) {
    const [heading = "", ...lines] = section.trim().split("\n");
    const name = heading.toLowerCase().replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
    // A line of a field is not taken for a heading.
    const text = lines.join("\n").replace(/^ #/gm, "#");
    if (Array.isArray(progress[name]))
      progress[name] = text
        .slice(2)
        .split("\n- ")
        .map((item) => item.replaceAll("\n  ", "\n"));
    else if (name in progress) progress[name] = text;
  }
  return progress as unknown as ConversationProgress;
}
