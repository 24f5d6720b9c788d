// The tools of servers as last listed, in a further file of the conversation: an opened conversation has them at once, and
// knows what to do with a call that was running when the page died. The file may come from an import; so everything in it
// is checked like what a server sends, and it only counts for servers that the host gives with the same URL.
import type { Store } from "../store/store.js";
import { isObject } from "./schemas.js";
import { usableTools } from "./tools.js";
import type { ServerOptions, ServerTool } from "./types.js";

export const storedTools = "mcp_tools.json";

export interface StoredServer {
  /** The tools with the names by which the model calls them. */
  tools: Array<{ tool: ServerTool; calledAs: string | undefined }>;
}

export async function readStored(
  store: Store,
  conversation: string,
  servers: readonly ServerOptions[],
): Promise<Map<string, StoredServer>> {
  const found = new Map<string, StoredServer>();
  try {
    const bytes = await store.readFile(conversation, storedTools);
    const stored: unknown = bytes && JSON.parse(new TextDecoder().decode(bytes));
    for (const options of servers) {
      const server =
        isObject(stored) && isObject(stored["servers"]) && Object.hasOwn(stored["servers"], options.name)
          ? stored["servers"][options.name]
          : undefined;
      if (!isObject(server) || server["url"] !== placeOf(options) || !Array.isArray(server["tools"])) continue;
      const { tools } = usableTools(server["tools"], options.limits.maxTools);
      const names = new Map(server["tools"].filter(isObject).map((tool) => [tool["name"], tool["called_as"]]));
      const calledAs = (name: unknown) => (typeof name === "string" ? name : undefined);
      found.set(options.name, { tools: tools.map((tool) => ({ tool, calledAs: calledAs(names.get(tool.name)) })) });
    }
  } catch {
    // Without the file, the tools are known when the servers have listed them.
  }
  return found;
}

/** The text of the file. */
export function writtenTools(
  servers: ReadonlyArray<{ options: ServerOptions; tools: ReadonlyArray<ServerTool & { called_as: string }> }>,
): string {
  return JSON.stringify({
    servers: Object.fromEntries(servers.map(({ options, tools }) => [options.name, { url: placeOf(options), tools }])),
  });
}

/** The URL of a server without a query, in which there may be a key; `null` for a server in the page. */
export function placeOf({ remote }: ServerOptions): string | null {
  return remote ? remote.url.origin + remote.url.pathname : null;
}
