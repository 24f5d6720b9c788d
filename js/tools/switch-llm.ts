// The tool `switch_llm`: the agent chooses the model for its next steps. The SDK's is `sdk/tool/builtins/switch_llm.py`.
import { isA } from "../input/arguments.js";
import { ThreadkeepError } from "../input/errors.js";
import type { LLM } from "../llm/llm.js";
import { LLMProfileStore } from "../llm/profiles.js";
import { LLMRegistry } from "../llm/registry.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput } from "../tool/types.js";
import { messageOf, present } from "./definition.js";
import type { SwitchLLMOptions } from "./types.js";

interface SwitchArguments {
  profile_name: string;
  reason: string;
}

const description = (names: readonly string[]) => `Switches this conversation to another model, for the steps after this call.

Use it when the next steps are better done by another of these profiles:
${names.map((name) => `- ${name}`).join("\n") || "- (there is none)"}

Name the profile exactly as in this list, and the reason in a few words.`;

const parameters = {
  type: "object",
  properties: {
    profile_name: { type: "string", description: "The name of the profile, as in the list." },
    reason: { type: "string", description: "Why this profile is better for the next step, in a few words." },
  },
  required: ["profile_name", "reason"],
};

export async function define({ profiles: offered, given }: SwitchLLMOptions): Promise<BuiltInDefinition> {
  const profiles = isA(offered, LLMRegistry) ? Object.fromEntries(offered.listUsageIds().map((id) => [id, offered.get(id)])) : offered;
  const names = isA(profiles, LLMProfileStore) ? await profiles.list() : Object.keys(profiles).sort();
  const load = async (name: string): Promise<LLM | undefined> => {
    if (!isA(profiles, LLMProfileStore)) return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
    return profiles.load(name, given).catch((error: unknown) => {
      if (error instanceof ThreadkeepError && error.code === "not_found") return undefined;
      throw error;
    });
  };
  return {
    description: description(names),
    parameters,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    // Switching to the same model again changes nothing.
    replay: "safe",
    className: "SwitchLLM",
    action: ({ profile_name, reason }: SwitchArguments) => present({ profile_name, reason }),
    execute: (args: SwitchArguments, context) => execute(args, context, load),
  };
}

async function execute(
  { profile_name, reason }: SwitchArguments,
  { conversation }: BuiltInContext,
  load: (name: string) => Promise<LLM | undefined>,
): Promise<BuiltInOutput> {
  const failed = (content: string) => ({ content, isError: true, fields: present({ profile_name, reason }) });
  try {
    const llm = await load(profile_name);
    if (!llm) return failed(`There is no profile '${profile_name}'. Choose one of the list in this tool's description.`);
    await conversation.switchLLM(llm);
    const active_model = llm.options.model;
    return {
      content: `The next steps are done by '${profile_name}', which is ${active_model}. Reason: ${reason}`,
      fields: present({ profile_name, reason, active_model }),
    };
  } catch (error) {
    return failed(`The model stays as it is, because '${profile_name}' cannot be used: ${messageOf(error)}`);
  }
}
