// Metadata of models. Nothing is loaded before a model is asked.
import { invalidOptions } from "../input/errors.js";
import { part } from "../wasm/wasm.js";

/** Rows that were found, because every request asks. */
const found = new Map<string, string>();

/**
 * Limits, abilities and prices of a model, as JSON; empty for an unknown model. `realName` is the model's name at the
 * provider if `model` is an alias. @internal
 */
export async function modelRow(model: string, realName: string): Promise<string> {
  const key = JSON.stringify([model, realName]);
  const known = found.get(key);
  if (known !== undefined) return known;
  const row = (await part(import("./models/rows.js").then(({ rowOf }) => rowOf(model, realName)))) ?? "";
  found.set(key, row);
  return row;
}

/**
 * The names of the models of a provider that the public metadata has, without the prefix: `gpt-5` and others for `"openai"`. Empty for a
 * provider without metadata; its server may list them.
 */
export async function modelNames(provider: string): Promise<string[]> {
  if (typeof provider !== "string") throw invalidOptions('modelNames() takes the prefix of a provider, such as "openai"');
  return part(import("./models/rows.js").then(({ namesOf }) => namesOf(provider)));
}
