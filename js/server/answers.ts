// The words of an agent server, as far as this page reads it itself: answers, and the reasons of its refusals. All of it is untrusted: it may
// be no such server at all, or repeat what only it should know.
import { wellFormed } from "../input/arguments.js";
import { bodyOf } from "../input/bytes.js";
import { textOf, ThreadkeepError } from "../input/errors.js";
import type { AgentServerOptions } from "./server.js";

/** The text that stands for the key, as for every secret. */
const hidden = "<secret-hidden>";

/** The least letters of a key that is hidden; shorter ones occur in many words by chance. */
const shortest = 4;

/** The most bytes of an answer. */
export const mostBytes = 256 << 20;

/** So much of a reason is shown. */
const longestReason = 300;

/** The text of an answer. */
export const decoded = (content: Uint8Array): string => new TextDecoder().decode(content);

/** The text without the key. What is shown of a text is cut off after this. */
export function withoutKey(text: string, { apiKey = "" }: AgentServerOptions): string {
  const spellings = [apiKey, JSON.stringify(apiKey).slice(1, -1), encodeURIComponent(wellFormed(apiKey))];
  const masked = (text: string, spelling: string) => (spelling.length < shortest ? text : text.replaceAll(spelling, hidden));
  return spellings.reduce(masked, text);
}

/** An error about this server, whose message does not have the key. */
export function serverError(
  server: AgentServerOptions,
  code: ThreadkeepError["code"],
  message: string,
  options: { status?: number; cause?: unknown } = {},
): ThreadkeepError {
  const { cause, ...rest } = options;
  // A browser repeats a header that it does not take.
  const isOpen = cause !== undefined && withoutKey(textOf(cause), server) === textOf(cause);
  return new ThreadkeepError(code, withoutKey(message, server), { ...rest, ...(isOpen && { cause }) });
}

/** The error without the key of this server in its message. */
export function masked(server: AgentServerOptions, error: unknown): unknown {
  if (!(error instanceof ThreadkeepError)) return error;
  const message = withoutKey(error.message, server);
  if (message === error.message) return error;
  return new ThreadkeepError(error.code, message, {
    retryable: error.retryable,
    ...(error.status !== undefined && { status: error.status }),
  });
}

/** The JSON of an answer, as `take` reads it. @throws ThreadkeepError `network`, which says what was found instead */
export function answered<T>(server: AgentServerOptions, content: Uint8Array, take: (json: any) => T): T {
  const text = decoded(content);
  const otherwise = (found: string) =>
    serverError(server, "network", `${server.host} has answered with ${found}, which no agent server does: is this its address?`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw otherwise(/^\s*<(!doctype|html)/i.test(text) ? "a web page" : `something that is not JSON, ${excerpt(server, text)}`);
  }
  try {
    return take(json);
  } catch {
    throw otherwise(`other JSON, ${excerpt(server, text)}`);
  }
}

/** For `take` of `answered()`. @throws TypeError if this does not hold */
export function expect(holds: boolean): asserts holds {
  if (!holds) throw new TypeError("it is of another form");
}

function excerpt(server: AgentServerOptions, whole: string): string {
  const most = 60;
  const text = withoutKey(whole, server);
  return JSON.stringify(text.length > most ? `${text.slice(0, most)}…` : text);
}

/** The bytes of a response. @throws ThreadkeepError `too_large` */
export function bytesOf(server: AgentServerOptions, response: Response): Promise<Uint8Array> {
  let length = 0;
  return bodyOf(response, (more) => {
    length += more;
    if (length > mostBytes)
      throw serverError(server, "too_large", `the answer of the agent server ${server.host} has more than ${mostBytes >> 20} MiB`);
  });
}

/** The error about a request that has got no answer; `within` if that was for its time, in milliseconds. */
export function unreachable(server: AgentServerOptions, error: unknown, within?: number): ThreadkeepError {
  const { host } = server;
  if (within !== undefined)
    return serverError(server, "network", `the agent server ${host} has not answered for ${within / 1000} s: it hangs, or is none`, {
      cause: error,
    });
  const isMixed = globalThis.location?.protocol === "https:" && /^http:\/\/(?!localhost\b|127\.)/.test(host);
  const why = isMixed
    ? "a page that was loaded over https may not use a server over http: give the server a certificate"
    : "it does not run, or it does not allow pages of this origin: start it with this origin in OH_ALLOW_CORS_ORIGINS";
  return serverError(server, "network", `the agent server ${host} cannot be reached (${textOf(error)}): ${why}`, { cause: error });
}

/** The error about a refusal with this status and text. */
export function refused(server: AgentServerOptions, status: number, text: string): ThreadkeepError {
  const { host } = server;
  const said = reasonIn(server, text);
  const of = (code: ThreadkeepError["code"], message: string) => serverError(server, code, message, { status });
  if (status === 401)
    return of("server_auth", `the agent server ${host} refuses the key; give agentServer() the one that it was started with`);
  if (status === 404) return of("not_found", `the agent server ${host} does not have this: ${said}`);
  if (status === 409) return of("invalid_state", `the agent server refuses this now: ${said}`);
  if (status === 400 || status === 422) return of("invalid_options", `the agent server does not understand this: ${said}`);
  return of("network", `the agent server ${host} has failed with ${status}: ${said}`);
}

/** The reason that a server gives, without what it may repeat of the request. */
function reasonIn(server: AgentServerOptions, text: string): string {
  let said: unknown;
  try {
    said = JSON.parse(text)?.detail;
  } catch {
    // A proxy may answer with a page.
  }
  const mistake = (each: { loc?: unknown; msg?: unknown } | null) => {
    const place = Array.isArray(each?.loc) ? each.loc.filter((name) => typeof name !== "object").join(".") : "";
    return typeof each?.msg === "string" ? [`${place}: ${each.msg}`] : [];
  };
  if (Array.isArray(said)) said = said.flatMap(mistake).join("; ");
  return typeof said === "string" && said !== "" ? withoutKey(said, server).slice(0, longestReason) : "it gives no reason";
}
