// Skills of plugins, from the form in which the core has them to that of the API.
import type { Skill } from "../../agent/types.js";

/** A skill with the names of the API. The core has checked every field. */
export function withSkill(stored: { [field: string]: unknown }): Skill {
  const {
    is_agentskills_format: isAgentskillsFormat,
    disable_model_invocation: disableModelInvocation,
    allowed_tools: allowedTools,
    resources,
    inputs,
    ...rest
  } = stored as never as Stored;
  const skill: Skill = { ...rest, isAgentskillsFormat, disableModelInvocation };
  if (inputs.length > 0) skill.inputs = inputs;
  if (allowedTools) skill.allowedTools = allowedTools;
  if (resources) {
    const { skill_root: skillRoot, ...folders } = resources;
    skill.resources = { skillRoot, ...folders };
  }
  return skill;
}

interface Stored extends Omit<Skill, "isAgentskillsFormat" | "disableModelInvocation" | "allowedTools" | "resources" | "inputs"> {
  is_agentskills_format: boolean;
  disable_model_invocation: boolean;
  allowed_tools?: string[];
  inputs: Array<{ name: string; description: string }>;
  resources?: { skill_root: string; scripts: string[]; references: string[]; assets: string[] };
}
