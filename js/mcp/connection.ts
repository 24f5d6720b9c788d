// A connection to a server, whichever way it is reached.
import { CallFailure } from "./failure.js";
import type { OAuthLogin } from "./oauth.js";
import type { Connection, ConnectionEvents, ServerOptions } from "./types.js";

export async function connect(
  options: ServerOptions,
  login: OAuthLogin | undefined,
  events: ConnectionEvents,
  signal: AbortSignal,
): Promise<Connection> {
  if (options.page) {
    if (!options.page.tools) throw new CallFailure("failed", "this browser has no tools of pages (document.modelContext)");
    return (await import("./page-tools.js")).connectToPage(options.page.tools, events.onListChanged);
  }
  return (await import("./client.js")).connectClient(options, login, events, signal);
}
