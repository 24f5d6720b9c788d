// The one error class of the API.

/** A promise: a code never changes its meaning. `docs/errors.md` says what to do about each. */
export type ErrorCode =
  | "llm_auth"
  | "llm_rate_limit"
  | "llm_context_window"
  | "llm_content_policy"
  | "llm_bad_request"
  | "llm_unavailable"
  | "llm_timeout"
  | "network"
  | "offline"
  | "aborted"
  | "store_quota"
  | "store_blocked"
  | "store_lost"
  | "store_corrupt"
  | "locked_elsewhere"
  | "archive_invalid"
  | "id_mismatch"
  | "tools_mismatch"
  | "invalid_options"
  | "invalid_state"
  | "not_found"
  | "internal";

const retryable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "llm_rate_limit",
  "llm_unavailable",
  "llm_timeout",
  "network",
  "offline",
  "store_blocked",
  "locked_elsewhere",
]);

/** Every failure is one of these: a stable `code`, a sentence that says what to do, and the cause. */
export class ThreadkeepError extends Error {
  override readonly name = "ThreadkeepError";
  /** What a program acts on. */
  readonly code: ErrorCode;
  /** Whether the same call can succeed later with nothing changed. */
  readonly retryable: boolean;
  /** The HTTP status, where a server answered. */
  readonly status?: number;

  constructor(code: ErrorCode, message: string, options: { status?: number; retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? retryable.has(code);
    if (options.status !== undefined) this.status = options.status;
  }
}

/** An argument or option that is not of the documented form. */
export function invalidOptions(message: string): ThreadkeepError {
  return new ThreadkeepError("invalid_options", message);
}

/**
 * Reads what the host gave. Getters, proxies and `toJSON` may throw whatever they like; that is then no failure of
 * ours, but an argument that is not of the documented form. @internal
 */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ThreadkeepError) throw error;
    throw new ThreadkeepError("invalid_options", `${what} cannot be read: ${words(error)}`, { cause: error });
  }
}

/** Some text for anything, also for what refuses to be one. @internal */
export function words(value: unknown): string {
  try {
    return String(value instanceof Error ? value.message : value);
  } catch {
    return "something that is no text";
  }
}

/** What the wasm rejected or threw, as a `ThreadkeepError`. @internal */
export function fromCore(error: unknown): ThreadkeepError {
  if (error instanceof ThreadkeepError) return error;
  if (isCoreError(error)) {
    return new ThreadkeepError(error.code, error.message, error.status === undefined ? {} : { status: error.status });
  }
  return new ThreadkeepError("internal", `threadkeep failed: ${words(error)}; reload the page, nothing stored is lost`, { cause: error });
}

/** Waits for the wasm's promise; its rejections become `ThreadkeepError`s. @internal */
export async function settle(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise;
  } catch (error) {
    throw fromCore(error);
  }
}

/** Calls into the wasm; what it throws becomes a `ThreadkeepError`. @internal */
export function call<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fromCore(error);
  }
}

/** Calls a method of a conversation in the wasm that answers with a promise. @internal */
export async function ask<T>(core: Asked, method: string, ...args: unknown[]): Promise<T> {
  return (await settle(call(() => core.call(method, args)))) as T;
}

interface Asked {
  call(method: string, args: unknown[]): Promise<unknown>;
}

interface CoreError {
  code: ErrorCode;
  message: string;
  status?: number;
}

function isCoreError(error: unknown): error is CoreError {
  return typeof error === "object" && error !== null && "code" in error && "message" in error && typeof error.code === "string";
}
