// Profiles in the form in which they are stored: with the SDK's field names, and only the fields that were set.
import { ThreadkeepError, invalidOptions } from "../../input/errors.js";
import { optionNames, unstoredOptions } from "../generated/llm-options.js";
import { type LLMOptions, abilities } from "../llm.js";
import type { ProfileStorage } from "../types.js";
import { databaseOf } from "./database.js";

/** The SDK's `PROFILE_NAME_PATTERN`. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The options that profiles hold, and their fields: the SDK's names are the same in snake case. */
const fields = optionNames
  .split(" ")
  .filter((name) => !unstoredOptions.split(" ").includes(name))
  .map((name) => [name as keyof LLMOptions, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] as const);

export function checkedName(name: unknown): string {
  if (typeof name === "string" && namePattern.test(name)) return name;
  throw invalidOptions(
    "the name of a profile begins with a letter or digit and has up to 64 letters, digits, dots, dashes and underscores",
  );
}

export function storageOf(storage: string | ProfileStorage): ProfileStorage {
  return typeof storage === "string" ? databaseOf(storage) : storage;
}

/** The JSON of a profile. */
export function profileOf(options: LLMOptions): string {
  const profile: Record<string, unknown> = {};
  for (const [name, field] of fields) {
    if (options[name] !== undefined) profile[field] = options[name];
  }
  // The SDK has no mode for Anthropic's own API: there the provider decides. It ignores unknown fields such as `wire_api`.
  if (profile["api_mode"] === "anthropic") Object.assign(profile, { api_mode: "auto", wire_api: "anthropic" });
  // The SDK refuses fractions of a second.
  if (typeof profile["timeout"] === "number") profile["timeout"] = Math.ceil(profile["timeout"]);
  // An empty value leaves the retention to the provider. The SDK has no such value, and a missing field means its default.
  if (profile["prompt_cache_retention"] === "") profile["prompt_cache_retention"] = null;
  return JSON.stringify(profile);
}

/** The options of a profile, which Python may have written; fields that a page cannot use are left out. */
export function storedOptions(name: string, json: string | undefined): LLMOptions {
  if (json === undefined) throw new ThreadkeepError("not_found", `there is no profile ${name}; list() returns the existing ones`);
  let profile: unknown;
  try {
    profile = JSON.parse(json);
  } catch {
    profile = undefined;
  }
  if (typeof profile !== "object" || profile === null || !("model" in profile) || typeof profile.model !== "string") {
    throw new ThreadkeepError("store_corrupt", `the stored profile ${name} is damaged: save it again, or delete it`);
  }
  const stored = profile as Record<string, unknown>;
  const options: Record<string, unknown> = {};
  for (const [option, field] of fields) {
    if (stored[field] !== undefined && stored[field] !== null) options[option] = stored[field];
  }
  if (stored["wire_api"] === "anthropic") options["apiMode"] = "anthropic";
  if (stored["prompt_cache_retention"] === null) options["promptCacheRetention"] = "";
  // The SDK has further overrides; the value of one of them, `thinking_mode`, is a string.
  const overrides = options["capabilityOverrides"];
  if (typeof overrides === "object") {
    const known = abilities.split(" ");
    options["capabilityOverrides"] = Object.fromEntries(
      Object.entries(overrides as object).filter(([name, can]) => known.includes(name) && typeof can === "boolean"),
    );
  }
  return options as unknown as LLMOptions;
}
