// The tool `fetch`. Its name and arguments are those of the MCP server `mcp-server-fetch`, which Python programs use.
import { tool } from "../tool/tool.js";
import type { Tool, ToolContext } from "../tool/types.js";
import { type AllowedAddresses, allowedAddresses, fetchAllowed } from "./allowed-fetch.js";
import { textOfHTML } from "./html.js";

interface FetchArguments {
  url: string;
  max_length?: number;
  start_index?: number;
  raw?: boolean;
}

const defaultLength = 5_000;

export function define(allow: readonly string[], fetch: typeof globalThis.fetch | undefined): Tool {
  const allowed = allowedAddresses(allow);
  return tool<FetchArguments>({
    name: "fetch",
    description: `Reads the text at an address; web pages as Markdown. Allowed addresses begin with: ${allow.join(", ")}.`,
    parameters: {
      type: "object",
      properties: {
        url: { type: "string", description: "The complete address." },
        max_length: {
          type: "integer",
          minimum: 1,
          maximum: 1_000_000,
          default: defaultLength,
          description: "The most characters to return.",
        },
        start_index: { type: "integer", minimum: 0, default: 0, description: "The first character to return, to read on in a long text." },
        raw: { type: "boolean", default: false, description: "Whether to return HTML as it is." },
      },
      required: ["url"],
    },
    annotations: { title: "fetch", readOnlyHint: true, openWorldHint: true },
    execute: (args, context) => execute(allowed, args, context, fetch),
  });
}

/** The text at an address, and the error of a server as well. Other errors are thrown. */
async function execute(
  allowed: AllowedAddresses,
  args: FetchArguments,
  { signal }: ToolContext,
  fetch?: typeof globalThis.fetch,
): Promise<string> {
  const { url, max_length: length = defaultLength, start_index: start = 0, raw = false } = args;
  const headers = { accept: "text/markdown, text/html, text/plain, application/json;q=0.9, */*;q=0.1" };
  const response = await fetchAllowed(allowed, { url, headers }, { signal, fetch });
  const type = response.headers["content-type"] ?? "";
  const isOK = response.status >= 200 && response.status < 300;
  const heading = isOK
    ? `Contents of ${response.url}:\n`
    : `${response.url} answered with status ${response.status} ${response.statusText}`.trimEnd() + ":\n";
  if (!isText(type, response.body)) return `${heading}(${response.body.length} bytes of type ${type || "unknown"}, which is no text)`;
  const text = decoded(type, response.body);
  const content = [...(raw || !/html/i.test(type) ? text : textOfHTML(text, response.url))];
  if (start >= content.length) return `${heading}(no more text: it has ${content.length} characters)`;
  const rest = content.length - start - length;
  const more = rest > 0 ? `\n\n(${rest} characters follow: call fetch with start_index ${start + length})` : "";
  return heading + content.slice(start, start + length).join("") + more;
}

function isText(type: string, body: Uint8Array): boolean {
  return type === "" ? !body.subarray(0, 1000).includes(0) : /^text\/|json|xml|javascript|yaml|csv|x-www-form-urlencoded/i.test(type);
}

function decoded(type: string, body: Uint8Array): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
