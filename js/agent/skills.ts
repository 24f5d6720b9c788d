// Skills and the rest of an agent's context. The checks and the loaders are modules of their own, loaded when they are used.
import type { Agent } from "./agent.js";
import { part } from "../wasm/wasm.js";
import type { LoadSkillsOptions, Skill, SkillSource } from "./types.js";

/**
 * Loads skills for `agentContext`. The text of a skill from a URL or an archive begins with a note for the model that
 * nobody has checked it. Nothing in a `SKILL.md` is executed, and nothing in it allows a tool.
 * @throws ThreadkeepError `invalid_options` naming the file, `archive_invalid`, `network`, `aborted`
 */
export async function loadSkills(source: SkillSource, options: LoadSkillsOptions = {}): Promise<Skill[]> {
  return (await part(import("./skills/load.js"))).loadSkills(source, options);
}

/** The agent's context in the form that the wasm takes. @internal */
export async function coreContext({ agentContext }: Agent): Promise<object | undefined> {
  return agentContext === undefined ? undefined : (await part(import("./skills/context.js"))).coreContext(agentContext);
}
