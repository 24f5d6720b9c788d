// A conversation with an MCP server, in Python: its calls and results are the SDK's, and its servers are in a form that the
// SDK reads.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { connected, opened } from "../mcp/opened.mjs";
import { everything } from "../mcp/servers.mjs";
import { sdkForTests } from "./session.mjs";

const sdk = sdkForTests();
let server;
const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-mcp-"));
before(async () => {
  server = await everything("streamableHttp");
});
after(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("Python opens and continues a conversation with MCP tools", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const script = [
    {
      calls: [
        { name: "echo", arguments: { message: "hi" } },
        { name: "get-tiny-image", arguments: {} },
      ],
    },
    { text: "Done." },
  ];
  const mcpServers = {
    all: { url: server.url, transport: "http", headers: { "X-Key": "a-secret-of-mine" }, auth: { token: "another-secret" } },
  };
  const { conversation } = await opened(mcpServers, { script, agent: { filterToolsRegex: "echo|get-" } });
  await connected(conversation, "all");
  await conversation.sendMessage("Go");
  await conversation.run();
  const file = path.join(folder, "conversation.zip");
  writeFileSync(file, Buffer.from(await (await conversation.exportZip()).arrayBuffer()));
  await conversation.close();
  const found = await sdk().check(file);
  assert.ok(found.ok, found.error ?? JSON.stringify(found.refused));
  const resumed = await sdk().resume(file);
  assert.ok(resumed.ok, resumed.error);
});
