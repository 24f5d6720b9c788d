// Messages of the AI SDK out of a conversation and into one, checked with the package's own functions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { convertToModelMessages, readUIMessageStream, safeValidateUIMessages } from "ai";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { importUIMessages, uiMessagesOf } from "../../../dist/ai-sdk.js";
import { agentOf, call, chatWith, lines, plain } from "./shared.mjs";
import { pixel } from "../../support/chat.mjs";

/** A conversation with everything that there is a part for. */
async function conversationWithAll() {
  const made = chatWith([
    { reasoning: "Hm.", text: "Let me look.", calls: [call("weather", { city: "Paris" }), call("fail")] },
    { text: "Away with both.", calls: [call("remove", { path: "a" }), call("remove", { path: "b" })] },
    { text: "Done.", calls: [call("finish", { message: "It is done." })] },
    { text: "And this?", calls: [call("remove", { path: "c" })] },
  ]);
  const conversation = await Conversation.open({ agent: agentOf(made.model, made.done), store: made.store });
  await conversation.sendMessage([
    { type: "text", text: "Look at this" },
    { type: "image", image_urls: [pixel] },
  ]);
  await conversation.run();
  const [a, b] = await conversation.pendingActions();
  await conversation.rejectPendingActions("I need it", { actionIds: [a.id] });
  await conversation.run({ approve: [b.id] });
  await conversation.sendMessage("More");
  await conversation.run();
  return { ...made, conversation };
}

test("messages are valid for the AI SDK, and become messages for its models", async () => {
  const { conversation } = await conversationWithAll();
  const messages = await uiMessagesOf(conversation);
  const validated = await safeValidateUIMessages({ messages });
  assert.ok(validated.success, String(validated.error));
  assert.deepEqual(plain(validated.data), plain(messages));
  assert.deepEqual(messages.map(lines), [
    ["text Look at this", "file"],
    [
      "step-start",
      "reasoning Hm.",
      "text Let me look.",
      'tool-weather output-available {"city":"Paris"} {"city":"Paris","degrees":20}',
      `tool-fail output-error {} "Error executing tool 'fail': no luck"`,
      "step-start",
      "text Away with both.",
      'tool-remove output-denied {"path":"a"} "I need it"',
      'tool-remove output-available {"path":"b"} "removed b"',
      "step-start",
      "text Done.",
      "text It is done.",
    ],
    ["text More"],
    ["step-start", "text And this?", 'tool-remove approval-requested {"path":"c"} null'],
  ]);
  const events = await conversation.activeBranch();
  const ids = messages.flatMap(({ metadata }) => metadata.threadkeep.eventIds);
  assert.deepEqual(
    ids,
    events.filter(({ id }) => ids.includes(id)).map(({ id }) => id),
  );
  assert.deepEqual(
    messages.map(({ id }) => id),
    messages.map(({ metadata }) => metadata.threadkeep.eventIds[0]),
  );
  assert.ok(messages.every(({ metadata }) => !Number.isNaN(Date.parse(metadata.threadkeep.createdAt))));
  const roles = (await convertToModelMessages(messages)).map(({ role }) => role);
  assert.deepEqual(roles, ["user", "assistant", "tool", "assistant", "tool", "assistant", "user", "assistant"]);
  await conversation.close();
});

test("the AI SDK reads the same messages from the stream of a chat", async () => {
  const { transport, id, close } = await (async () => {
    const made = chatWith([{ reasoning: "Hm.", text: "Looking.", calls: [call("weather", { city: "Rome" })] }, { text: "Warm." }]);
    return { ...made, ...(await made.open()) };
  })();
  const stream = await transport.sendMessages({
    chatId: id,
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Rome?" }] }],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  let last;
  for await (const message of readUIMessageStream({ stream })) last = message;
  assert.deepEqual(plain(last), plain((await transport.messages(id))[1]));
  await close();
});

test("the stream says how an answer has ended", async () => {
  const { transport, id, close } = await (async () => {
    const made = chatWith(["length", "content_filter", "incomplete", "stop"].map((finish) => ({ text: "Well", finish })));
    return { ...made, ...(await made.open()) };
  })();
  const messages = [];
  const reasons = [];
  for (const words of ["One?", "Two?", "Three?", "Four?"]) {
    messages.push({ id: words, role: "user", parts: [{ type: "text", text: words }] });
    const given = { chatId: id, messages: [...messages], trigger: "submit-message", messageId: undefined, abortSignal: undefined };
    for await (const chunk of await transport.sendMessages(given)) if (chunk.type === "finish") reasons.push(chunk.finishReason);
  }
  assert.deepEqual(reasons, ["length", "content-filter", "other", "stop"]);
  await close();
});

test("sources are parts of their own, as they stream, as they are stored, and after they are imported", async () => {
  const citations = ["https://a.example/1", "https://b.example/2"];
  const search_results = [{ url: citations[0], title: "A" }];
  const made = chatWith([{ text: "Yes [1][2].", beside: { citations, search_results } }]);
  const { chat, transport } = await made.open();
  await chat.sendMessage({ text: "Is it?" });
  const named = ({ parts }) => parts.flatMap(({ type, url, title }) => (type === "source-url" ? [[url, title]] : []));
  const expected = [
    [citations[0], "A"],
    [citations[1], undefined],
  ];
  assert.deepEqual(named(chat.messages[1]), expected);
  assert.equal(chat.messages[1].parts.at(-1).type, "source-url");
  const stored = await transport.messages(made.id);
  assert.deepEqual(plain(stored[1].parts), plain(chat.messages[1].parts));
  const { id, warnings } = await importUIMessages(stored, { store: made.store });
  assert.deepEqual(warnings, []);
  const again = await Conversation.open({ agent: agentOf(made.model), store: made.store, conversationId: id });
  assert.deepEqual(named((await uiMessagesOf(again))[1]), expected);
  await again.close();
  await made.close();
});

test("a chat lets an answer go on that was too long", async () => {
  const { chat, transport, id, close, model } = await (async () => {
    const made = chatWith([{ text: "One, two,", finish: "length" }, { text: "three." }]);
    return { ...made, ...(await made.open()) };
  })();
  await chat.sendMessage({ text: "Count." });
  await chat.sendMessage();
  assert.deepEqual(chat.messages.map(lines), [["text Count."], ["step-start", "text One, two,", "step-start", "text three."]]);
  assert.deepEqual((await transport.messages(id)).map(lines), chat.messages.map(lines));
  assert.match(JSON.stringify(model.requests.at(-1).body.messages), /Go on from there/);
  await close();
});

test("signed reasoning is kept where the AI SDK keeps it, and goes back to where it came from", async () => {
  const store = memoryStore();
  const chat = [
    { role: "user", content: "Think" },
    {
      role: "assistant",
      content: "Thought.",
      thinking_blocks: [
        { type: "thinking", thinking: "One", signature: "c2ln" },
        { type: "redacted_thinking", data: "ZGF0YQ==" },
      ],
    },
    { role: "user", content: "Again" },
    {
      role: "assistant",
      content: "Thought again.",
      responses_reasoning_item: { id: "rs_1", summary: ["Two"], encrypted_content: "c2VjcmV0" },
    },
    { role: "user", content: "Once more" },
    // What a server of Chat Completions has sent, as the library keeps it: nothing of OpenAI's.
    { role: "assistant", content: "Yes.", responses_reasoning_item: { summary: [], encrypted_content: '{"api":"chat"}' } },
    { role: "user", content: "And again" },
    {
      role: "assistant",
      content: "Yes.",
      reasoning_content: "Three",
      responses_reasoning_item: { summary: [], encrypted_content: '{"api":"chat"}' },
    },
  ];
  const read = async ({ id }) => {
    const conversation = await Conversation.open({ agent: agentOf({ fetch }), store, conversationId: id });
    const messages = await uiMessagesOf(conversation);
    await conversation.close();
    return messages;
  };
  const messages = await read(await Conversation.importJSON(chat, { store }));
  const metadata = messages.map(({ parts }) =>
    parts.filter(({ type }) => type === "reasoning").map(({ text, providerMetadata }) => [text, providerMetadata]),
  );
  assert.deepEqual(metadata, [
    [],
    [
      ["One", { anthropic: { signature: "c2ln" } }],
      ["", { anthropic: { redactedData: "ZGF0YQ==" } }],
    ],
    [],
    [["Two", { openai: { itemId: "rs_1", reasoningEncryptedContent: "c2VjcmV0" } }]],
    [],
    [],
    [],
    [["Three", undefined]],
  ]);
  const again = await read(await importUIMessages(messages, { store }));
  const parts = (messages) => messages.map(({ role, parts }) => [role, parts.map(({ id: _, ...part }) => part)]);
  assert.deepEqual(parts(again), parts(messages));
});

test("messages come back from an import, apart from marks that have no place and are named", async () => {
  const { conversation, store, model, done } = await conversationWithAll();
  const messages = await uiMessagesOf(conversation);
  const { id, warnings } = await importUIMessages(messages, { store });
  const imported = await Conversation.open({ agent: agentOf(model, done), store, conversationId: id });
  const expected = messages.map(lines);
  // Results are texts: a rejection and a failure are what the model reads of them.
  expected[1][4] = `tool-fail output-available {} "Error executing tool 'fail': no luck"`;
  expected[1][7] = 'tool-remove output-available {"path":"a"} "I need it"';
  const result = (await uiMessagesOf(imported)).map(lines);
  assert.match(result[3].pop(), /^tool-remove output-error \{"path":"c"\}/);
  expected[3].pop();
  assert.deepEqual(result, expected);
  assert.deepEqual(await imported.pendingActions(), []);
  assert.deepEqual(done, ["b"]);
  assert.match(warnings.join(), /that it is an error, the mark of a call that the user has rejected it/);
  await Promise.all([conversation.close(), imported.close()]);
});

test("what has no place is named, and what is no list of messages is refused", async () => {
  const store = memoryStore();
  const { warnings } = await importUIMessages(
    [
      { id: "1", role: "system", parts: [{ type: "text", text: "Be brief" }] },
      {
        id: "2",
        role: "user",
        parts: [
          { type: "text", text: "Read" },
          { type: "file", mediaType: "application/pdf", filename: "a.pdf", url: "data:application/pdf;base64,AA==" },
        ],
      },
      {
        id: "3",
        role: "assistant",
        parts: [
          { type: "source-document", sourceId: "s", mediaType: "text/plain", title: "A" },
          { type: "source-document", sourceId: "t", mediaType: "text/plain", title: "A" },
          { type: "text", text: "Read." },
          { type: "data-x", data: 1 },
        ],
      },
    ],
    { store },
  );
  assert.deepEqual(
    warnings.at(-1),
    "a conversation has no place for: the file a.pdf of the type application/pdf, parts of the type source-document (2 times), parts of the type data-x",
  );
  await assert.rejects(importUIMessages([{ role: "user" }], { store }), { code: "archive_invalid" });
  await assert.rejects(importUIMessages("no list", { store }), { code: "archive_invalid" });
  assert.equal((await Conversation.list({ store })).length, 1);
});
