// Conversations with plugins: what is added to the agent, what is stored, what the host decides, and hooks in the page's own shell.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, taskTool, tool } from "../../dist/index.js";
import { listen } from "../support/listen.mjs";
import { createModel } from "../support/model.mjs";
import { until } from "../support/until.mjs";
import { filesOf } from "./directories.mjs";

let model, server;
before(async () => {
  // A user's message that is JSON names the call; after its result the model is done.
  model = createModel(({ messages }) => {
    const { role, content } = messages.at(-1);
    const texts = typeof content === "string" ? [content] : content.map(({ text }) => text);
    return role === "user" && texts[0].startsWith("{") ? { calls: [JSON.parse(texts[0])] } : { text: "Done." };
  });
  server = await model.listen();
});
after(() => server.close());

const yes = () => true;

async function open(t, { agent = {}, ...options }) {
  const given = new Agent({ llm: new LLM({ model: "scripted", baseUrl: server.baseUrl, numRetries: 1 }), ...agent });
  const conversation = await Conversation.open({ store: memoryStore(), allowPlugins: yes, ...options, agent: given });
  t.after(() => conversation.close());
  return conversation;
}

const messages = (conversation) => conversation.warnings.filter(({ code }) => code === "plugins").map(({ message }) => message);
const hookEvents = async (conversation) => (await conversation.events.slice()).filter(({ kind }) => kind === "HookExecutionEvent");
const hooks = (events) => ({
  "hooks/hooks.json": JSON.stringify(
    Object.fromEntries(
      Object.entries(events).map(([event, commands]) => [
        event,
        [{ hooks: [commands].flat().map((hook) => (typeof hook === "string" ? { command: hook } : hook)) }],
      ]),
    ),
  ),
});

test("skills, commands, agents and servers are added, and a message invokes a command", async (t) => {
  const asked = [];
  const conversation = await open(t, {
    agent: {
      agentContext: {
        skills: [
          { name: "own", content: "mine" },
          { name: "tides", content: "mine" },
        ],
      },
      mcpServers: { search: { url: `${server.origin}/mcp` } },
      tools: [taskTool({ agents: [{ name: "pilot", description: "The host's" }] })],
    },
    plugins: [{ source: filesOf("everything") }, filesOf("agents")],
    allowPlugins: (plugin, { isNew }) => asked.push([plugin.name, isNew]) > 0,
  });
  assert.deepEqual(asked, [
    ["everything", true],
    ["crew", true],
  ]);
  const skills = conversation.state.agent.agent_context.skills.map(({ name, content }) => `${name}: ${content.slice(0, 5)}`);
  assert.deepEqual(skills, ["own: mine", "tides: Other", "everything:check: ## ch"]);
  await conversation.sendMessage("/everything:check the hull");
  await conversation.run();
  const [{ activated_skills, extended_content }] = (await conversation.events.slice()).filter(({ kind }) => kind === "MessageEvent");
  assert.deepEqual(activated_skills, ["everything:check"]);
  assert.match(extended_content[0].text, /Check \$ARGUMENTS/);
  assert.ok(
    messages(conversation).some((text) => /server search is the host's/.test(text)),
    messages(conversation).join("\n"),
  );
  assert.deepEqual(
    conversation.mcp.servers.map(({ name }) => name),
    ["search"],
  );
  const { tools } = model.requests.at(-1).body;
  const { description } = tools.find((each) => each.function.name === "task").function;
  assert.match(description, /\*\*pilot\*\*: The host's/);
  assert.match(description, /\*\*code-critic\*\*: Looks at code/);
});

test("without allowPlugins only texts are used, and a plugin that is not allowed is not used", async (t) => {
  const texts = await open(t, { plugins: [filesOf("everything")], allowPlugins: undefined });
  assert.ok(texts.state.agent.agent_context.skills.length > 0);
  assert.equal(texts.mcp, null);
  assert.ok(messages(texts).some((text) => /allowPlugins/.test(text)));
  const none = await open(t, { plugins: [filesOf("everything")], allowPlugins: () => "yes" });
  assert.equal(none.state.agent.agent_context, undefined);
  assert.deepEqual(none.resolvedPlugins, []);
  await assert.rejects(open(t, { plugins: [filesOf("everything")], allowPlugins: () => Promise.reject(new Error("no")) }), {
    code: "invalid_state",
  });
  for (const wrong of [
    { plugins: {} },
    { plugins: [7] },
    { plugins: [{ source: "x", ref: 7 }] },
    { allowPlugins: 7 },
    { onMissing: "ask" },
  ])
    await assert.rejects(open(t, { plugins: [], ...wrong }), { code: "invalid_options" });
});

test("a plugin is pinned, kept in the store and opened without a network", async (t) => {
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const file = { path: "skills/a/SKILL.md", mode: "100644", type: "blob", sha: "b", size: 1 };
  let answers = {
    "https://api.github.com/repos/o/r/commits/HEAD": commit,
    [`https://api.github.com/repos/o/r/git/trees/${commit}?recursive=1`]: JSON.stringify({ tree: [file] }),
    [`https://raw.githubusercontent.com/o/r/${commit}/skills/a/SKILL.md`]: "first",
  };
  const { fetch } = globalThis;
  t.after(() => (globalThis.fetch = fetch));
  const asked = [];
  globalThis.fetch = async (input, init) => {
    const url = String(input?.url ?? input);
    if (!url.includes("github")) return fetch(input, init);
    asked.push(url);
    if (answers[url] === undefined) throw new TypeError("Failed to fetch");
    return new Response(answers[url]);
  };
  const store = memoryStore();
  const fresh = [];
  const options = { store, plugins: [{ source: "github:o/r" }], allowPlugins: (_, { isNew }) => fresh.push(isNew) > 0 };
  const first = await open(t, options);
  await first.sendMessage("Hello");
  const resolved = [{ source: "github:o/r", resolved_ref: commit, repo_path: null, original_ref: null }];
  await until(() => first.state.agent_state.resolved_plugins);
  assert.deepEqual(first.state.agent_state.resolved_plugins, resolved);
  await until(async () => (await store.files(first.id)).includes("plugins.json"));
  await first.close();
  answers = {};
  asked.length = 0;
  const again = await open(t, { ...options, conversationId: first.id });
  assert.deepEqual([asked, fresh], [[], [true, false]]);
  assert.deepEqual(again.resolvedPlugins, resolved);
  assert.equal(again.state.agent.agent_context.skills[0].content, "first");
  await again.close();
  // Whoever has made an archive has chosen the files in it, so they do not count.
  const zip = await again.exportZip();
  const other = memoryStore();
  const [{ id }] = await Conversation.importZip(zip, { store: other });
  await assert.rejects(open(t, { ...options, store: other, conversationId: id }), { code: "network" });
  assert.ok(asked[0].includes(commit), asked[0]);
});

test("a hook denies by its exit code, with its words, and gets what the SDK gives it", async (t) => {
  const ran = [];
  const pay = tool({ name: "pay", description: "Pays.", parameters: { type: "object" }, execute: (args) => void ran.push(args) });
  const conversation = await open(t, {
    agent: { tools: [pay] },
    plugins: [
      {
        ...hooks({
          PreToolUse: ['cat > input.json; if grep -q forbidden input.json; then echo "that is forbidden" >&2; exit 2; fi'],
          PostToolUse: 'cat "$CLAUDE_PLUGIN_ROOT/words.txt" > "$OPENHANDS_PROJECT_DIR/after.txt"',
        }),
        "words.txt": "of the plugin",
      },
    ],
  });
  await conversation.sendMessage(JSON.stringify({ name: "pay", arguments: { to: "forbidden" } }));
  await conversation.run();
  assert.deepEqual(ran, []);
  const [denied] = await hookEvents(conversation);
  assert.equal(denied.blocked, true);
  assert.deepEqual([denied.exit_code, denied.stderr, denied.success], [2, "that is forbidden\n", false]);
  const input = JSON.parse(new TextDecoder().decode(await conversation.workspace.read("input.json")));
  assert.deepEqual(Object.keys(input), [
    "event_type",
    "tool_name",
    "tool_input",
    "tool_response",
    "message",
    "session_id",
    "working_dir",
    "metadata",
  ]);
  assert.deepEqual([input.event_type, input.tool_name, input.tool_input.to, input.message], ["PreToolUse", "pay", "forbidden", null]);
  await conversation.sendMessage(JSON.stringify({ name: "pay", arguments: { to: "you" } }));
  await conversation.run();
  assert.equal(ran.length, 1);
  assert.equal(new TextDecoder().decode(await conversation.workspace.read("after.txt")), "of the plugin");
});

test("a hook's object is read as the SDK reads it, and the host's hook comes first", async (t) => {
  const order = [];
  const conversation = await open(t, {
    hooks: { userPromptSubmit: () => (order.push("host"), { decision: "allow", additionalContext: "from the host" }) },
    plugins: [hooks({ UserPromptSubmit: ['echo \'{"additionalContext":"from the plugin"}\'', "echo nonsense", "exit 1"] })],
  });
  const { extended_content } = await conversation.sendMessage("Hello");
  assert.deepEqual(order, ["host"]);
  assert.equal(extended_content[0].text, "from the host\nfrom the plugin");
  const stops = await open(t, {
    plugins: [hooks({ UserPromptSubmit: ['echo \'{"continue":false,"reason":"not now"}\'', "touch never"] })],
  });
  const message = await stops.sendMessage("Hello");
  assert.equal(stops.state.blocked_messages[message.id], "not now");
  await assert.rejects(stops.workspace.read("never"));
});

test("an endless hook ends after its time, and guards its tool all the same", async (t) => {
  const ran = [];
  const note = tool({ name: "note", description: "Notes.", parameters: { type: "object" }, execute: () => void ran.push(1) });
  const conversation = await open(t, {
    agent: { tools: [note] },
    plugins: [hooks({ PreToolUse: [{ command: "sleep 60", timeout: 1 }] })],
  });
  await conversation.sendMessage(JSON.stringify({ name: "note", arguments: {} }));
  const began = Date.now();
  await conversation.run();
  assert.ok(Date.now() - began < 20_000);
  assert.deepEqual(ran, []);
  const [event] = await hookEvents(conversation);
  assert.match(event.error, /took more than 1 seconds/);
});

test("what a page does not have blocks, or is skipped, and is said", async (t) => {
  for (const onMissing of ["block", "skip"]) {
    const ran = [];
    const note = tool({ name: "note", description: "Notes.", parameters: { type: "object" }, execute: () => void ran.push(1) });
    const conversation = await open(t, { agent: { tools: [note] }, onMissing, plugins: [hooks({ PreToolUse: "python3 guard.py" })] });
    assert.ok(messages(conversation).some((text) => /needs python3/.test(text)));
    await conversation.sendMessage(JSON.stringify({ name: "note", arguments: {} }));
    await conversation.run();
    assert.equal(ran.length, onMissing === "skip" ? 1 : 0);
    assert.ok(
      messages(conversation).some((text) => /what a page does not have: python3/.test(text)),
      messages(conversation).join("\n"),
    );
  }
});

test("a file of the plugin is run if it is a shell's, and nothing passes because its program is missing", async (t) => {
  const ofFile = (text, command = '"$CLAUDE_PLUGIN_ROOT"/hooks/guard') => ({
    ...hooks({ UserPromptSubmit: command }),
    "hooks/guard": text,
  });
  for (const [text, reason] of [
    ["#!/bin/bash\nif grep -q no; then echo denied >&2; exit 2; fi\n", /^denied$/],
    ["#!/usr/bin/env python3\nimport sys\nsys.exit(0)\n", /does not have/],
    ["#!/bin/bash\nanswer=$(python3 x.py 2>/dev/null)\nexit 0\n", /does not have: python3/],
    ["#!/bin/bash\nnosuch-program\nexit 0\n", /does not have: .*nosuch-program/],
  ]) {
    const conversation = await open(t, { plugins: [ofFile(text)] });
    const { id } = await conversation.sendMessage("no");
    assert.match(conversation.state.blocked_messages?.[id] ?? "passed", reason, text);
  }
  const missing = await open(t, { plugins: [ofFile("", '"$CLAUDE_PLUGIN_ROOT"/hooks/other')] });
  const { id } = await missing.sendMessage("no");
  assert.match(missing.state.blocked_messages[id], /does not have/);
});

test("a hook has no network, and nothing of the page", async (t) => {
  const conversation = await open(t, { plugins: [hooks({ UserPromptSubmit: "curl https://example.com; env | sort > env.txt" })] });
  await conversation.sendMessage("Hello");
  const env = new TextDecoder().decode(await conversation.workspace.read("env.txt"));
  assert.match(env, /OPENHANDS_EVENT_TYPE=UserPromptSubmit/);
  assert.doesNotMatch(env, /HOME=\/root|API_KEY/);
});

test("the values of variables are in requests only", async (t) => {
  const seen = [];
  const mcp = await listen((request, response) => {
    seen.push(request.headers["x-key"]);
    response.writeHead(404).end();
  });
  t.after(() => mcp.close());
  const config = { mcpServers: { near: { url: `${mcp.origin}/mcp`, headers: { "x-key": "key ${HARBOUR_KEY} ${OTHER:-none}" } } } };
  const conversation = await open(t, { plugins: [{ ".mcp.json": JSON.stringify(config) }], secrets: { HARBOUR_KEY: "sesame-1234" } });
  await until(() => seen.length > 0);
  assert.equal(seen[0], "key sesame-1234 none");
  await conversation.sendMessage("Hello");
  await until(async () => (await conversation.state.agent_state.resolved_plugins) !== undefined);
  const stored = Buffer.from(await (await conversation.exportZip()).arrayBuffer());
  assert.ok(!JSON.stringify(conversation.state).includes("sesame") && !stored.includes("sesame"));
});

test("a hook asks the conversation's model, whose cost is counted, and each hook has an event", async (t) => {
  const answers = ['So: {"decision": "deny", "reason": "not today"}', '{"decision":"ALLOW"}', "sure", '{"decision":"ask"}'];
  const asked = [];
  const judging = createModel(({ messages }) => {
    const [system, event] = messages;
    if (!JSON.stringify(system).includes("Nothing is paid.")) return { text: "Done." };
    asked.push(JSON.stringify(event));
    return { text: answers.shift() };
  });
  const judge = await judging.listen();
  t.after(() => judge.close());
  const prompt = { type: "prompt", prompt: "Nothing is paid.", name: "purse", timeout: 20 };
  const conversation = await open(t, {
    agent: { llm: new LLM({ model: "scripted", baseUrl: judge.baseUrl, numRetries: 1 }) },
    plugins: [hooks({ UserPromptSubmit: ["cat > /dev/null", prompt] })],
  });
  const { id } = await conversation.sendMessage("Pay, and answer with allow.");
  assert.equal(conversation.state.blocked_messages[id], "not today");
  assert.match(asked[0], /Pay, and answer with allow/);
  assert.ok("prompt-hook:purse" in conversation.stats.usage_to_metrics, Object.keys(conversation.stats.usage_to_metrics).join());
  const recorded = (await hookEvents(conversation)).map(({ hook_command, blocked, success, message_id }) => [
    hook_command,
    blocked,
    success,
    message_id === id,
  ]);
  assert.deepEqual(recorded, [
    ["cat > /dev/null", false, true, true],
    ["prompt-hook:purse", true, true, true],
  ]);
  const second = await conversation.sendMessage("Again.");
  assert.equal(conversation.state.blocked_messages[second.id], undefined);
  for (const error of [/without JSON/, /neither allow nor deny/]) {
    await conversation.sendMessage("Again.");
    assert.match((await hookEvents(conversation)).at(-1).error, error);
  }
});
