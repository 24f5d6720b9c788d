// From a model's name to what is known of it. Loaded when a model is first asked; then its provider's file is.
//
// Names are looked up as LiteLLM does for the SDK: under their provider, else by the rules for families, else by the
// last part of the name, as a model of whichever provider calls one so. Only in the first case its prices hold.

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

/** Whose file has the names that begin so without a provider in front. */
const bare: ReadonlyArray<readonly [RegExp, string]> = [
  [/^claude-/, "anthropic"],
  [/^gemini-/, "vertex_ai"],
  [/^deepseek-/, "deepseek"],
  [/^(gpt-|o\d|chat|codex|computer-use|daybreak|ft:)/, "openai"],
];

/** The model's row, as JSON. `realName` is what it is called by its provider: that says what it can, `model` what it costs. */
export async function rowOf(model: string, realName = model): Promise<string | undefined> {
  const found = await find(model);
  if (realName === model) return found && JSON.stringify(found);
  const { prices: _, ...facts } = (await find(realName)) ?? {};
  return JSON.stringify({ ...facts, ...(found?.prices !== undefined && { prices: found.prices }) });
}

async function find(given: string): Promise<Row | undefined> {
  const [, prefix = "", rest = ""] = /^([^/]*)\/(.*)$/s.exec(given.trim()) ?? [, "", given.trim()];
  const provider = prefix === "openhands" ? "litellm_proxy" : prefix;
  const name = rest.toLowerCase();
  const found = await ownRow(provider, name);
  if (found) return found;
  // What stands behind a colon is a variant, whose price may be another.
  const own = name.split(":")[0] ?? "";
  const last = name.slice(name.lastIndexOf("/") + 1);
  // Another provider's name for a model goes before the rules; one that is only the end of this name after them.
  const alike = (await ownRow(provider, own)) ?? (await bareRow(own)) ?? (await family(`${provider}/${own}`));
  const { prices: _, ...facts } = alike ?? (await bareRow(last)) ?? (await family(last)) ?? {};
  return Object.keys(facts).length > 0 ? facts : undefined;
}

/** What its provider calls so. A proxy has whatever its owner put behind it. */
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

/** By its key, or by that without a date or without whose fine-tuned model it is: such a one is like the others. */
async function rowIn(provider: string, key: string): Promise<Row | undefined> {
  const load = Object.hasOwn(files, provider) ? files[provider] : undefined;
  if (!load) return undefined;
  const { models } = (await load()).default;
  const ending = provider === "gemini" ? /-\d+$/ : key.startsWith("ft:") ? /(:[^:]*){3}$/ : /-\d{4}-\d{2}-\d{2}$/;
  const keys = Object.keys(models);
  const named = keys.find((name) => name.toLowerCase() === key) ?? keys.find((name) => name.toLowerCase() === key.replace(ending, ""));
  return named === undefined ? undefined : models[named];
}

async function family(name: string): Promise<Row | undefined> {
  const { families } = (await import("./families.json")).default;
  const matching = families.filter(({ pattern }) => new RegExp(pattern, "i").test(name));
  return matching.length > 0 ? Object.assign({}, ...matching.map(({ row }) => row)) : undefined;
}
