// A browser is killed at random moments: while a plugin is loaded, while its hook runs, and between. The conversation always opens, no call
// that the hook denies is ever carried out, and none is carried out without its answer.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { amount, seed } from "../support/explored.mjs";
import { createModel } from "../support/model.mjs";
import { randomFrom } from "../support/random.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, launch } from "../support/browser/driver.mjs";

const kills = amount(6);
const steps = 60;

/** Opens the conversation with its plugin, compares its calls with the answers of the hook, and runs on to the end. */
async function workOn({ id, baseUrl }) {
  const { Agent, Conversation, LLM, indexedDBStore, tool } = await import("/threadkeep/index.js");
  const place = "https://plugins.invalid/guard/";
  const files = {
    "plugin-files.json": JSON.stringify({ commit: "c0ffee", files: [".plugin/plugin.json", "hooks/hooks.json", "hooks/guard.sh"] }),
    ".plugin/plugin.json": JSON.stringify({ name: "guard" }),
    "hooks/hooks.json": JSON.stringify({ PreToolUse: [{ hooks: [{ command: '"$CLAUDE_PLUGIN_ROOT"/hooks/guard.sh' }] }] }),
    "hooks/guard.sh": "#!/bin/sh\nsleep 0.05\ngrep -q forbidden && echo no >&2 && exit 2\nexit 0\n",
  };
  const { fetch } = globalThis;
  globalThis.fetch = async (url, init) => {
    if (!String(url).startsWith(place)) return fetch(url, init);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Response(files[String(url).slice(place.length)]);
  };
  const note = tool({ name: "note", description: "Notes.", parameters: { type: "object" }, execute: () => "noted" });
  const conversation = await Conversation.open({
    agent: new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl }), tools: [note] }),
    conversationId: id,
    store: indexedDBStore("plugin-kills"),
    stuckDetection: false,
    maxIterationPerRun: 1000,
    plugins: [{ source: place, ref: "main" }],
    allowPlugins: () => true,
  });
  const wrong = async () => {
    const events = await conversation.events.slice();
    const answers = new Map(events.filter(({ kind }) => kind === "HookExecutionEvent").map((event) => [event.action_id, event]));
    const actions = new Map(events.filter(({ kind }) => kind === "ActionEvent").map((event) => [event.id, event]));
    const done = events.filter(({ kind, observation }) => kind === "ObservationEvent" && !observation.is_error);
    const found = done.filter(({ action_id }) => answers.get(action_id)?.blocked !== false).map(({ action_id }) => action_id);
    const forbidden = done.filter(({ action_id }) => JSON.stringify(actions.get(action_id)).includes("forbidden"));
    return { found: [...found, ...forbidden], done: done.length, asked: answers.size };
  };
  const opened = await wrong();
  if (opened.found.length > 0) return { ...opened, status: "wrong when opened" };
  if (conversation.events.length === 0) await conversation.sendMessage("Work.");
  const { status } = await conversation.run();
  return { ...(await wrong()), status, resolved: conversation.resolvedPlugins };
}

for (const kind of availableBrowsers) {
  test(`${kind}: ${kills} kills while a plugin is loaded and its hooks run, seed ${seed}`, async (context) => {
    const random = randomFrom(seed);
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-plugins-${kind}-`));
    let step = 0;
    const model = createModel(() => {
      if (step >= steps) return { text: "Done." };
      const text = ++step % 3 === 0 ? `forbidden ${step}` : `note ${step}`;
      return { text: "Working.", calls: [{ name: "note", arguments: { text } }] };
    });
    const [server, { close, baseUrl }] = await Promise.all([startServer(), model.listen()]);
    const id = crypto.randomUUID();
    let browser;
    try {
      for (let life = 0; life <= kills; life++) {
        browser = await launch(kind, { profile });
        await browser.page(`${server.origin}/pages/blank.html`);
        const work = browser.evaluate(workOn, { id, baseUrl });
        if (life < kills) {
          const first = await Promise.race([delay(random.between(100, 2500), "time is up"), work]);
          assert.equal(first, "time is up", JSON.stringify(first));
          work.catch(() => {});
          await browser.kill();
        } else {
          const { found, status, done, asked, resolved } = await work;
          assert.deepEqual([found, status], [[], "finished"]);
          assert.ok(done > 0 && asked > done, `${done} calls, ${asked} answers`);
          assert.deepEqual(
            resolved.map(({ resolved_ref }) => resolved_ref),
            ["c0ffee"],
          );
          context.diagnostic(`${done} calls, ${asked} answers of the hook, ${model.requests.length} requests`);
        }
      }
    } finally {
      await browser?.kill();
      await Promise.all([server.close(), close()]);
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}
