// Definitions of sub-agents: objects of the host, and Markdown files with front matter as the SDK reads them
// (`subagent/schema.py`).
import { limitsOf, ownLimits } from "../agent/limits.js";
import { LLM } from "../llm/llm.js";
import { isA, wellFormed } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading, textOf } from "../input/errors.js";
import { type FrontMatter, readFrontMatter, spelled } from "../agent/skills/front-matter.js";
import type { AgentDefinition, TaskToolOptions } from "./types.js";

const names = `name description systemPrompt tools skills model permissionMode ${ownLimits}` as const;
const modes = ["always_confirm", "confirm_risky", "never_confirm"];

/** The name under which the SDK has its agent for everything; the others are its earlier names. */
export const general = "general-purpose";
const renamed: { readonly [name: string]: string } = {
  default: general,
  "default cli mode": general,
  explore: "code-explorer",
  bash: "bash-runner",
};

/** The name of the agent that this argument of a call means. */
export function agentName(type: string | undefined): string {
  return type ? (renamed[type] ?? type) : general;
}

/** The definitions by name, in the order of their names. @throws ThreadkeepError `invalid_options`, naming the agent */
export function readDefinitions(given: TaskToolOptions["agents"] = []): Map<string, AgentDefinition> {
  if (!reading("agents of taskTool()", () => Array.isArray(given)))
    throw invalidOptions("agents of taskTool() must be a list of definitions");
  const definitions = new Map<string, AgentDefinition>();
  for (const each of given as ReadonlyArray<AgentDefinition | string>) {
    const given = checked(typeof each === "string" ? fromMarkdown(each) : optionsOf("an agent of taskTool()", each, names));
    const definition = { ...given, name: wellFormed(given.name) };
    if (definitions.has(definition.name)) throw invalidOptions(`two agents of taskTool() have the name ${definition.name}`);
    definitions.set(definition.name, definition);
  }
  return new Map([...definitions].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A definition in the SDK's form, as a plugin has it. Its fields are checked. */
export interface PluginAgent {
  readonly name: string;
  readonly description: string;
  readonly system_prompt: string;
  readonly tools: readonly string[];
  readonly skills: readonly string[];
  readonly model: string;
  readonly permission_mode?: AgentDefinition["permissionMode"];
  readonly max_iteration_per_run?: number;
  readonly max_budget_per_run?: number;
}

/** The host's definitions, and those of plugins with other names. */
export function withPluginAgents(own: Map<string, AgentDefinition>, more: readonly PluginAgent[]): Map<string, AgentDefinition> {
  const added = more
    .filter(({ name }) => !own.has(name))
    .map(({ name, description, system_prompt: systemPrompt, tools, skills, model, ...limits }) => {
      const { permission_mode: permissionMode, max_iteration_per_run: maxIterationPerRun, max_budget_per_run: maxBudgetPerRun } = limits;
      const definition = { name, description, systemPrompt, tools, skills, model, permissionMode, maxIterationPerRun, maxBudgetPerRun };
      return [name, definition] as const;
    });
  return new Map([...own, ...added].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function checked(definition: AgentDefinition): AgentDefinition {
  const { name, tools, skills, model, permissionMode } = definition;
  if (typeof name !== "string" || name === "") throw invalidOptions("an agent of taskTool() needs a name");
  const invalid = (what: string) => invalidOptions(`agent ${textOf(name)} of taskTool(): ${what}`);
  for (const field of ["description", "systemPrompt"] as const) {
    if (definition[field] !== undefined && typeof definition[field] !== "string") throw invalid(`${field} must be a text`);
  }
  const isTool = (tool: unknown) => typeof tool === "string" || (typeof tool === "object" && tool !== null && "execute" in tool);
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isTool)))
    throw invalid("tools must be a list of names of tools, or of tools");
  if (skills !== undefined && !(Array.isArray(skills) && skills.every((skill) => typeof skill === "string")))
    throw invalid("skills must be a list of names");
  if (model !== undefined && typeof model !== "string" && !isA(model, LLM))
    throw invalid("model must be an LLM, or the name of one in llms or llmRegistry");
  if (permissionMode !== undefined && !modes.includes(permissionMode)) throw invalid(`permissionMode must be one of ${modes.join(", ")}`);
  limitsOf(definition, invalid);
  return definition;
}

/** Fields that have no meaning here are left out: hooks and servers of a file would run what nobody has checked. */
function fromMarkdown(text: string): AgentDefinition {
  const { fields, content } = reading("an agent of taskTool()", (): FrontMatter => readFrontMatter("an agent of taskTool()", text));
  const present = (name: string) => (fields[name] === null ? undefined : fields[name]);
  const mode = present("permission_mode");
  const definition = {
    name: present("name") === undefined ? "" : spelled(fields["name"]),
    description: present("description") === undefined ? "" : spelled(fields["description"]),
    systemPrompt: content,
    tools: listOf(present("tools"), (tools) => [tools]),
    skills: listOf(present("skills"), (skills) =>
      skills
        .split(",")
        .map((skill) => skill.trim())
        .filter((skill) => skill !== ""),
    ),
    model: present("model") === undefined ? "inherit" : spelled(fields["model"]),
    permissionMode: mode === undefined ? undefined : spelled(mode).trim().toLowerCase(),
    ...Object.fromEntries(ownLimits.split(" ").map((name) => [name, numberOf(present(inPython(name)))])),
  };
  return definition as AgentDefinition;
}

function listOf(value: unknown, split: (text: string) => string[]): string[] {
  if (typeof value === "string") return split(value);
  return Array.isArray(value) ? value.map(spelled) : [];
}

/** The name of an option in Python: `max_budget_per_run` for `maxBudgetPerRun`. */
function inPython(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function numberOf(value: unknown): number | undefined {
  return value === undefined ? undefined : Number(value);
}
