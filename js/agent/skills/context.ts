// Checks an agent's context, and converts it to the form in which the SDK stores it. Loaded when a conversation is opened
// with an agent that has a context.
import { arrayOf, isA, wellFormed } from "../../input/arguments.js";
import { invalidOptions, optionsOf, reading, textsOf } from "../../input/errors.js";
import type { AgentContextOptions, Skill } from "../types.js";

/** The SDK's limit, in characters. */
const longestDescription = 1024;
const clipped = "\n[The middle is left out here.]\n";
/** Added once: a skill that a host takes from a stored context has it already. */
const askForInputs = "\n\nIf the request leaves one of these variables open, ask for it before you begin.";

/** The stored form as JSON, and the memory, which is not stored. @internal */
export function coreContext(context: AgentContextOptions): { context: string; memory?: string } {
  const what = "agentContext";
  const given = optionsOf(what, context, "skills systemMessageSuffix userMessageSuffix memoryContext disabledSkills currentDatetime");
  const disabled = names("disabledSkills", given.disabledSkills ?? []);
  const skills = arrayOf("skills", "skills", given.skills ?? [], () => true).map(stored);
  const twice = skills.find(({ name }, place) => skills.findIndex((other) => other.name === name) !== place);
  if (twice) throw invalidOptions(`two skills have the name ${JSON.stringify(twice.name)}; rename one`);
  const memory = text("memoryContext", given.memoryContext);
  return {
    context: JSON.stringify({
      skills: skills.filter(({ name }) => !disabled.includes(name)),
      system_message_suffix: text("systemMessageSuffix", given.systemMessageSuffix),
      user_message_suffix: text("userMessageSuffix", given.userMessageSuffix),
      load_user_skills: false,
      load_public_skills: false,
      marketplace_path: "marketplaces/default.json",
      registered_marketplaces: [],
      load_project_skills: false,
      load_memory: false,
      disabled_skills: disabled,
      current_datetime: date(given.currentDatetime),
    }),
    ...(memory !== undefined && { memory }),
  };
}

/** A skill in the SDK's form, with the fields in its order. */
function stored(skill: Skill, place: number) {
  const of = `skills[${place}]`;
  const given = optionsOf(
    of,
    skill,
    "name content trigger source isAgentskillsFormat description disableModelInvocation inputs version license compatibility metadata allowedTools resources",
  );
  const name = text(`name of ${of}`, given.name);
  if (!name) throw invalidOptions(`name of ${of} must be a text`);
  const what = `skill ${JSON.stringify(name)}`;
  const content = text(`content of ${what}`, given.content);
  if (content === undefined) throw invalidOptions(`content of ${what} must be a text`);
  const flag = (field: string, value: unknown) => {
    if (value !== undefined && typeof value !== "boolean") throw invalidOptions(`${field} of ${what} must be true or false`);
    return value ?? false;
  };
  const string = (field: string, value: unknown) => text(`${field} of ${what}`, value);
  const list = (field: string, value: unknown) => names(`${field} of ${what}`, value);
  const inputs = arrayOf(`inputs of ${what}`, "inputs", given.inputs ?? [], () => true).map((input) => {
    const { name, description } = optionsOf(`an input of ${what}`, input, "name description");
    if (typeof name !== "string" || typeof description !== "string")
      throw invalidOptions(`an input of ${what} has a name and a description`);
    return { name, description };
  });
  const trigger = triggerOf(given.trigger, what, list);
  const isTask = trigger?.type === "task" && (inputs.length > 0 || /\$\{[a-zA-Z_][a-zA-Z0-9_]*\}/.test(content));
  const resources = given.resources ?? undefined;
  return {
    name,
    content: isTask && !content.includes(askForInputs) ? content + askForInputs : content,
    trigger,
    source: string("source", given.source),
    inputs,
    is_agentskills_format: flag("isAgentskillsFormat", given.isAgentskillsFormat),
    version: string("version", given.version) ?? "1.0.0",
    description: shortened(string("description", given.description)),
    license: string("license", given.license),
    compatibility: string("compatibility", given.compatibility),
    metadata: given.metadata ? textsOf(`metadata of ${what}`, given.metadata) : undefined,
    allowed_tools: given.allowedTools ? list("allowedTools", given.allowedTools) : undefined,
    disable_model_invocation: flag("disableModelInvocation", given.disableModelInvocation) || trigger?.type === "path",
    resources: resources && resourcesOf(resources, what, list),
  };
}

type ListOf = (field: string, value: unknown) => string[];

function triggerOf(trigger: Skill["trigger"], what: string, list: ListOf) {
  if (trigger === undefined || trigger === null) return undefined;
  const given = reading(`trigger of ${what}`, () => ({ ...trigger })) as { type?: string; [list: string]: unknown };
  const field = { keyword: "keywords", task: "triggers", path: "paths" }[given.type as "task"];
  const other = Object.keys(given).find((name) => name !== "type" && name !== field);
  if (!field || other !== undefined) {
    throw invalidOptions(`trigger of ${what} must be { type: "keyword", keywords }, { type: "task", triggers } or { type: "path", paths }`);
  }
  return { type: given.type!, [field]: list(field, given[field]) };
}

function resourcesOf(resources: NonNullable<Skill["resources"]>, what: string, list: ListOf) {
  const given = optionsOf(`resources of ${what}`, resources, "skillRoot scripts references assets");
  if (typeof given.skillRoot !== "string") throw invalidOptions(`skillRoot of ${what} must be a text`);
  return {
    skill_root: given.skillRoot,
    scripts: list("scripts", given.scripts),
    references: list("references", given.references),
    assets: list("assets", given.assets),
  };
}

function names(field: string, value: unknown): string[] {
  return arrayOf(field, "texts", value as string[], (each) => typeof each === "string").map(wellFormed);
}

/** JSON leaves out what is undefined; the SDK leaves out what is null. */
function text(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalidOptions(`${field} must be a text`);
  return wellFormed(value);
}

function date(value: AgentContextOptions["currentDatetime"]): string | null | undefined {
  if (value === undefined || value === null || typeof value === "string") return value;
  if (!isA(value, Date) || Number.isNaN(value.getTime())) throw invalidOptions("currentDatetime must be a text, a Date or null");
  // The time on the user's clock, as the SDK shows it.
  const local = new Date(value.getTime() - value.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The first and the last part of a description that is too long. */
function shortened(description: string | undefined): string | undefined {
  const characters = [...(description ?? "")];
  if (characters.length <= longestDescription) return description;
  const left = longestDescription - clipped.length;
  const head = Math.ceil(left / 2);
  return characters.slice(0, head).join("") + clipped + characters.slice(characters.length - (left - head)).join("");
}
