// Checks of what a host passes: whatever it is, it becomes a `ThreadkeepError` that says what was wrong.
import { type Conversation, ThreadkeepError } from "threadkeep";

/** A copy of an object of the host. @throws ThreadkeepError `invalid_options` */
export function objectOf<T extends object>(where: string, what: string, given: T): T {
  return checked(`${where} takes an object of ${what}`, () => typeof given === "object" && given !== null && { ...given });
}

/** A copy of a list of texts of the host. @throws ThreadkeepError `invalid_options` */
export function textsOf(where: string, given: readonly string[]): string[] {
  return checked(`${where} takes a list of ids`, () => {
    // `every()` skips holes, and a copy fills them.
    const ids = Array.isArray(given) ? [...given] : [undefined];
    return ids.every((each) => typeof each === "string") && ids;
  });
}

/** @throws ThreadkeepError `invalid_options` */
export function ensureConversation(where: string, given: Conversation): void {
  checked(`${where} takes an open Conversation`, () => typeof given.id === "string" && typeof given.subscribe === "function");
}

/** The result of `read`, if it is something; it may throw, because the host's objects do. */
export function checked<T>(message: string, read: () => T | false): T {
  let found: T | false = false;
  let cause: unknown;
  try {
    found = read();
  } catch (error) {
    cause = error;
  }
  if (found === false) throw new ThreadkeepError("invalid_options", message, { cause });
  return found;
}
