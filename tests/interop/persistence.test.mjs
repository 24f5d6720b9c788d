// The example 10_persistence.py of the SDK, line by line in a page: an agent with a terminal, a file editor and a server that
// fetches writes facts into a file, its browser is killed, and the next message deletes the file. After either step the
// exported directory goes on in Python, with the same tools and the same files.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { sdkForTests } from "./session.mjs";
import { python } from "./setup.mjs";

const facts = "1. It is written in Python.\n2. It runs agents.\n3. It is free software.\n";
const call = (name, args) => ({ calls: [{ name, arguments: args }] });
const place = mkdtempSync(path.join(tmpdir(), "threadkeep-persistence-"));
const sdk = sdkForTests();
let server;
/** The process of the MCP server, and its URL. */
let fetcher;
let mcp;

before(async () => {
  if (sdk()) {
    const { argv, env } = await python();
    fetcher = spawn(argv[0], [...argv.slice(1), path.join(import.meta.dirname, "fetch_server.py")], {
      env,
      stdio: ["pipe", "pipe", "ignore"],
    });
    const [line] = await Promise.race([
      once(fetcher.stdout, "data"),
      once(fetcher, "exit").then(([code]) => assert.fail(`the MCP server ended with ${code}`)),
    ]);
    mcp = String(line).trim();
  }
  server = await startServer({
    mounts: {
      "/project": (_, response) => {
        response
          .writeHead(200, { "content-type": "text/html" })
          .end(`<title>The project</title><ul>${facts.replace(/\d\. (.*)\n/g, "<li>$1</li>")}</ul>`);
        return true;
      },
    },
  });
});
after(async () => {
  await server.close();
  fetcher?.stdin.end();
  rmSync(place, { recursive: true, force: true });
});

/**
 * The example up to a message: opens the conversation, sends the message, and runs. Returns the results of the calls, the files of
 * the workspace, and the files of the conversation as an export has them.
 */
async function converse({ id, baseUrl, mcp, origin, message, closes = true }) {
  const { Agent, Conversation, LLM, fetchTool, fileEditor, indexedDBStore, terminal } = await import("/threadkeep/index.js");
  const llm = new LLM({ usageId: "agent", model: "openai/gpt-4o", baseUrl, apiKey: "sk-scripted" });
  // Without Python there is no server: a tool of the page has the same name and arguments.
  const reading = mcp ? { mcpServers: { fetch: { url: mcp } } } : { tools: [fetchTool({ allow: [origin] })] };
  const agent = new Agent({ llm, ...reading, tools: [terminal(), fileEditor(), ...(reading.tools ?? [])] });
  const store = indexedDBStore("persistence");
  const conversation = await Conversation.open({ agent, conversationId: id, store });
  const before = conversation.events.length;
  await conversation.sendMessage(message);
  const { status, finalResponse } = await conversation.run();
  const events = (await conversation.events.slice()).slice(before);
  const results = events.flatMap(({ kind, observation }) =>
    kind === "ObservationEvent" ? [[observation.kind, observation.content.map(({ text }) => text).join("")]] : [],
  );
  const files = (await conversation.workspace.list("")).map(({ path }) => path);
  const zip = new Uint8Array(await (await conversation.exportZip({ workspace: true })).arrayBuffer());
  const exported = btoa(Array.from(zip, (byte) => String.fromCharCode(byte)).join(""));
  if (closes) await conversation.close();
  return { status, finalResponse, results, files, exported };
}

/** Asks the SDK about the file, with its terminal and its editor. Returns the files, and the editor's text. */
async function goOnInPython(exported, id, name) {
  const { unpacked } = await import("../support/files.mjs");
  const directory = path.join(place, name, id.replaceAll("-", ""));
  mkdirSync(path.join(directory, "workspace"), { recursive: true });
  for (const [file, content] of unpacked(Buffer.from(exported, "base64"))) {
    mkdirSync(path.dirname(path.join(directory, file)), { recursive: true });
    writeFileSync(path.join(directory, file), content);
  }
  const calls = [
    ["terminal", { command: "cat FACTS.txt" }],
    ["file_editor", { command: "view", path: "{workspace}/FACTS.txt" }],
  ];
  const { ok, error, results, files, execution_status: status } = await sdk().resume(directory, "Looked.", { in_place: true, calls });
  assert.ok(ok, error);
  assert.equal(status, "finished");
  // On a busy machine the SDK's terminal returns before the command has run, so its text is not compared.
  return { files, shown: results[1] };
}

for (const kind of availableBrowsers) {
  test(`${kind}: facts are written, the browser is killed, the file is deleted; each goes on in Python`, async (t) => {
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-persistence-${kind}-`));
    const id = crypto.randomUUID();
    const url = `${server.origin}/project`;
    const model = createModel([
      call("fetch", { url }),
      call("file_editor", { command: "create", path: "/workspace/FACTS.txt", file_text: facts }),
      call("terminal", { command: "wc -l FACTS.txt && cat FACTS.txt" }),
      { text: "I wrote three facts." },
      call("terminal", { command: "rm FACTS.txt && ls" }),
      { text: "The file is deleted." },
      call("finish", { message: "I created FACTS.txt, which you had me delete." }),
    ]);
    const { baseUrl, close } = await model.listen();
    const given = { id, baseUrl, mcp, origin: server.origin };
    let browser = await launch(kind, { profile });
    try {
      await browser.page(`${server.origin}/pages/blank.html`);
      const written = await browser.evaluate(converse, {
        ...given,
        message: `Read ${url}. Then write 3 facts about the project into FACTS.txt.`,
        closes: false,
      });
      assert.deepEqual([written.status, written.files], ["finished", ["FACTS.txt"]]);
      assert.deepEqual(
        written.results.map(([kind]) => kind),
        ["MCPToolObservation", "FileEditorObservation", "TerminalObservation"],
      );
      assert.match(written.results[0][1], /It is written in Python/);
      assert.equal(written.results[2][1], `3 FACTS.txt\n${facts.trimEnd()}`);
      await browser.kill();

      browser = await launch(kind, { profile });
      await browser.page(`${server.origin}/pages/blank.html`);
      const deleted = await browser.evaluate(converse, { ...given, message: "Great! Now delete that file." });
      assert.deepEqual([deleted.status, deleted.files, deleted.results], ["finished", [], [["TerminalObservation", ""]]]);
      const told = await browser.evaluate(converse, { ...given, message: "Hey what did you create? Return an agent finish action" });
      assert.equal(told.finalResponse, "I created FACTS.txt, which you had me delete.");
      model.check();

      if (!sdk()) return t.skip("no SDK");
      const there = await goOnInPython(written.exported, id, `${kind}-written`);
      assert.deepEqual(there.files, { "FACTS.txt": facts });
      assert.match(there.shown, /2\tIt runs|2\t2\. It runs agents/);
      const gone = await goOnInPython(deleted.exported, id, `${kind}-deleted`);
      assert.deepEqual(gone.files, {});
      assert.match(gone.shown, /does not exist/);
    } finally {
      await browser.kill();
      await close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}
