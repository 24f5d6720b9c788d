// Checks of arguments: a method of the API rejects with what was wrong, before the wasm gets it.
import { invalidOptions, isA, reading, textOf } from "./errors.js";

export { isA };

/** A new UUID; works also in insecure contexts, which have no `crypto.randomUUID()`. @internal */
export function newId(): string {
  const random = () => crypto.getRandomValues(new Uint8Array(1))[0]!;
  // The 4 is the version "random"; of the digit 8 the two upper bits stay.
  return "00000000-0000-4000-8000-000000000000".replace(/[08]/g, (digit) =>
    (digit === "8" ? 8 + (random() % 4) : random() % 16).toString(16),
  );
}

/** @internal */
export function checkId(id: unknown): string {
  if (typeof id === "string" && /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(id)) {
    const hex = id.replaceAll("-", "").toLowerCase();
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }
  throw invalidOptions(`conversation id ${JSON.stringify(textOf(id)).slice(0, 80)} is not a UUID; leave it out to get a new one`);
}

/** A copy of an array whose elements all pass `is`. `what` names them in the error. @internal */
export function arrayOf<T>(name: string, what: string, given: readonly T[], is: (each: T) => boolean): T[] {
  return reading(name, () => {
    // `every()` skips holes, and a copy fills them.
    const copy = Array.isArray(given) ? [...given] : undefined;
    if (copy?.every(is)) return copy;
    throw invalidOptions(`${name} must be an array of ${what}`);
  });
}

/** @internal */
export const isFunction = (each: unknown): boolean => typeof each === "function";

/** The text with U+FFFD in the place of each half of a character: `toWellFormed()`, which older browsers do not have. @internal */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd");

/** @internal */
export function jsonOf(what: string, value: unknown): string {
  const json = reading(what, () => JSON.stringify(value));
  if (json === undefined) throw invalidOptions(`${what} must be JSON`);
  return json;
}

/** @internal */
export function signalOf(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || isA(signal, AbortSignal)) return signal;
  throw invalidOptions("signal must be an AbortSignal");
}
