// Programs of the documentation for Node, run as they are written; only the network is a scripted model.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Agent, Conversation, LLM, memoryStore } from "../../dist/index.js";
import { root } from "../../scripts/process.mjs";
import { blocks } from "../support/documented.mjs";
import { createModel } from "../support/model.mjs";

/** Inside the repository, where the package can import itself by its name. */
let folder;
before(() => {
  mkdirSync(path.join(root, ".cache"), { recursive: true });
  folder = mkdtempSync(path.join(root, ".cache/programs-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in the folder; every request of it gets this reply of a scripted model. */
function run(program, reply) {
  writeFileSync(path.join(folder, "program.mjs"), program);
  const model = pathToFileURL(path.join(root, "tests/support/model.mjs")).href;
  const preload = `
    import { createModel } from ${JSON.stringify(model)};
    const { fetch } = createModel(() => (${JSON.stringify(reply)}));
    globalThis.fetch = async (...request) => {
      const { url, method, headers, signal, body } = new Request(...request);
      return fetch(url, { method, headers, signal, body: await new Response(body).text() });
    };`;
  const options = { cwd: folder, encoding: "utf8", env: { ...process.env, OPENAI_API_KEY: "sk-test" } };
  return spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, "program.mjs"], options);
}

test("format.md: a conversation goes on in Node", async () => {
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", fetch: createModel([{ text: "We meet on Monday." }]).fetch }) });
  const store = memoryStore();
  const conversation = await Conversation.open({ agent, store });
  await conversation.sendMessage("When do we meet?");
  await conversation.run();
  const archive = path.join(folder, "conversation.zip");
  writeFileSync(archive, Buffer.from(await (await conversation.exportZip()).arrayBuffer()));
  await conversation.close();

  const program = blocks("docs/format.md").find((code) => code.includes("node:fs"));
  const refused = run(program, { status: 401, body: { error: { message: "Incorrect API key provided" } } });
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /Incorrect API key provided/);
  const { status, stdout, stderr } = run(program, { text: "You meet on Monday." });
  assert.equal(status, 0, stderr);
  assert.equal(stdout, "You meet on Monday.\n");
  const [{ id }] = await Conversation.importZip(readFileSync(archive), { store: memoryStore() });
  assert.equal(id, conversation.id);
});
