// Requests of tools, to the addresses only that the host allows.
import { bodyOf } from "../input/bytes.js";
import { ThreadkeepError, invalidOptions, textOf } from "../input/errors.js";

/** Addresses that the host allows: origins, or parts of them. */
export interface AllowedAddresses {
  /** As the host has written them, for errors and descriptions. */
  readonly list: readonly string[];
  readonly urls: readonly URL[];
}

export interface AllowedRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

export interface AllowedResponse {
  url: string;
  status: number;
  statusText: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

interface Limits {
  signal: AbortSignal;
  /** The longest response in bytes. Default 5 MiB. */
  maxBytes?: number;
  /** Default 30. */
  seconds?: number;
  /** Used in place of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
}

const mostRedirects = 5;

/** @throws ThreadkeepError `invalid_options` for what is no address */
export function allowedAddresses(list: readonly unknown[]): AllowedAddresses {
  const urls = list.map((address) => {
    const url = typeof address === "string" && /^https?:\/\/[^*]+$/.test(address) ? parsed(address) : undefined;
    if (!url || url.username || url.password || url.search || url.hash) {
      throw invalidOptions(
        `${JSON.stringify(textOf(address))} must be an address such as "https://api.example.com" or "https://api.example.com/v1/"`,
      );
    }
    return url;
  });
  return { list: list.map(String), urls };
}

/** @throws ThreadkeepError `invalid_options` for an address that is not allowed, `network`, `aborted` */
export async function fetchAllowed(
  allowed: AllowedAddresses,
  { url: address, method = "GET", headers = {}, body }: AllowedRequest,
  limits: Limits,
): Promise<AllowedResponse> {
  const { maxBytes = 5 << 20, seconds = 30, fetch = globalThis.fetch } = limits;
  const timeout = AbortSignal.timeout(seconds * 1000);
  const signal = AbortSignal.any([limits.signal, timeout]);
  let url = checked(allowed, address);
  try {
    for (let redirects = 0; ; redirects++) {
      // Nothing of the page's user goes with the request. A redirect could lead anywhere.
      const response = await fetch(url.href, {
        method,
        headers,
        body: body ?? null,
        signal,
        credentials: "omit",
        redirect: "manual",
        referrerPolicy: "no-referrer",
        cache: "no-store",
      });
      // Browsers hide where a redirect leads; other environments do not.
      if (response.type === "opaqueredirect")
        throw notAllowed(`${url.href} redirects to another address, which a web page cannot check; redirects are not followed`);
      const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
      if (location === null) {
        let size = 0;
        return {
          url: url.href,
          status: response.status,
          statusText: response.statusText,
          headers: Object.fromEntries(response.headers),
          body: await bodyOf(response, (length) => {
            size += length;
            if (size > maxBytes) throw notAllowed(`the answer of ${response.url} is longer than ${maxBytes} bytes`);
          }),
        };
      }
      await response.body?.cancel();
      if (redirects === mostRedirects) throw notAllowed(`${address} redirects more than ${mostRedirects} times`);
      if (method !== "GET" && method !== "HEAD")
        throw notAllowed(`${url.href} redirects to ${location}; redirects of ${method} are not followed`);
      url = checked(allowed, new URL(location, url).href);
    }
  } catch (error) {
    if (error instanceof ThreadkeepError) throw error;
    if (limits.signal.aborted) throw new ThreadkeepError("aborted", "the request was stopped", { cause: error });
    const why = timeout.aborted
      ? `there was no complete answer within ${seconds} seconds`
      : `${textOf(error)}; the server may be unreachable, or does not allow requests from web pages (CORS)`;
    throw new ThreadkeepError("network", `${url.href} could not be fetched: ${why}`, { cause: error });
  }
}

function checked({ list, urls }: AllowedAddresses, address: string): URL {
  const url = parsed(address);
  if (!url) throw notAllowed(`${JSON.stringify(address)} is not a complete address`);
  if (url.username || url.password) throw notAllowed(`${url.href} may not contain a user name or a password`);
  if (!urls.some((allowed) => isBelow(url, allowed)))
    throw notAllowed(`${url.href} is not allowed; allowed addresses begin with: ${list.join(", ")}`);
  return url;
}

/** Whether an address is at or below another one. Servers may take an encoded slash for a slash. */
function isBelow(url: URL, { origin, pathname }: URL): boolean {
  if (url.origin !== origin) return false;
  if (pathname === "/") return true;
  if (/%2f|%5c|%2e|\\/i.test(url.pathname)) return false;
  return url.pathname === pathname || url.pathname.startsWith(pathname.endsWith("/") ? pathname : `${pathname}/`);
}

function parsed(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function notAllowed(message: string): ThreadkeepError {
  return invalidOptions(message);
}
