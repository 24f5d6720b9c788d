// Sources of secrets.
import { wellFormed } from "../input/arguments.js";
import { ThreadkeepError, invalidOptions, optionsOf, reading, textsOf } from "../input/errors.js";

/** A secret that is fetched each time a tool asks for it (the SDK's `LookupSecret`): the response's text is its value. */
export interface LookupSecret {
  /** An `http:` or `https:` URL; a path is relative to the page. */
  url: string;
  /** Headers of the request. Values of headers with secret-looking names are stored redacted or encrypted. */
  headers?: Record<string, string> | undefined;
}

/** A value, a function that is called each time a tool asks, or a URL to fetch. */
export type SecretValue = string | (() => string | Promise<string>) | LookupSecret;

/** Checks and copies secrets by name; `null` removes one. @internal */
export function checkedSecrets(given: unknown): Record<string, SecretValue | null> {
  return reading("secrets", () => {
    if (typeof given !== "object" || given === null || Array.isArray(given))
      throw invalidOptions("secrets must be an object of secrets by name");
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [wellFormed(name), checked(name, value)]));
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

/** The SDK's timeout, in milliseconds. */
const timeout = 30_000;

/**
 * Resolves a secret. Errors contain no text of the server or the function, because it could contain the value.
 * @internal
 */
export async function resolve(name: string, source: SecretValue, signal?: AbortSignal): Promise<string> {
  if (typeof source === "string") return source;
  return typeof source === "function" ? untilAborted(ask(name, source), signal) : fetchSecret(name, source, signal);
}

/** A user who is asked may never answer; an aborted call does not wait longer. */
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
  const waiting = AbortSignal.timeout(timeout);
  let response: Response;
  try {
    response = await fetch(url, {
      headers,
      signal: signal ? AbortSignal.any([signal, waiting]) : waiting,
      // The value must not be written to the HTTP cache, and a redirect would pass the headers on.
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
