// Checks the options of MCP servers.
import { isA, isFunction } from "../input/arguments.js";
import { invalidOptions, optionsOf, reading, textOf, textsOf } from "../input/errors.js";
import type { Limits, MCPAuth, MCPOAuthOptions, MCPServer, MCPTokenStorage, PageTools, Remote, ServerOptions } from "./types.js";

/** @throws ThreadkeepError `invalid_options`, naming server and option */
export function readServers(given: Readonly<Record<string, MCPServer>> = {}): ServerOptions[] {
  return reading("mcpServers", () => {
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw invalidOptions("mcpServers must be an object of servers by name: { search: { url } }");
    }
    return Object.entries(given).map(([name, server]) => readServer(name, server));
  });
}

function readServer(name: string, given: MCPServer): ServerOptions {
  const what = `MCP server ${JSON.stringify(name).slice(0, 80)}`;
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) {
    throw invalidOptions(`the name of ${what} must be 1 to 40 letters, digits, underscores or dashes`);
  }
  const places = ["url", "port", "modelContext"].filter((key) => reading(what, () => (given as never)?.[key] !== undefined));
  if (places.length !== 1) throw invalidOptions(`${what} must have a url, a port or a modelContext, and only one of them`);
  if ("port" in given) {
    const { port, ...rest } = optionsOf(what, given, "port timeout connectTimeout maxTools");
    if (!isFunction(port?.postMessage) || !isFunction(port.addEventListener)) throw invalidOptions(`port of ${what} must be a MessagePort`);
    return { name, limits: limitsOf(what, rest), port };
  }
  if ("modelContext" in given) {
    const { modelContext, ...rest } = optionsOf(what, given, "modelContext timeout connectTimeout maxTools");
    return { name, limits: limitsOf(what, rest), page: { tools: pageToolsOf(what, modelContext) } };
  }
  const { url, transport, headers, auth, fetch, ...rest } = optionsOf(
    what,
    given,
    "url transport headers auth fetch timeout connectTimeout maxTools",
  );
  if (transport !== undefined && transport !== "http" && transport !== "sse")
    throw invalidOptions(`transport of ${what} must be "http" or "sse"`);
  if (fetch !== undefined && !isFunction(fetch)) throw invalidOptions(`fetch of ${what} must be a function`);
  const texts = headers === undefined ? {} : textsOf(`headers of ${what}`, headers);
  const credentials = auth === undefined ? {} : readAuth(what, auth);
  if (auth !== undefined && Object.keys(texts).some((header) => header.toLowerCase() === "authorization")) {
    throw invalidOptions(`${what} has both auth and a header Authorization; give one of them`);
  }
  reading(`headers of ${what}`, () => new Headers(texts));
  return {
    name,
    limits: limitsOf(what, rest),
    remote: { url: urlOf(what, url), transport, headers: texts, token: undefined, oauth: undefined, fetch, ...credentials },
  };
}

function urlOf(what: string, given: unknown): URL {
  const text = textOf(given);
  const base = typeof location === "undefined" ? undefined : location.href;
  if (!URL.canParse(text, base)) throw invalidOptions(`url of ${what} is not a URL: ${text.slice(0, 80)}`);
  const url = new URL(text, base);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalidOptions(`url of ${what} must begin with https: or http:`);
  if (url.username || url.password) throw invalidOptions(`url of ${what} contains a user name or password; use auth or headers`);
  return url;
}

function readAuth(what: string, given: MCPAuth): Partial<Remote> {
  if ("oauth" in given) {
    const { oauth } = optionsOf(`auth of ${what}`, given as { oauth: MCPOAuthOptions }, "oauth");
    const options = optionsOf(`oauth of ${what}`, oauth, "redirectUrl scopes clientId clientSecret clientName authorize storage");
    const { redirectUrl, scopes, clientId, clientSecret, clientName, authorize, storage } = options;
    for (const [name, value] of Object.entries({ clientId, clientSecret, clientName })) {
      if (value !== undefined && typeof value !== "string") throw invalidOptions(`${name} of ${what} must be a string`);
    }
    if (redirectUrl !== undefined) urlOf(`redirectUrl of ${what}`, redirectUrl);
    const areScopes =
      scopes === undefined || typeof scopes === "string" || (Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string"));
    if (!areScopes) throw invalidOptions(`scopes of ${what} must be a string or an array of strings`);
    if (authorize !== undefined && !isFunction(authorize)) throw invalidOptions(`authorize of ${what} must be a function`);
    if (storage !== undefined && !isStorage(storage)) throw invalidOptions(`storage of ${what} must be an object with read() and write()`);
    return { oauth: options };
  }
  const { token } = optionsOf(`auth of ${what}`, given, "token");
  if (typeof token !== "string" && !isFunction(token))
    throw invalidOptions(`token of ${what} must be a string or a function that returns one`);
  return { token: typeof token === "string" ? () => token : token };
}

function isStorage(storage: MCPTokenStorage): boolean {
  return reading("storage", () => isFunction(storage?.read) && isFunction(storage.write));
}

function limitsOf(
  what: string,
  given: { timeout?: number | undefined; connectTimeout?: number | undefined; maxTools?: number | undefined },
): Limits {
  const { timeout = 300, connectTimeout = 30, maxTools = 128 } = given;
  for (const [name, value] of Object.entries({ timeout, connectTimeout })) {
    // Timers of browsers count milliseconds in 31 bits.
    if (!(Number.isFinite(value) && value > 0 && value <= 2_000_000))
      throw invalidOptions(`${name} of ${what} must be a number of seconds above 0`);
  }
  if (!(Number.isInteger(maxTools) && maxTools >= 1)) throw invalidOptions(`maxTools of ${what} must be a whole number of at least 1`);
  return { timeout: timeout * 1000, connectTimeout: connectTimeout * 1000, maxTools };
}

function pageToolsOf(what: string, given: unknown): PageTools | undefined {
  if (given === true) return modelContext();
  const tools = given as PageTools;
  if (isA(tools, Object) && (isFunction(tools.getTools) || isFunction(tools.listTools)) && isFunction(tools.executeTool)) return tools;
  throw invalidOptions(`modelContext of ${what} must be true, or an object with getTools() or listTools(), and executeTool()`);
}

/** The place where browsers with WebMCP list the tools of a page; older versions have it at other names. */
function modelContext(): PageTools | undefined {
  const page = globalThis as {
    document?: { modelContext?: PageTools };
    navigator?: { modelContext?: PageTools; modelContextTesting?: PageTools };
  };
  const places = [page.document?.modelContext, page.navigator?.modelContext, page.navigator?.modelContextTesting];
  return places.find((place) => isFunction(place?.getTools) || isFunction(place?.listTools));
}
