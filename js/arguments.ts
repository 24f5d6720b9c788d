// What hosts pass, checked: a promise of the API is rejected with what was wrong, and the wasm never sees it.
import { invalidOptions, reading, words } from "./errors.js";

/** @internal */
export function checkId(id: unknown): string {
  if (typeof id === "string" && /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(id)) {
    const hex = id.replaceAll("-", "").toLowerCase();
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }
  throw invalidOptions(`conversation id ${JSON.stringify(words(id)).slice(0, 80)} is not a UUID; leave it out to get a new one`);
}

/** @internal */
export function tagsOf(given: unknown): Record<string, string> {
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    const tags = reading("tags", () => ({ ...given }) as Record<string, string>);
    if (Object.values(tags).every((value) => typeof value === "string")) return tags;
  }
  throw invalidOptions("tags must be an object of strings");
}

/** @internal */
export function functionsOf<T extends Function>(name: string, given: readonly T[] = []): readonly T[] {
  return reading(name, () => {
    if (Array.isArray(given) && given.every((each) => typeof each === "function")) return [...given];
    throw invalidOptions(`${name} must be an array of functions`);
  });
}

/** @internal */
export function jsonOf(what: string, value: unknown): string {
  const json = reading(what, () => JSON.stringify(value));
  if (json === undefined) throw invalidOptions(`${what} must be JSON`);
  return json;
}

/** @internal */
export function signalOf(options: { signal?: AbortSignal } | undefined, what: string): AbortSignal | undefined {
  return reading(`the options of ${what}`, () => {
    const { signal } = options ?? {};
    if (signal === undefined || signal instanceof AbortSignal) return signal;
    throw invalidOptions("signal must be an AbortSignal");
  });
}
