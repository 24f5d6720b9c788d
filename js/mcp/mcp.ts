// MCP servers of an agent: their options and their state. The code behind is loaded when an agent with servers is opened.
import type { OpenServers } from "./index.js";
import { part } from "../wasm/wasm.js";
import { loginChannel } from "./login-channel.js";
import type { ServerPlace } from "./types.js";

/** Ends a login in the window that `login()` has opened: the page at `redirectUrl` calls it. */
export function finishMCPLogin(): void {
  const channel = new BroadcastChannel(loginChannel);
  channel.postMessage(location.href);
  // A message that was posted is delivered, even if the window is closed at once.
  channel.close();
  close();
}

/** The servers of the agent, and the filter of its tools, if it has either. @internal */
export async function openServers(place: ServerPlace): Promise<OpenServers | undefined> {
  const { mcpServers, filterToolsRegex } = place.agent;
  if (mcpServers === undefined && filterToolsRegex === undefined) return undefined;
  return (await part(import("./index.js"))).openServers(place);
}
