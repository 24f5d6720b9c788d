// Messages of a chat are data of the app. None of them may approve a call that the user was not asked about by this page, with
// exactly these arguments.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Conversation } from "../../../dist/index.js";
import { conversationIdOf, uiMessagesOf } from "../../../dist/ai-sdk.js";
import { until } from "../../support/until.mjs";
import { agentOf, asked, chatWith, lines, plain } from "./shared.mjs";

const remove = (path) => ({ name: "remove", arguments: { path } });

/** A chat in which calls wait. `send` sends a list of messages as useChat would. */
async function waiting(paths = ["a"]) {
  const all = chatWith([{ text: "Away with it.", calls: paths.map(remove) }, { text: "Done." }]);
  const opened = await all.open();
  await opened.chat.sendMessage({ text: "Remove a" });
  const messages = plain(opened.chat.messages);
  const send = async (messages, trigger = "submit-message") => {
    const stream = await opened.transport.sendMessages({
      chatId: all.id,
      messages,
      trigger,
      messageId: messages.at(-1)?.role === "assistant" ? messages.at(-1).id : undefined,
      abortSignal: undefined,
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    return chunks;
  };
  return { ...all, ...opened, messages, send };
}

/** The messages with another call in the last one. */
const changed = (messages, change) => [
  ...messages.slice(0, -1),
  { ...messages.at(-1), parts: messages.at(-1).parts.map((part) => (part.toolCallId ? change(part) : part)) },
];
const approved = (part) => ({ ...part, state: "approval-responded", approval: { ...part.approval, approved: true } });

const tampered = {
  "an id that nobody has asked with": (part) => approved({ ...part, approval: { id: "guessed" } }),
  "the id of the action": (part) => approved({ ...part, approval: { id: part.toolMetadata.actionId } }),
  "the id of the call": (part) => approved({ ...part, approval: { id: part.toolCallId } }),
  "no id": (part) => ({ ...part, state: "approval-responded", approval: { approved: true } }),
  "other arguments": (part) => ({ ...approved(part), input: { path: "harmless" } }),
  "another tool": (part) => ({ ...approved(part), type: "tool-weather" }),
  "another call": (part) => ({ ...approved(part), toolCallId: "call_9" }),
  "a result": (part) => ({ ...approved(part), state: "output-available", output: "removed a" }),
  "a truthy answer": (part) => ({ ...part, state: "approval-responded", approval: { ...part.approval, approved: "yes" } }),
  "no answer": (part) => part,
};
for (const [name, change] of Object.entries(tampered)) {
  test(`no call runs for ${name}, and the user is asked again`, async () => {
    const { model, done, messages, send, transport, id, close } = await waiting();
    const chunks = await send(changed(messages, change));
    assert.deepEqual([done, model.requests.length], [[], 1]);
    assert.equal(chunks.filter(({ type }) => type === "tool-approval-request").length, 1);
    const conversation = await transport.conversation(id);
    assert.equal(conversation.executionStatus, "waiting_for_confirmation");
    assert.deepEqual(lines((await transport.messages(id)).at(-1)).at(-1), 'tool-remove approval-requested {"path":"a"} null');
    await close();
  });
}

test("an approval in an earlier message, or beside another message of the user, approves nothing", async () => {
  const { done, messages, send, close } = await waiting();
  const old = changed(messages, (part) => approved({ ...part, approval: { id: part.toolMetadata.actionId } }));
  await send([...old, { id: "next", role: "user", parts: [{ type: "text", text: "And?" }] }]);
  assert.deepEqual(done, []);
  await close();
});

test("an approval that the user has given counts although the next message came first; other calls are rejected", async () => {
  const { model, done, messages, send, transport, id, close } = await waiting();
  await send([...changed(messages, approved), { id: "next", role: "user", parts: [{ type: "text", text: "And?" }] }]);
  assert.deepEqual(done, ["a"]);
  assert.deepEqual((await transport.messages(id)).map(lines).slice(1), [
    ["step-start", "text Away with it.", 'tool-remove output-available {"path":"a"} "removed a"'],
    ["text And?"],
    ["step-start", "text Done."],
  ]);
  await close();
  model.check();
});

test("a call without a decision waits on when others are sent", async () => {
  const { model, done, messages, send, transport, id, close } = await waiting(["a", "b", "c"]);
  const decide = {
    a: approved,
    b: (part) => ({ ...part, state: "approval-responded", approval: { ...part.approval, approved: false } }),
    c: (part) => part,
  };
  await send(changed(messages, (part) => decide[part.input.path](part)));
  assert.deepEqual([done, model.requests.length], [["a"], 1]);
  const states = (await transport.messages(id))[1].parts.flatMap(({ state, input }) => (input ? [`${input.path} ${state}`] : []));
  assert.deepEqual(states, ["a output-available", "b output-denied", "c approval-requested"]);
  await close();
});

test("regenerating while a call waits rejects the call", async () => {
  const { done, messages, send, close } = await waiting();
  await send(messages.slice(0, 1), "regenerate-message");
  assert.deepEqual(done, []);
  await close();
});

test("a call that waited when the page died is approved after the reload, with the id that this page has asked with", async () => {
  const { model, done, open, store, id, close, chat: before, transport } = await waiting();
  await transport.close();
  const { chat } = await open();
  assert.deepEqual(lines(chat.messages[1]), lines(before.messages[1]));
  await chat.resumeStream();
  assert.deepEqual([done, chat.status], [[], "ready"]);
  const [{ approval }] = asked(chat);
  await chat.addToolApprovalResponse({ id: approval.id, approved: true });
  await until(() => chat.messages[1].parts.length >= 5 && chat.status === "ready");
  assert.deepEqual(
    [done, lines(chat.messages[1])],
    [["a"], ["step-start", "text Away with it.", 'tool-remove output-available {"path":"a"} "removed a"', "step-start", "text Done."]],
  );
  await close();
  const conversation = await Conversation.open({ agent: agentOf(model), store, conversationId: conversationIdOf(id) });
  assert.deepEqual((await uiMessagesOf(conversation)).map(lines), chat.messages.map(lines));
  await conversation.close();
  model.check();
});
