// Conversations as texts for people, and what any list of events says without a conversation.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Agent, Conversation, eventsToMessages, finalResponse, LLM, memoryStore, tool } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const reveal = tool({
  name: "reveal",
  description: "Says a secret.",
  parameters: { type: "object", properties: {} },
  execute: async (_, { secret }) => `it is ${await secret("TOKEN")}`,
});

async function conversationOf(replies, options = {}) {
  const model = createModel(replies);
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 }), tools: [reveal] });
  return Conversation.open({ agent, store: memoryStore(), ...options });
}

test("the policy of an exported page names its style by its hash", async () => {
  const conversation = await conversationOf([{ text: "Done." }]);
  await conversation.sendMessage("Go");
  const page = await conversation.exportHTML();
  const [, style] = /<style>([^]*)<\/style>/.exec(page);
  const hash = createHash("sha256").update(style).digest("base64");
  assert.match(page, new RegExp(`style-src 'sha256-${hash.replace(/[+/]/g, "\\$&")}'`));
  await conversation.close();
});

test("exports have what was said and done, and no secret of the conversation, whoever has said it", async () => {
  const conversation = await conversationOf([{ calls: [{ name: "reveal", arguments: {} }] }, { text: "It is **secret**." }], {
    secrets: { TOKEN: "swordfish<9f3>" },
  });
  await conversation.sendMessage("Is it swordfish<9f3>?");
  await conversation.run();
  await conversation.setTags({ title: "A <b>" });
  const markdown = await conversation.exportMarkdown();
  assert.ok(markdown.startsWith("# A \\<b\\>\n"));
  assert.match(markdown, /\*\*reveal\*\*\n\nResult:\n\n```\nit is <secret-hidden>\n```/);
  assert.ok(markdown.endsWith("It is **secret**.\n"));
  const page = await conversation.exportHTML();
  assert.match(page, /<title>A &lt;b&gt;<\/title>/);
  assert.match(page, /<code>reveal<\/code>/);
  for (const text of [markdown, page]) assert.doesNotMatch(text, /swordfish/);

  const [, first] = await conversation.activeBranch();
  const begun = await conversation.exportMarkdown({ leafEventId: first.id });
  assert.doesNotMatch(begun, /reveal/);
  const last = (await conversation.activeBranch({ limit: 1 }))[0];
  assert.doesNotMatch(await conversation.exportMarkdown({ sinceEventId: last.id }), /Is it/);
  await assert.rejects(conversation.exportHTML({ leafEventId: "0f8fad5b-d9cb-469f-a165-70867728950e" }), { code: "not_found" });
  await assert.rejects(conversation.exportMarkdown({ since: last.id }), { code: "invalid_options" });
  await conversation.close();
});

test("any list of events has messages and a final response", async () => {
  const conversation = await conversationOf([{ text: "It is mild." }]);
  await conversation.sendMessage("How is it?");
  await conversation.run();
  const events = await conversation.events.slice();
  const messages = await conversation.toMessages();
  await conversation.close();
  assert.deepEqual(await eventsToMessages(events), messages);
  assert.equal(await finalResponse(events), "It is mild.");
  assert.equal(await finalResponse(events.slice(0, 2)), null);
  assert.deepEqual(await eventsToMessages([]), []);
  const unreadable = { kind: "UnreadableEvent", id: events[0].id, file: "events/event-00000.json", why: "it is not JSON" };
  assert.deepEqual(await eventsToMessages([unreadable]), []);
  for (const [given, message] of [
    ["events", "the list of eventsToMessages() must be an array of events"],
    [[events[0], 7], /events\[1\] is not an event/],
    [[undefined], /events\[0\] is not an event/],
  ])
    await assert.rejects(eventsToMessages(given), { code: "invalid_options", message });
  await assert.rejects(finalResponse(null), { code: "invalid_options" });
});
