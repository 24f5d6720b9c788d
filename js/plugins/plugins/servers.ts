// MCP servers of plugins, in the form in which a host gives them. The values of `${VAR}` in headers are filled in with each request, and
// are neither stored nor shown.
import type { MCPRemoteServer } from "../../mcp/types.js";
import { core } from "./core.js";

/** The value of a secret of the conversation; `null` if there is none. */
export type SecretOf = (name: string) => Promise<string | null>;

interface Stored {
  url?: string;
  command?: string;
  transport?: string;
  headers?: Record<string, string>;
  timeout?: number;
  enabled?: boolean;
  auth?: {
    strategy?: string;
    value?: string;
    header_name?: string;
    username?: string;
    password?: string;
    headers?: Record<string, string>;
  };
}

/** The server, or a sentence that says why a page cannot use it; `undefined` for one that is switched off or is a program. */
export async function serverOf(name: string, stored: Stored, secretOf: SecretOf): Promise<MCPRemoteServer | string | undefined> {
  const { url: written, command, transport, timeout, enabled = true } = stored;
  if (!enabled || command !== undefined || written === undefined) return undefined;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name) || name === "__proto__")
    return "its name must be 1 to 40 letters, digits, underscores or dashes, and not __proto__";
  // An address is stored, so no secret is filled into it.
  const url: string = JSON.parse(await core("variables", { json: JSON.stringify(written), values: {} }));
  if (url.includes("${")) return "its address needs a variable that has no default";
  if (!URL.canParse(url)) return "its address is not a URL";
  const { protocol, username, password } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") return "its address must begin with https: or http:";
  if (username || password) return "its address contains a user name or password";
  const headers = headersOf(stored);
  if (headers === undefined) return "a page does not know how to log in there";
  try {
    new Headers(headers);
  } catch {
    return "a header of it is not valid";
  }
  const hasVariables = Object.values(headers).some((value) => value.includes("${"));
  return {
    url,
    ...(transport === "sse" ? { transport: "sse" } : transport !== undefined && { transport: "http" }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(timeout !== undefined && timeout > 0 && { timeout: Math.min(timeout, 2_000_000) }),
    ...(hasVariables && { fetch: filling(secretOf) }),
  };
}

/** Headers and the login in them; `undefined` for a login of another kind. */
function headersOf({ headers = {}, auth }: Stored): Record<string, string> | undefined {
  const { strategy, value, header_name, username, password, headers: own } = auth ?? {};
  if (auth === undefined || strategy === "none") return headers;
  if (strategy === "header") return { ...headers, ...own };
  if ((strategy === "bearer" || strategy === "api_key") && typeof value === "string")
    return { ...headers, ...(strategy === "api_key" && header_name ? { [header_name]: value } : { Authorization: `Bearer ${value}` }) };
  // A variable in it would be encoded before it has a value.
  const isPlain = typeof username === "string" && typeof password === "string" && !`${username}${password}`.includes("${");
  return strategy === "basic" && isPlain ? { ...headers, Authorization: `Basic ${btoa(`${username}:${password}`)}` } : undefined;
}

function filling(secretOf: SecretOf): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const written = JSON.stringify([...headers].filter(([, value]) => value.includes("${")));
    const names: string[] = JSON.parse(await core("variables", { json: written }));
    const values: Record<string, string> = {};
    for (const name of names) {
      const value = await secretOf(name);
      if (value !== null) values[name] = value;
    }
    const filled: Array<[string, string]> = JSON.parse(await core("variables", { json: written, values }));
    for (const [name, value] of filled) headers.set(name, value);
    return globalThis.fetch(input, { ...init, headers });
  };
}
