// The tools that a page has registered with WebMCP (https://webmachinelearning.github.io/webmcp/). Two forms of the list
// exist: `getTools()` of the draft, and `listTools()` of its first implementations.
import { isObject } from "./schemas.js";
import type { Connection, PageTools } from "./types.js";

export function connectToPage(tools: PageTools, onListChanged: () => void): Connection {
  const names = ["toolchange", "toolschanged"];
  for (const name of names) tools.addEventListener?.(name, onListChanged);
  tools.registerToolsChangedCallback?.(onListChanged);
  /** The page's own objects by name, which `executeTool()` of the draft takes. */
  let known = new Map<string, unknown>();
  return {
    async list() {
      const listed = [...((await (tools.getTools ?? tools.listTools)!.call(tools)) as Iterable<Record<string, unknown>>)];
      known = new Map(listed.map((tool) => [String(tool["name"]), tool]));
      return listed.map((tool) => ({
        name: tool["name"],
        title: tool["title"],
        description: tool["description"],
        annotations: tool["annotations"],
        inputSchema: schemaOf(tool["inputSchema"]),
      }));
    },
    async call(name, args, { signal }) {
      const tool = tools.getTools ? known.get(name) : name;
      if (tool === undefined) throw new Error("the page has no such tool any more");
      return resultOf(await tools.executeTool(tool, JSON.stringify(args), { signal }));
    },
    async close() {
      for (const name of names) tools.removeEventListener?.(name, onListChanged);
    },
  };
}

/** Some versions give the schema as JSON text. A tool without a schema takes no arguments. */
function schemaOf(schema: unknown): unknown {
  if (schema === undefined || schema === "") return { type: "object", properties: {} };
  return typeof schema === "string" ? JSON.parse(schema) : schema;
}

/** A result in the form of the protocol; a tool of a page may return any value, or it as JSON. */
function resultOf(output: unknown): Record<string, unknown> {
  let value = output;
  if (typeof output === "string") {
    try {
      value = JSON.parse(output);
    } catch {
      value = output;
    }
  }
  if (isObject(value) && Array.isArray(value["content"])) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return { content: [{ type: "text", text }] };
}
