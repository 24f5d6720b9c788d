// Where the value of a secret comes from.
import { ThreadkeepError, invalidOptions, optionsOf, reading, textsOf } from "../errors.js";

/** A secret that is fetched when a tool asks for it (the SDK's `LookupSecret`): the answer's text is its value. */
export interface LookupSecret {
  /** `http:` or `https:`; a path is relative to the page. */
  url: string;
  /** Those whose names look secret are stored redacted or encrypted, like a value. */
  headers?: Record<string, string> | undefined;
}

/** A value, a function that is asked each time a tool asks, or where to fetch it. */
export type SecretValue = string | (() => string | Promise<string>) | LookupSecret;

/** Secrets by name, as the host gave them: checked and copied. `null` takes one away. @internal */
export function checkedSecrets(given: unknown): Record<string, SecretValue | null> {
  return reading("secrets", () => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) throw invalidOptions("secrets must be an object of secrets by name");
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, checked(name, value)]));
  });
}

function checked(name: string, value: unknown): SecretValue | null {
  if (name.trim() === "") throw invalidOptions("a secret needs a name");
  if (value === null || typeof value === "string" || typeof value === "function") return value as SecretValue | null;
  if (typeof value === "object") {
    const { url, headers = {} } = optionsOf(`secret ${name}`, value as LookupSecret, "url headers");
    if (typeof url === "string") return { url: absolute(name, url), headers: textsOf(`headers of secret ${name}`, headers) };
  }
  throw invalidOptions(`secret ${name} must be a string, a function, or { url, headers }`);
}

function absolute(name: string, given: string): string {
  const url = URL.canParse(given, globalThis.document?.baseURI) ? new URL(given, globalThis.document?.baseURI) : undefined;
  if (url?.protocol === "https:" || url?.protocol === "http:") return url.href;
  throw invalidOptions(`the url of secret ${name} must be an http: or https: URL`);
}

/** As long as the SDK waits. */
const patience = 30_000;

/**
 * Resolves a secret. What goes wrong is said without any word of the server's or the function's, which could hold it.
 * @internal
 */
export async function resolve(name: string, source: SecretValue, signal?: AbortSignal): Promise<string> {
  if (typeof source === "string") return source;
  return typeof source === "function" ? untilAborted(ask(name, source), signal) : fetchSecret(name, source, signal);
}

/** A user who is asked may never answer: then the call that waits is told when nobody waits for it. */
function untilAborted(answer: Promise<string>, signal: AbortSignal | undefined): Promise<string> {
  if (!signal) return answer;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    answer.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

async function ask(name: string, source: () => string | Promise<string>): Promise<string> {
  let value: unknown;
  try {
    value = await source();
  } catch (cause) {
    throw new ThreadkeepError("invalid_state", `the function that gives secret ${name} failed`, { cause });
  }
  if (typeof value === "string") return value;
  throw invalidOptions(`the function that gives secret ${name} must return a string`);
}

async function fetchSecret(name: string, { url, headers = {} }: LookupSecret, signal?: AbortSignal): Promise<string> {
  const { origin } = new URL(url);
  const waiting = AbortSignal.timeout(patience);
  let response: Response;
  try {
    response = await fetch(url, {
      headers,
      signal: signal ? AbortSignal.any([signal, waiting]) : waiting,
      // A copy on the disk would be one more place where it is; a redirect would take the headers along.
      cache: "no-store",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    if (response.ok) return await response.text();
  } catch {
    signal?.throwIfAborted();
    throw new ThreadkeepError("network", `secret ${name} could not be fetched from ${origin}: there was no answer`);
  }
  const { status } = response;
  throw new ThreadkeepError("network", `secret ${name} could not be fetched: ${origin} answered ${status}`, { status });
}
