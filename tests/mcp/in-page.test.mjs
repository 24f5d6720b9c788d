// Servers in the page: behind a MessagePort with the server of the protocol's SDK, and the tools of a page (WebMCP).
import assert from "node:assert/strict";
import { test } from "node:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { connected, opened, reached, textOf } from "./opened.mjs";

/** The other side of a port. */
function transportOf(port) {
  const transport = {
    async start() {
      port.onmessage = ({ data }) => transport.onmessage?.(data);
    },
    async send(message) {
      port.postMessage(message);
    },
    async close() {
      port.close();
    },
  };
  return transport;
}

test("a server behind a MessagePort is called, and its new tools are picked up", async () => {
  const { port1, port2 } = new MessageChannel();
  const server = new McpServer({ name: "page", version: "1" });
  server.registerTool("color", { description: "The color of the page.", inputSchema: { part: z.string() } }, ({ part }) => ({
    content: [{ type: "text", text: `${part}: red` }],
  }));
  await server.connect(transportOf(port2));
  const { conversation } = await opened({ page: { port: port1 } });
  await connected(conversation, "page");
  assert.equal(textOf(await conversation.executeTool("color", { part: "body" })), "[Tool 'color' executed.]\nbody: red");
  server.registerTool("size", { description: "Its size." }, () => ({ content: [{ type: "text", text: "big" }] }));
  await reached(conversation, "page", ({ tools }) => tools.length === 2);
  assert.match(textOf(await conversation.executeTool("size")), /big/);
  assert.deepEqual(conversation.state.agent.mcp_config, {}, "Python has no way to reach it");
  await conversation.close();
  port1.close();
  port2.close();
});

/** As the draft of WebMCP has it: a list of objects, and calls with one of them. */
class ModelContext extends EventTarget {
  tools = new Map();
  registerTool(tool) {
    this.tools.set(tool.name, tool);
    this.dispatchEvent(new Event("toolchange"));
  }
  async getTools() {
    return [...this.tools.values()].map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }
  async executeTool(tool, json) {
    const result = await this.tools.get(tool.name).execute(JSON.parse(json));
    return JSON.stringify(result);
  }
}

/** As its first implementations have it: names, and schemas as JSON. */
const older = (context) => ({
  listTools: async () => (await context.getTools()).map((tool) => ({ ...tool, inputSchema: JSON.stringify(tool.inputSchema) })),
  executeTool: (name, json) => context.executeTool({ name }, json),
  registerToolsChangedCallback: (callback) => context.addEventListener("toolchange", callback),
});

for (const [form, of] of [
  ["getTools()", (context) => context],
  ["listTools()", older],
]) {
  test(`the tools of a page are called, with ${form}`, async () => {
    const context = new ModelContext();
    context.registerTool({
      name: "layer",
      description: "Shows a layer.",
      inputSchema: { type: "object", properties: { layer: { type: "string" } }, required: ["layer"] },
      execute: ({ layer }) => `shown: ${layer}`,
    });
    const { conversation } = await opened({ page: { modelContext: of(context) } });
    await connected(conversation, "page");
    assert.equal(textOf(await conversation.executeTool("layer", { layer: "sauce" })), "[Tool 'layer' executed.]\nshown: sauce");
    await assert.rejects(conversation.executeTool("layer", {}), { code: "invalid_options" });
    context.registerTool({
      name: "order",
      description: "Orders.",
      execute: () => ({ content: [{ type: "text", text: "no dough" }], isError: true }),
    });
    await reached(conversation, "page", ({ tools }) => tools.some(({ name }) => name === "order"));
    assert.equal((await conversation.executeTool("order")).is_error, true);
    await conversation.close();
  });
}

test("a browser without tools of pages is a failed server", async () => {
  const { conversation } = await opened({ page: { modelContext: true } });
  const { error } = await reached(conversation, "page", ({ state }) => state === "failed");
  assert.match(error, /document\.modelContext/);
  await conversation.close();
});

test("options of servers are checked and unknown ones refused by name", async () => {
  const refused = [
    [[], /mcpServers must be an object/],
    [{ "a b": { url: "https://x.test" } }, /name of MCP server/],
    [{ a: {} }, /must have a url, a port or a modelContext/],
    [{ a: { command: "npx" } }, /must have a url/],
    [{ a: { url: "ftp://x.test" } }, /must begin with https/],
    [{ a: { url: "https://u:p@x.test" } }, /user name or password/],
    [{ a: { url: "https://x.test", header: {} } }, /did you mean headers/],
    [{ a: { url: "https://x.test", auth: { token: 7 } } }, /token of MCP server/],
    [{ a: { url: "https://x.test", auth: { token: "t" }, headers: { authorization: "x" } } }, /both auth and a header/],
    [{ a: { url: "https://x.test", auth: { oauth: { scope: "x" } } } }, /did you mean scopes/],
    [{ a: { url: "https://x.test", timeout: 0 } }, /timeout of MCP server/],
    [{ a: { url: "https://x.test", headers: { "a b": "c" } } }, /headers of MCP server/],
    [{ a: { port: {} } }, /must be a MessagePort/],
    [{ a: { modelContext: {} } }, /modelContext of MCP server/],
  ];
  for (const [servers, expected] of refused)
    await assert.rejects(opened(servers), ({ code, message }) => code === "invalid_options" && expected.test(message), String(expected));
  await assert.rejects(opened({}, { agent: { filterToolsRegex: "(" } }), { code: "invalid_options" });
});
