// Finds the metadata of a model by its name. Loaded when a model is first asked; then the file of its provider is loaded.
//
// Names are looked up as LiteLLM does for the SDK: first under their provider, then by the rules for model families, then
// by the last part of the name under any provider. Prices are used only in the first case.

import file from "./families.json";

const { families } = file;

type Row = Record<string, unknown>;
type File = typeof import("*.json");

const files: Readonly<Record<string, () => Promise<File>>> = {
  anthropic: () => import("./anthropic.json"),
  azure: () => import("./azure.json"),
  deepseek: () => import("./deepseek.json"),
  fireworks_ai: () => import("./fireworks_ai.json"),
  gemini: () => import("./gemini.json"),
  groq: () => import("./groq.json"),
  mistral: () => import("./mistral.json"),
  moonshot: () => import("./moonshot.json"),
  ollama: () => import("./ollama.json"),
  openai: () => import("./openai.json"),
  together_ai: () => import("./together_ai.json"),
  vertex_ai: () => import("./vertex_ai.json"),
  xai: () => import("./xai.json"),
};

/** The provider's file for names without a provider prefix that begin like this. */
const bare: ReadonlyArray<readonly [RegExp, string]> = [
  [/^claude-/, "anthropic"],
  [/^gemini-/, "vertex_ai"],
  [/^deepseek-/, "deepseek"],
  [/^(gpt-|o\d|chat|codex|computer-use|daybreak|ft:)/, "openai"],
];

/** The model's row, as JSON. `realName` is its name at the provider: abilities come from `realName`, prices from `model`. */
export async function rowOf(model: string, realName = model): Promise<string | undefined> {
  const found = await find(model);
  if (realName === model) return found && JSON.stringify(found);
  const { prices: _, ...facts } = (await find(realName)) ?? {};
  return JSON.stringify({ ...facts, ...(found?.prices !== undefined && { prices: found.prices }) });
}

/** The names of a provider's models without its prefix; empty for a provider without a file. */
export async function namesOf(provider: string): Promise<string[]> {
  const load = Object.hasOwn(files, provider) ? files[provider] : undefined;
  const names = load ? Object.keys((await load()).default.models) : [];
  return [...new Set(names.map((name) => name.replace(`${provider}/`, "")))];
}

async function find(given: string): Promise<Row | undefined> {
  const [, prefix = "", rest = ""] = /^([^/]*)\/(.*)$/s.exec(given.trim()) ?? ["", "", given.trim()];
  const provider = prefix === "openhands" ? "litellm_proxy" : prefix;
  const name = rest.toLowerCase();
  const found = await ownRow(provider, name);
  if (found) return found;
  // The part after a colon is a variant, which may have another price.
  const own = name.split(":")[0] ?? "";
  const last = name.slice(name.lastIndexOf("/") + 1);
  // The same name at another provider counts before the family rules; the last part of the name counts after them.
  const alike = (await ownRow(provider, own)) ?? (await bareRow(own)) ?? family(`${provider}/${own}`);
  const { prices: _, ...facts } = alike ?? (await bareRow(last)) ?? family(last) ?? {};
  return Object.keys(facts).length > 0 ? facts : undefined;
}

/** The row of this name at its provider. Behind a proxy may be any provider. */
async function ownRow(provider: string, name: string): Promise<Row | undefined> {
  const behind = name.includes("/") && name.split("/")[0];
  if (provider === "litellm_proxy" && behind) return ownRow(behind, name.slice(behind.length + 1));
  if (provider === "litellm_proxy" || provider === "") return bareRow(name);
  return (await rowIn(provider, `${provider}/${name}`)) ?? (bareProvider(name) === provider ? bareRow(name) : undefined);
}

function bareProvider(name: string): string | undefined {
  return bare.find(([pattern]) => pattern.test(name))?.[1];
}

async function bareRow(name: string): Promise<Row | undefined> {
  return rowIn(bareProvider(name) ?? "", name);
}

/** The row with this key, or with this key without a date or without the suffix of a fine-tuned model. */
async function rowIn(provider: string, key: string): Promise<Row | undefined> {
  const load = Object.hasOwn(files, provider) ? files[provider] : undefined;
  if (!load) return undefined;
  const { models } = (await load()).default;
  const ending = provider === "gemini" ? /-\d+$/ : key.startsWith("ft:") ? /(:[^:]*){3}$/ : /-\d{4}-\d{2}-\d{2}$/;
  const keys = Object.keys(models);
  const named = keys.find((name) => name.toLowerCase() === key) ?? keys.find((name) => name.toLowerCase() === key.replace(ending, ""));
  return named === undefined ? undefined : models[named];
}

function family(name: string): Row | undefined {
  const matching = families.filter(({ pattern }) => new RegExp(pattern, "i").test(name));
  return matching.length > 0 ? Object.assign({}, ...matching.map(({ row }) => row)) : undefined;
}
