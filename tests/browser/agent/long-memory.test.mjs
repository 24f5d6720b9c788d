// A conversation of 5,000 events runs further steps in a window of 8,000 tokens, while its browser is killed several times:
// some of the kills while a summary is being written.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { amount, seed } from "../../support/explored.mjs";
import { conversation, eventId, id } from "../../support/archive-entries.mjs";
import { zip } from "../../support/zip-bytes.mjs";
import { createModel } from "../../support/model.mjs";
import { randomFrom } from "../../support/random.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers, launch } from "../../support/browser/driver.mjs";

const events = 5000;
/** With `npm run explore` twenty kills; that rules hold over many more summaries is in tests/conversation/long_memory.rs. */
const kills = amount(6);
const steps = 25 * kills;
const tokens = 8000;

/** The tokens of a request, if four characters are one. */
function tokensOf({ messages, tools = [] }) {
  const texts = messages.flatMap(({ content, tool_calls: calls = [] }) => [
    typeof content === "string" ? content : (content ?? []).map(({ text }) => text).join(""),
    ...calls.map(({ function: { arguments: text } }) => text),
  ]);
  return Math.ceil((texts.join("").length + JSON.stringify(tools).length) / 4);
}

for (const kind of availableBrowsers) {
  test(`${kind}: ${steps} steps in ${tokens} tokens with ${kills} kills, seed ${seed}`, async (context) => {
    const random = randomFrom(seed);
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-memory-${kind}-`));
    let step = 0;
    let summaries = 0;
    const tooLong = [];
    const unchained = [];
    let noticed = () => {};
    const model = createModel((body) => {
      const count = tokensOf(body);
      const usage = { prompt_tokens: count, completion_tokens: 20, total_tokens: count + 20 };
      if (!body.tools) {
        const text = JSON.stringify(body.messages);
        const [, earlier] = /Earlier summary: Summary (\d+)\./.exec(text) ?? [];
        const number = Number(earlier ?? 0) + 1;
        if (number > summaries + 1 || number < summaries) unchained.push(`summary ${number} after ${summaries}`);
        summaries = number;
        noticed("summary");
        return { text: `Summary ${number}. The steps go on.`, usage };
      }
      if (count > tokens) tooLong.push(count);
      noticed("request");
      if (step >= steps) return { text: "Done.", usage };
      step++;
      const calls = [{ name: "echo", arguments: { text: `${step} ${"some words ".repeat((step % 7) * 20)}` } }];
      if (step % 5 === 0) calls.push({ name: "echo", arguments: { text: "and another" } });
      return { text: `Step ${step}.`, calls, usage };
    });
    const [server, { close, baseUrl }] = await Promise.all([startServer(), model.listen()]);
    const given = { id, baseUrl, tokens };
    const archive = zip(conversation(events).map(withContent)).toString("base64");
    let browser;
    try {
      for (let life = 0; life <= kills; life++) {
        browser = await launch(kind, { profile });
        const wanted = life % 3 === 2 ? "summary" : "request";
        let left = wanted === "summary" ? 1 : random.between(1, 2 * Math.floor(steps / kills) - 8);
        const reached = new Promise((resolve) => (noticed = (what) => what === wanted && --left === 0 && resolve("reached")));
        await browser.page(`${server.origin}/pages/blank.html`);
        if (life === 0) await browser.evaluate(importArchive, archive);
        const run = browser.evaluate(runOn, given);
        if (life === kills) {
          const { status, log } = await run;
          assert.equal(status, "finished");
          check(log);
        } else {
          const first = await Promise.race([reached, run]);
          assert.equal(first, "reached", "the run ended too early");
          // The evaluation ends with its browser.
          run.catch(() => {});
          await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)));
        }
        await (life === kills ? browser.close() : browser.kill());
        browser = undefined;
      }
      assert.deepEqual([tooLong, unchained, model.violations], [[], [], []]);
      context.diagnostic(`${step} steps, ${model.requests.length} requests, ${summaries} summaries`);
    } finally {
      await browser?.kill();
      await close();
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });
}

/** A system prompt, then messages of the user and the agent in turn, without parents as in older files. */
function withContent(entry) {
  const [, number] = /event-(\d+)-/.exec(entry.name) ?? [];
  if (number === undefined) return entry;
  const index = Number(number);
  const head = { id: eventId(index), timestamp: "2026-01-31T09:15:02.123456" };
  const role = index % 2 ? "user" : "assistant";
  const message = { role, content: [{ type: "text", text: `Old message ${index}.` }] };
  const event =
    index === 0
      ? { ...head, source: "agent", system_prompt: { type: "text", text: "Be brief." }, tools: [], kind: "SystemPromptEvent" }
      : { ...head, source: index % 2 ? "user" : "agent", llm_message: message, kind: "MessageEvent" };
  return { ...entry, content: JSON.stringify(event) };
}

/** Each summary contains the one before it, and each call has one result. */
function check(log) {
  const condensations = log.filter(({ kind }) => kind === "Condensation");
  assert.ok(condensations.length > 3, `${condensations.length} condensations`);
  for (const [place, { summary, forgotten_event_ids: forgotten }] of condensations.entries()) {
    assert.match(summary, new RegExp(`^Summary ${place + 1}\\.`));
    if (place > 0) assert.ok(forgotten.includes(`${condensations[place - 1].id}-summary`));
  }
  const actions = log.filter(({ kind, tool_name: name }) => kind === "ActionEvent" && name === "echo");
  for (const { id } of actions.slice(-100)) {
    assert.equal(log.filter(({ action_id: action }) => action === id).length, 1);
  }
}

async function importArchive(base64) {
  const { Conversation } = await import("/threadkeep/index.js");
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  await Conversation.importZip(bytes);
}

async function runOn({ id, baseUrl, tokens }) {
  const { Agent, Conversation, LLM, tool } = await import("/threadkeep/index.js");
  const echo = tool({
    name: "echo",
    description: "Repeats a text.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    replay: "safe",
    execute: ({ text }) => text,
  });
  const agent = new Agent({
    llm: new LLM({ model: "openai/scripted", baseUrl, numRetries: 1 }),
    tools: [echo],
    condenser: { kind: "LLMSummarizingCondenser", maxTokens: tokens, maxSize: 100_000 },
  });
  const conversation = await Conversation.open({ agent, conversationId: id, maxIterationPerRun: 2000, stuckDetection: false });
  if (conversation.executionStatus !== "paused") await conversation.sendMessage("Do all steps.");
  await conversation.rejectPendingActions();
  const { status } = await conversation.run();
  const log = (await conversation.events.slice()).slice(-2500).map(({ id, kind, summary, forgotten_event_ids, tool_name, action_id }) => ({
    id,
    kind,
    summary,
    forgotten_event_ids,
    tool_name,
    action_id,
  }));
  await conversation.close();
  return { status, log };
}
