// The examples of docs/mcp.md are run, and its limits are those of the code.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, test } from "node:test";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as library from "../../dist/index.js";
import { createModel } from "../support/model.mjs";
import { connected, reached } from "./opened.mjs";
import { everything, withLogin } from "./servers.mjs";
import { examplesIn, runExample } from "../support/documented.mjs";

const documentation = readFileSync(path.resolve(import.meta.dirname, "../../docs/mcp.md"), "utf8");
const examples = examplesIn(documentation);
const servers = await Promise.all([everything("streamableHttp"), withLogin()]);
after(() => Promise.all(servers.map((server) => server.stop())));

test("the examples do what they say", async () => {
  assert.equal(examples.length, 8);
  const llm = new library.LLM({ model: "openai/m", fetch: createModel(() => ({ text: "Nothing." })).fetch });
  const ports = [];
  const names = {
    ...library,
    llm,
    store: library.memoryStore(),
    url: servers[0].url,
    protectedUrl: servers[1].url,
    passphrase: "a long passphrase",
    sessionToken: "t",
    output: { textContent: "" },
    changes: [],
    button: {},
    worker: { postMessage: ({ port }) => ports.push(port) },
  };
  const results = "conversation, finalResponse, reader, mcpServers, waiting, inPage, transportOf, withPage";
  const found = await runExample(examples.join("\n"), names, `{ ${results} }`);
  assert.equal(found.finalResponse, "Nothing.");
  assert.match(names.output.textContent, /^search: connected {2}\(\d+ tools\)\n$/);
  assert.ok(names.changes.includes("search is connected"), String(names.changes));
  assert.equal(await found.mcpServers.notes.auth.token(), "t");
  await reached(found.waiting, "notes", ({ state }) => state === "login");
  // Node has no windows.
  await assert.rejects(names.button.onclick(), { code: "invalid_state" });
  const server = new McpServer({ name: "page", version: "1" });
  server.registerTool("color", {}, () => ({ content: [] }));
  await server.connect(found.transportOf(ports[0]));
  const open = (agent) => library.Conversation.open({ agent, store: names.store });
  const [inPage, reader, withPage] = await Promise.all([found.inPage, found.reader, found.withPage].map(open));
  assert.deepEqual(
    (await connected(inPage, "page")).tools.map(({ name }) => name),
    ["color"],
  );
  assert.ok((await connected(reader, "search")).tools.every(({ name }) => /^(get-|echo$)/.test(name)));
  await reached(withPage, "page", ({ state }) => state === "failed");
  await Promise.all([found.conversation, found.waiting, inPage, reader, withPage].map((conversation) => conversation.close()));
  await server.close();
});
