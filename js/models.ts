// What is known of models. Nothing of it is loaded before a model is asked.
import { part } from "./wasm.js";

/** What was found already: every request asks. */
const found = new Map<string, string>();

/**
 * Limits, abilities and prices of a model, as JSON; nothing for one that nobody knows. `realName` is what it is
 * called by its provider, where `model` is an alias. @internal
 */
export async function modelRow(model: string, realName: string): Promise<string> {
  const key = JSON.stringify([model, realName]);
  const known = found.get(key);
  if (known !== undefined) return known;
  const row = (await part(import("./models/rows.js").then(({ rowOf }) => rowOf(model, realName)))) ?? "";
  found.set(key, row);
  return row;
}
