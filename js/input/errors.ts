// The error class of the API, and checks of the host's arguments, which throw such errors.
import type { CoreConversation } from "../../pkg/threadkeep.js";
import { type ErrorCode, retryableCodes } from "./generated/error-codes.js";

export type { ErrorCode };

const retryable: ReadonlySet<ErrorCode> = new Set(retryableCodes);

/** The class of all errors of the API: a stable `code`, a sentence that says what was wrong and what to do, and the cause. */
export class ThreadkeepError extends Error {
  override readonly name = "ThreadkeepError";
  /** A stable code that programs can branch on. */
  readonly code: ErrorCode;
  /** Whether the same call can succeed later without any change. */
  readonly retryable: boolean;
  /** The HTTP status, if a server answered. */
  readonly status?: number;

  constructor(code: ErrorCode, message: string, options: { status?: number; retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? retryable.has(code);
    if (options.status !== undefined) this.status = options.status;
  }
}

/** The error for an argument or option that does not have the documented form. */
export function invalidOptions(message: string): ThreadkeepError {
  return new ThreadkeepError("invalid_options", message);
}

/**
 * Reads an argument of the host. If one of its getters, proxies or `toJSON` methods throws, this is an `invalid_options`
 * error. @internal
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (isA(error, ThreadkeepError)) throw error;
    throw new ThreadkeepError("invalid_options", `${what} cannot be read: ${textOf(error)}`, { cause: error });
  }
}

/** The names in a text that has spaces between them. */
type Names<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Names<Rest> : Text;
type KeyOf<Options> = Options extends unknown ? keyof Options : never;
/** A type error unless the list of names is exactly that of the options. */
type Complete<Options, Text extends string> = [KeyOf<Options>, Names<Text>] extends [Names<Text>, KeyOf<Options>] ? unknown : never;

/**
 * A copy of an options object. `names` lists the options, separated by spaces. An unknown option throws, because otherwise
 * nobody would notice that it has no effect. @internal
 */
export function optionsOf<Options extends object, Text extends string>(
  what: string,
  given: Options,
  names: Text & Complete<Options, Text>,
): Options {
  return reading(`the options of ${what}`, () => {
    if (typeof given !== "object" || given === null) throw invalidOptions(`${what} takes an object of options`);
    const options = { ...given };
    const known = names.split(" ");
    const unknown = Object.keys(options)
      .find((name) => !known.includes(name))
      ?.slice(0, 40);
    if (unknown === undefined) return options;
    const far = known.map((name) => distance(unknown.toLowerCase(), name.toLowerCase()));
    throw invalidOptions(`${what} has no option ${JSON.stringify(unknown)}; did you mean ${known[far.indexOf(Math.min(...far))]}?`);
  });
}

/** The edit distance: the number of letters to insert or delete. */
function distance(one: string, other: string): number {
  let row = [...other, ""].map((_, i) => i);
  for (const letter of one) {
    let corner = row[0]!;
    let left = corner + 1;
    row = row.map((above, i) => {
      if (i) left = Math.min(left + 1, above + 1, corner + (letter === other[i - 1] ? 0 : 2));
      corner = above;
      return left;
    });
  }
  return row.at(-1)!;
}

/** A copy of an object of strings. @internal */
export function textsOf(name: string, given: unknown): Record<string, string> {
  return reading(name, () => {
    if (typeof given === "object" && given !== null && !Array.isArray(given)) {
      const texts = { ...given } as Record<string, string>;
      if (Object.values(texts).every((value) => typeof value === "string")) return texts;
    }
    throw invalidOptions(`${name} must be an object of strings`);
  });
}

/** Like `instanceof`, but false for a proxy that throws when it is asked, such as a revoked one. @internal */
export function isA<T>(value: unknown, kind: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}

/** A field of what somebody has thrown, which may be any value: `undefined` if it cannot be read. @internal */
export function fieldOf(thrown: unknown, name: string): unknown {
  try {
    return (thrown as Record<string, unknown> | null | undefined)?.[name];
  } catch {
    return undefined;
  }
}

/** A text for any value: the message of an error, otherwise the value as a string. Never throws. @internal */
export function textOf(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message : value);
  } catch {
    return "a value that cannot be shown";
  }
}

/** An error of the wasm as a `ThreadkeepError`. @internal */
export function fromCore(error: unknown): ThreadkeepError {
  if (isA(error, ThreadkeepError)) return error;
  const [code, message, status, again] = ["code", "message", "status", "retryable"].map((name) => fieldOf(error, name));
  if (typeof code === "string" && message !== undefined)
    return new ThreadkeepError(code as ErrorCode, message as string, {
      ...(status !== undefined && { status: status as number }),
      ...(again === true && { retryable: true }),
    });
  return new ThreadkeepError("internal", `threadkeep failed: ${textOf(error)}; reload the page, nothing stored is lost`, { cause: error });
}

/** Awaits a promise of the wasm; a rejection becomes a `ThreadkeepError`. @internal */
export async function settle<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    throw fromCore(error);
  }
}

/** Calls the wasm; its errors become `ThreadkeepError`s. @internal */
export function call<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fromCore(error);
  }
}

/** The methods that only read a conversation. */
const reads = new Set<Verb>([
  "events",
  "idOf",
  "indexOf",
  "finalResponse",
  "finalArguments",
  "pendingActions",
  "activeBranch",
  "branches",
  "versions",
  "catchUp",
  "subagentTask",
]);
/** The result of the last method that was called on a conversation, if it only reads. */
const asked = new WeakMap<CoreConversation, Promise<unknown> | undefined>();

/** Calls an asynchronous method of a conversation in the wasm. @internal */
export async function ask<M extends Verb>(
  core: CoreConversation,
  method: M,
  ...args: Parameters<CoreConversation[M]>
): Promise<Awaited<ReturnType<CoreConversation[M]>>> {
  type Answer = Awaited<ReturnType<CoreConversation[M]>>;
  const verb = core[method] as (...args: unknown[]) => Promise<Answer>;
  const answer: Promise<Answer> = settle(call(() => verb.apply(core, args)));
  asked.set(core, reads.has(method) ? answer : undefined);
  return answer;
}

/** The result of the last method that was called on a conversation, if it only reads. @internal */
export function lastRead(core: CoreConversation): Promise<unknown> | undefined {
  return asked.get(core);
}

/** The names of the asynchronous methods. */
type Verb = {
  [M in keyof CoreConversation]: CoreConversation[M] extends (...args: never[]) => Promise<unknown> ? M : never;
}[keyof CoreConversation];
