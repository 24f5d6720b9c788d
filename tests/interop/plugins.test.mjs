// A plugin is loaded as the SDK loads it: the same manifest, skills, commands, agents, hooks and servers, and the same plugins are refused.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { Agent, Conversation, LLM, loadPlugin, memoryStore } from "../../dist/index.js";
import { filesOf, names } from "../plugins/directories.mjs";
import * as files from "../support/files.mjs";
import { listen } from "../support/listen.mjs";
import { until } from "../support/until.mjs";
import { sdkForTests } from "./session.mjs";

const sdk = sdkForTests();
const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "http://127.0.0.1:1/v1" }) });

const base64 = (files) => Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]));
/** The sentence is added where a skill is stored: see js/agent/skills/context.ts. */
const asked = "\n\nIf the request leaves one of these variables open, ask for it before you begin.";

/** The skills as a conversation with these plugins stores them. */
async function storedSkills(plugins) {
  const conversation = await Conversation.open({ agent, store: memoryStore(), plugins, allowPlugins: () => true });
  const { agent_context: context } = conversation.state.agent;
  await conversation.close();
  return context?.skills ?? [];
}

async function loaded(name) {
  let plugin;
  try {
    plugin = await loadPlugin(filesOf(name));
  } catch (error) {
    assert.equal(error.code, "invalid_options", error.stack);
    return { plugin: null };
  }
  const { manifest, commands, agents, hooks, mcpConfig: mcp_config } = plugin;
  return { plugin, ours: { manifest, skills: await storedSkills([plugin]), commands, agents, hooks, mcp_config } };
}

test("every plugin is loaded as the SDK loads it, alone and together", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  assert.ok(names.length >= 12, names.join());
  const { ok, error, plugins: theirs } = await sdk().ask({ command: "plugins", plugins: names.map((name) => base64(filesOf(name))) });
  assert.ok(ok, error);
  const together = theirs.pop();
  const found = [];
  for (const [place, name] of names.entries()) {
    const { plugin, ours } = await loaded(name);
    if (theirs[place].error) assert.equal(plugin, null, `${name}: ${theirs[place].error}`);
    else assert.deepEqual(plain(ours), plain(theirs[place]), name);
    if (plugin) found.push(plugin);
  }
  assert.equal(found.length, names.length - 2);
  assert.deepEqual(plain(await storedSkills(found)), plain(together.skills));
});

/** Without what is only in one of the two forms: a field that is null, and the sentence about inputs. */
function plain(value) {
  return JSON.parse(
    JSON.stringify(value, (_, each) => (each === null ? undefined : typeof each === "string" ? each.replace(asked, "") : each)),
  );
}

test("sources, variables and matchers mean to the SDK what the fixture records", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const { ok, error, count, differing } = await sdk().ask({ command: "plugin-texts" });
  assert.ok(ok, error);
  assert.deepEqual(differing, []);
  assert.ok(count > 20, `${count} decisions`);
});

test("a conversation with plugins goes to Python and back with the same commits", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const asked = [];
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const plugin = filesOf("everything");
  const server = await listen((request, response) => {
    const name = decodeURIComponent(request.url.slice("/p/".length));
    asked.push(name);
    response.end(name === "plugin-files.json" ? JSON.stringify({ commit, files: Object.keys(plugin) }) : plugin[name]);
  });
  t.after(() => server.close());
  const place = mkdtempSync(path.join(os.tmpdir(), "threadkeep-plugins-"));
  t.after(() => rmSync(place, { recursive: true, force: true }));
  const source = { source: `${server.origin}/p`, ref: "main" };
  const conversation = await Conversation.open({ agent, store: memoryStore(), plugins: [source], allowPlugins: () => true });
  await conversation.sendMessage("Hello");
  const resolved = [{ source: source.source, resolved_ref: commit, repo_path: null, original_ref: "main" }];
  await until(() => conversation.state.agent_state.resolved_plugins);
  assert.deepEqual(conversation.resolvedPlugins, resolved);
  await conversation.close();

  const directory = path.join(place, conversation.id.replaceAll("-", ""));
  files.write(directory, files.unpacked(await files.exported(conversation)));
  const { plugins } = await sdk().ask({ command: "resumed-plugins", path: directory });
  assert.deepEqual(plugins, [{ source: source.source, ref: commit, repo_path: null }]);
  const gone = await sdk().resume(directory, "From Python.", { in_place: true });
  assert.ok(gone.ok, gone.error);

  const store = memoryStore();
  await Conversation.importZip(files.packed(conversation.id, files.filesOf(directory)), { store });
  const back = await Conversation.open({ agent, store, conversationId: conversation.id });
  assert.deepEqual(back.resolvedPlugins, resolved);
  await back.close();
});
