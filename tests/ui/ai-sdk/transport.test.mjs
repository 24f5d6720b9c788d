// The AI SDK's own chat with the transport: what it shows while an answer comes is what is stored.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Agent, Conversation, taskTool } from "../../../dist/index.js";
import { ThreadkeepChatTransport, conversationIdOf, uiMessagesOf } from "../../../dist/ai-sdk.js";
import { until } from "../../support/until.mjs";
import { agentOf, asked, atRest, call, chatWith, lines, plain, shows } from "./shared.mjs";

// What handles say to each other does not keep a process alive.
const alive = setInterval(() => {}, 60_000);
after(() => clearInterval(alive));

/** The chat shows the same as after a reload. Ids of the user's messages are made by the chat. */
async function assertStored({ chat, transport }) {
  const stored = await transport.messages(chat.id);
  const comparable = (messages) =>
    plain(messages).map(({ id, role, parts, metadata }) =>
      role === "user" ? { role, parts: parts.map(({ type, text, url }) => ({ type, text, url })) } : { id, role, parts, metadata },
    );
  assert.deepEqual(comparable(chat.messages), comparable(stored));
}

/** A promise to be resolved from outside. */
function gate() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

test("text, reasoning, calls and their results, as they stream and as they are stored", async () => {
  const { model, open, close, id, store } = chatWith([
    { reasoning: "Which city?", text: "Let me look.", calls: [call("weather", { city: "Paris" }), call("fail"), call("nothing")] },
    { text: "It is 20 degrees.", calls: [call("finish", { message: "Enjoy it." })] },
  ]);
  const opened = await open();
  const { chat } = opened;
  await chat.sendMessage({ text: "The weather?" });
  assert.deepEqual(chat.messages.map(lines), [
    ["text The weather?"],
    [
      "step-start",
      "reasoning Which city?",
      "text Let me look.",
      'tool-weather output-available {"city":"Paris"} {"city":"Paris","degrees":20}',
      `tool-fail output-error {} "Error executing tool 'fail': no luck"`,
      `tool-nothing output-error {} ${JSON.stringify("There is no tool named 'nothing'. Available: weather, remove, fail, finish, think")}`,
      "step-start",
      "text It is 20 degrees.",
      "text Enjoy it.",
    ],
  ]);
  assert.equal(chat.status, "ready");
  await assertStored(opened);
  const [first, second] = await Conversation.list({ store });
  assert.deepEqual([first.id, second], [conversationIdOf(id), undefined]);
  await close();
  model.check();
});

test("the user approves one call and rejects another: exactly these run", async () => {
  const { model, done, open, close } = chatWith([
    { text: "Away with them.", calls: [call("remove", { path: "a" }), call("remove", { path: "b" })] },
    { text: "Done." },
  ]);
  const opened = await open();
  const { chat } = opened;
  await chat.sendMessage({ text: "Remove a and b" });
  assert.deepEqual(
    asked(chat).map(({ input }) => input.path),
    ["a", "b"],
  );
  await assertStored(opened);
  const [a, b] = asked(chat);
  await chat.addToolApprovalResponse({ id: a.approval.id, approved: false, reason: "I need it" });
  await atRest(chat);
  assert.deepEqual([done, model.requests.length], [[], 1]);
  await chat.addToolApprovalResponse({ id: b.approval.id, approved: true });
  await atRest(chat);
  assert.deepEqual(done, ["b"]);
  assert.deepEqual(lines(chat.messages[1]), [
    "step-start",
    "text Away with them.",
    'tool-remove output-denied {"path":"a"} "I need it"',
    'tool-remove output-available {"path":"b"} "removed b"',
    "step-start",
    "text Done.",
  ]);
  assert.equal(chat.messages.length, 2);
  await close();
  model.check();
});

test("a message while calls wait rejects them", async () => {
  const { model, done, open, close } = chatWith([{ calls: [call("remove", { path: "a" })] }, { text: "As you like." }]);
  const { chat, transport } = await open();
  await chat.sendMessage({ text: "Remove a" });
  const [{ approval }] = asked(chat);
  await chat.sendMessage({ text: "No, leave it" });
  assert.deepEqual(done, []);
  assert.deepEqual(
    (await transport.messages(chat.id)).map(({ role }) => role),
    ["user", "assistant", "user", "assistant"],
  );
  await chat.addToolApprovalResponse({ id: approval.id, approved: true });
  await atRest(chat);
  assert.deepEqual([done, model.requests.length], [[], 2]);
  await close();
  model.check();
});

test("an earlier message is edited, and an answer asked for again", async () => {
  const { model, open, close } = chatWith([{ text: "One" }, { text: "Two" }, { text: "Three" }, { text: "Four" }, { text: "Five" }]);
  const opened = await open();
  const { chat } = opened;
  await chat.sendMessage({ text: "First" });
  await chat.sendMessage({ text: "Second" });
  await chat.regenerate();
  assert.deepEqual(
    chat.messages.flatMap(lines).filter((line) => line !== "step-start"),
    ["text First", "text One", "text Second", "text Three"],
  );
  await chat.regenerate({ messageId: chat.messages[1].id });
  assert.deepEqual(
    chat.messages.flatMap(lines).filter((line) => line !== "step-start"),
    ["text First", "text Four"],
  );
  await assertStored(opened);
  await chat.sendMessage({ text: "Another first", messageId: chat.messages[0].id });
  assert.deepEqual(
    chat.messages.flatMap(lines).filter((line) => line !== "step-start"),
    ["text Another first", "text Five"],
  );
  await assertStored(opened);
  const texts = model.requests.map(({ body }) =>
    body.messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => content.map(({ text }) => text).join())
      .join(),
  );
  assert.deepEqual(texts, ["First", "First,Second", "First,Second", "First", "Another first"]);
  await close();
  model.check();
});

test("an edit of a message that nobody knows is refused, and appends nothing", async () => {
  const { open, close } = chatWith([{ text: "One" }]);
  const { chat, transport, errors } = await open();
  await chat.sendMessage({ text: "First" });
  chat.messages = chat.messages.map((message) => ({ ...message, id: `saved ${message.id}` }));
  await chat.sendMessage({ text: "Other", messageId: chat.messages[0].id });
  assert.deepEqual([errors.map(({ code }) => code), chat.status], [["not_found"], "error"]);
  assert.equal((await transport.messages(chat.id)).length, 2);
  await close();
});

test("a failed answer is an error with its code, and the next try goes on without repeating anything", async () => {
  const { model, open, close } = chatWith([
    { status: 401, body: "{}" },
    { calls: [call("weather", { city: "Bern" })] },
    { text: "Half of", breakAfter: 2 },
    { text: "Answer" },
    { status: 401, body: "{}" },
    { text: "Again" },
  ]);
  const opened = await open();
  const { chat, errors } = opened;
  await chat.sendMessage({ text: "Bern?" });
  assert.deepEqual([chat.status, errors.map(({ code }) => code)], ["error", ["llm_auth"]]);
  assert.deepEqual(chat.messages[1].parts.at(-1).data.code, "llm_auth");
  await assertStored(opened);
  await chat.sendMessage();
  assert.deepEqual([chat.status, errors.length], ["error", 2]);
  const weather = 'tool-weather output-available {"city":"Bern"} {"city":"Bern","degrees":20}';
  const failure = ["step-start", "data-failure"];
  const broken = [...failure, "step-start", weather, "step-start", "text Half of", ...failure];
  assert.deepEqual(chat.messages.map(lines), [["text Bern?"], broken]);
  await assertStored(opened);
  await chat.sendMessage();
  assert.deepEqual(chat.messages.map(lines), [["text Bern?"], [...broken, "step-start", "text Answer"]]);
  await assertStored(opened);
  await chat.regenerate();
  assert.deepEqual([chat.status, errors.length], ["error", 3]);
  await assertStored(opened);
  await chat.regenerate();
  assert.deepEqual(chat.messages.map(lines), [["text Bern?"], ["step-start", "text Again"]]);
  await assertStored(opened);
  await close();
  model.check();
});

test("an answer that is cut off stays, also after a reload, and can be asked for again before and after it", async () => {
  const cut = { text: "Half of it", pieces: 4, breakAfter: 3 };
  const { model, open, close } = chatWith([cut, cut, { text: "All" }, cut, { text: "Whole" }]);
  const opened = await open();
  const { chat } = opened;
  const seen = new Set();
  chat["~registerMessagesCallback"](() => seen.add(lines(chat.messages.at(-1)).at(-1)));
  await chat.sendMessage({ text: "Say all" });
  assert.ok([...seen].some((line) => line?.startsWith("text Half")));
  assert.deepEqual(
    [chat.status, chat.error.code, chat.messages.map(lines)],
    ["error", "network", [["text Say all"], ["step-start", "text Half of ", "step-start", "data-failure"]]],
  );
  await assertStored(opened);
  const reloaded = await open();
  await reloaded.chat.resumeStream();
  assert.equal(model.requests.length, 1, "a failed run is not resumed by itself");
  await reloaded.chat.regenerate();
  await assertStored(reloaded);
  await reloaded.chat.sendMessage();
  const cutOff = ["step-start", "text Half of ", "step-start", "data-failure"];
  assert.deepEqual(reloaded.chat.messages.map(lines), [["text Say all"], [...cutOff, "step-start", "text All"]]);
  await assertStored(reloaded);
  await reloaded.chat.sendMessage({ text: "And now?" });
  await reloaded.chat.regenerate();
  assert.deepEqual(reloaded.chat.messages.slice(2).map(lines), [["text And now?"], ["step-start", "text Whole"]]);
  await assertStored(reloaded);
  await close();
  model.check();
});

test("stop() stops the run, and nothing carries on with it", async () => {
  let goOn;
  const { model, open, close } = chatWith([
    { text: ["One", "Two"], pace: (index) => (index > 1 ? new Promise((resolve) => (goOn = resolve)) : undefined) },
    { text: "Three" },
  ]);
  const { chat, transport } = await open();
  const sending = chat.sendMessage({ text: "Count" });
  await shows(chat, "One");
  await chat.stop();
  await sending;
  await model.left(1);
  goOn?.();
  assert.equal(chat.status, "ready");
  const conversation = await transport.conversation(chat.id);
  await until(() => conversation.executionStatus === "paused");
  await chat.resumeStream();
  assert.equal(model.requests.length, 1);
  await chat.sendMessage({ text: "Go on" });
  assert.deepEqual(lines(chat.messages.at(-1)), ["step-start", "text Three"]);
  await close();
});

test("a call is there while the model writes it, and the words of `finish` are text", async () => {
  const { open, close, model } = chatWith([
    { text: "Looking.", calls: [call("weather", { city: "Paris" }), call("weather", { city: "Rome" })], pieces: 5 },
    { text: "So.", calls: [call("finish", { message: "Enjoy your day." })], pieces: 5, pace: 1 },
  ]);
  const opened = await open();
  const { chat } = opened;
  const seen = new Set();
  chat["~registerMessagesCallback"](() => {
    for (const line of chat.messages[1] ? lines(chat.messages[1]) : []) seen.add(line);
  });
  await chat.sendMessage({ text: "The weather?" });
  for (const line of [
    "tool-weather input-streaming undefined null",
    'tool-weather input-streaming {"city":"P"} null',
    'tool-weather input-streaming {"city":"R"} null',
    "text Enj",
  ])
    assert.ok(seen.has(line), `${line} in ${[...seen].join("; ")}`);
  assert.deepEqual(lines(chat.messages[1]), [
    "step-start",
    "text Looking.",
    'tool-weather output-available {"city":"Paris"} {"city":"Paris","degrees":20}',
    'tool-weather output-available {"city":"Rome"} {"city":"Rome","degrees":20}',
    "step-start",
    "text So.",
    "text Enjoy your day.",
  ]);
  await assertStored(opened);
  await close();
  model.check();
});

test("a call that broke off is written anew, and the first attempt is gone", async () => {
  const { open, close, model } = chatWith([
    { calls: [call("weather", { city: "Paris" })], pieces: 4, breakAfter: 4 },
    { calls: [{ ...call("weather", { city: "Rome" }), id: "another" }] },
    { text: "Done." },
  ]);
  const opened = await open(agentOf(model, [], { numRetries: 2 }));
  const { chat } = opened;
  const conversation = await opened.transport.conversation(chat.id);
  conversation.subscribe((event) => event.kind === "WaitingEvent" && event.seconds > 0 && conversation.retryNow());
  const seen = new Set();
  chat["~registerMessagesCallback"](() => seen.add(chat.messages[1]?.parts.map(({ type }) => type).join()));
  await chat.sendMessage({ text: "The weather?" });
  assert.ok(seen.has("step-start,tool-weather"));
  assert.deepEqual(lines(chat.messages[1]), [
    "step-start",
    'tool-weather output-available {"city":"Rome"} {"city":"Rome","degrees":20}',
    "step-start",
    "text Done.",
  ]);
  assert.deepEqual(opened.errors, []);
  await assertStored(opened);
  await close();
});

test("a second view of a chat gets the answer that is under way, from its beginning", async () => {
  let goOn;
  const { open, close, model } = chatWith([
    { text: "Looking.", calls: [call("weather", { city: "Rome" })] },
    { text: ["It is ", "warm."], pace: (index) => (index === 2 ? new Promise((resolve) => (goOn = resolve)) : undefined) },
  ]);
  const first = await open();
  const sending = first.chat.sendMessage({ text: "Rome?" });
  await shows(first.chat, "It is ");
  const second = await open();
  const resuming = second.chat.resumeStream();
  await shows(second.chat, "It is ");
  goOn();
  await Promise.all([sending, resuming]);
  assert.deepEqual(plain(second.chat.messages[1]), plain(first.chat.messages[1]));
  assert.deepEqual(lines(second.chat.messages[1]), [
    "step-start",
    "text Looking.",
    'tool-weather output-available {"city":"Rome"} {"city":"Rome","degrees":20}',
    "step-start",
    "text It is warm.",
  ]);
  await assertStored(second);
  await close();
  model.check();
});

test("a message during an answer is answered by itself, after that answer", async () => {
  let goOn;
  const { open, close, model } = chatWith([
    { text: ["One ", "two"], pace: (index) => (index === 2 ? new Promise((resolve) => (goOn = resolve)) : undefined) },
    { text: "Three" },
  ]);
  const opened = await open();
  const { chat } = opened;
  const first = chat.sendMessage({ text: "Count" });
  await shows(chat, "One ");
  const second = chat.sendMessage({ text: "Further" });
  const conversation = await opened.transport.conversation(chat.id);
  await until(() => JSON.stringify(conversation.state.agent_state).includes("Further") || chat.messages.length >= 3);
  goOn();
  await Promise.all([first, second]);
  assert.deepEqual((await uiMessagesOf(conversation)).map(lines), [
    ["text Count"],
    ["step-start", "text One two"],
    ["text Further"],
    ["step-start", "text Three"],
  ]);
  await close();
  model.check();
});

test("a request that is made again takes back the pieces of the answer, and onData hears why", async (t) => {
  // Only without a network is an answer asked for again that was shown in part.
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const network = { onLine: false };
  Object.defineProperty(globalThis, "navigator", { value: network, configurable: true });
  t.after(() => (before ? Object.defineProperty(globalThis, "navigator", before) : delete globalThis.navigator));
  const { open, close, model } = chatWith([{ text: "Half of it", pieces: 4, breakAfter: 3 }, { text: "All of it" }]);
  const opened = await open(agentOf(model, [], { numRetries: 2 }));
  const { chat, data } = opened;
  const conversation = await opened.transport.conversation(chat.id);
  const seen = new Set();
  conversation.subscribe((event) => {
    if (event.kind !== "WaitingEvent" || event.seconds === 0) return;
    network.onLine = true;
    conversation.retryNow();
  });
  chat["~registerMessagesCallback"](() => seen.add(chat.messages.at(-1).parts.at(-1)?.text));
  await chat.sendMessage({ text: "Say all" });
  assert.ok([...seen].some((text) => text?.startsWith("Half")));
  assert.deepEqual(lines(chat.messages[1]), ["step-start", "text All of it"]);
  assert.deepEqual([data[0].type, data[0].data.why], ["data-waiting", "offline"]);
  await assertStored(opened);
  await close();
});

test("files are stored and named, and a message that is sent again keeps them", async () => {
  const { open, close, model } = chatWith([{ text: "A list." }, { text: "Still a list." }, { text: "Once more." }]);
  const opened = await open();
  const { chat, transport } = opened;
  const file = { type: "file", mediaType: "text/csv", filename: "my list.csv", url: `data:text/csv;base64,${btoa("a,b\n")}` };
  await chat.sendMessage({ text: "What?", files: [file] });
  const [first] = await transport.messages(chat.id);
  const stored = { type: "file", mediaType: "text/csv", filename: "my list.csv", url: "workspace:attachments/my%20list.csv" };
  assert.deepEqual(first.parts.slice(1), [stored]);
  const sent = () => JSON.stringify(model.requests.at(-1).body.messages.findLast(({ role }) => role === "user"));
  assert.match(sent(), /Attached file: .*attachments\/my list\.csv.*Its text:\\na,b/);
  // The same message with other words, from the stored messages.
  chat.messages = await transport.messages(chat.id);
  await chat.sendMessage({ messageId: first.id, parts: [{ type: "text", text: "And now?" }, stored] });
  assert.match(sent(), /And now\?.*Attached file: .*attachments\/my list\.csv.*Its text:\\na,b/);
  const { workspace } = await transport.conversation(chat.id);
  assert.equal(new TextDecoder().decode(await workspace.read("attachments/my list.csv")), "a,b\n");
  // Answering it again sends nothing again.
  chat.messages = await transport.messages(chat.id);
  await chat.regenerate();
  assert.deepEqual(
    (await workspace.list("attachments")).map(({ path }) => path),
    ["attachments/my list.csv"],
  );
  await close();
  model.check();
});

test("images are sent and shown, files from elsewhere are refused before anything is stored", async () => {
  const { open, close, model } = chatWith([{ text: "A dot." }]);
  const opened = await open();
  const { chat, errors } = opened;
  const url = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await chat.sendMessage({
    text: "What?",
    files: [{ type: "file", mediaType: "application/pdf", filename: "a.pdf", url: "https://example.test/a.pdf" }],
  });
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["invalid_options"],
  );
  assert.deepEqual(await opened.transport.messages(chat.id), []);
  chat.messages = [];
  await chat.sendMessage({ text: "What?", files: [{ type: "file", mediaType: "image/png", url }] });
  await assertStored(opened);
  assert.equal((await opened.transport.messages(chat.id))[0].parts[0].url, url);
  await close();
  model.check();
});

test("a call that a hook denies was not asked about", async () => {
  const hooks = { preToolUse: () => ({ decision: "deny", reason: "not today" }) };
  const { open, close, model } = chatWith([{ calls: [call("weather", { city: "Oslo" })] }, { text: "Sorry." }], { hooks });
  const opened = await open();
  const { chat } = opened;
  await chat.sendMessage({ text: "Oslo?" });
  const part = chat.messages[1].parts[1];
  assert.deepEqual([part.state, part.approval.isAutomatic, part.approval.reason], ["output-denied", true, "not today"]);
  await assertStored(opened);
  await close();
  model.check();
});

test("the calls of a sub-agent are asked about in the chat, and run when the user approves them", async () => {
  const isChild = (body) => JSON.stringify(body.messages.slice(0, 2)).includes("SUBAGENT");
  const parent = [{ calls: [call("task", { prompt: "SUBAGENT: remove a", description: "Removes a" })] }, { text: "It is gone." }];
  const child = [{ calls: [call("remove", { path: "a" })] }, { text: "removed" }];
  const { open, close, model, done } = chatWith((body) => (isChild(body) ? child : parent).shift());
  const { tools, llm } = agentOf(model, done);
  const opened = await open(new Agent({ llm, tools: [...tools, taskTool()] }));
  const { chat, transport } = opened;
  await chat.sendMessage({ text: "Have a removed" });
  const [asking] = asked(chat);
  assert.deepEqual([asking.type, asking.input, done], ["tool-remove", { path: "a" }, []]);
  assert.deepEqual(lines((await transport.messages(chat.id))[1]), lines(chat.messages[1]));
  await chat.addToolApprovalResponse({ id: asking.approval.id, approved: true });
  await atRest(chat);
  assert.deepEqual(done, ["a"]);
  assert.equal(chat.messages[1].parts.find(({ toolCallId }) => toolCallId === asking.toolCallId).state, "output-available");
  assert.equal(chat.messages[1].parts.at(-1).text, "It is gone.");
  await close();
});

test("a message that is stopped before it is sent runs nothing", async () => {
  const { open, close, model, id } = chatWith([{ text: "One" }]);
  const { transport } = await open();
  await transport.conversation(id);
  const abort = new AbortController();
  const sending = transport.sendMessages({
    chatId: id,
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Go" }] }],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: abort.signal,
  });
  // The conversation is open: by now the message is on its way to the store.
  for (let tick = 0; tick < 5; tick++) await undefined;
  abort.abort();
  const reader = (await sending).getReader();
  assert.deepEqual(await reader.read(), { done: true, value: undefined });
  assert.equal(await transport.reconnectToStream({ chatId: id }), null);
  assert.equal(model.requests.length, 0);
  await close();
});

test("options that are wrong are refused at once, and those of the conversation when it is opened", async () => {
  assert.throws(() => new ThreadkeepChatTransport({}), { code: "invalid_options" });
  const { model } = chatWith([]);
  assert.throws(() => new ThreadkeepChatTransport({ agent: agentOf(model), conversationId: "x" }), {
    code: "invalid_options",
    message: /useChat\(\{ id \}\)/,
  });
  const transport = new ThreadkeepChatTransport({ agent: agentOf(model), maxIterations: 3 });
  await assert.rejects(transport.conversation("x"), { code: "invalid_options" });
});

test("a view that lacks what another tab has stored sends nothing until it shows that, and the app's handle lasts", async () => {
  const { open, close, model, store, id } = chatWith([{ text: "One" }, { text: "Two" }, { text: "Three" }]);
  const writer = await Conversation.open({ agent: agentOf(model), store, conversationId: conversationIdOf(id) });
  await writer.sendMessage("Count");
  await writer.run();
  const opened = await open();
  const { chat, errors, transport } = opened;
  const handle = await transport.conversation(id);
  const heard = [];
  handle.subscribe((event) => event.kind === "MessageEvent" && heard.push(event.llm_message.content[0].text));
  await writer.sendMessage("Further");
  await writer.run();
  await writer.close();
  await chat.sendMessage({ text: "On" });
  assert.deepEqual(
    errors.map(({ code }) => code),
    ["invalid_state"],
  );
  assert.match(errors[0].message, /setMessages/);
  assert.equal((await handle.activeBranch()).filter(({ source }) => source === "user").length, 2, "nothing was sent");
  chat.messages = await transport.messages(id);
  await chat.sendMessage({ text: "On" });
  assert.deepEqual(
    chat.messages.flatMap(lines).filter((line) => line !== "step-start"),
    ["text Count", "text One", "text Further", "text Two", "text On", "text Three"],
  );
  assert.deepEqual([handle.access, heard.slice(-2)], ["writer", ["On", "Three"]]);
  await assertStored(opened);
  await close();
  model.check();
});

test("a chat that somebody else writes is written there, also while that runs, and here when they have ended", async () => {
  const gates = [gate(), gate()];
  const { open, close, model, store, id } = chatWith([
    { text: "One" },
    { text: "Two" },
    { text: ["Thr", "ee"], pace: (at) => (at === 2 ? gates[0].promise : undefined) },
    { text: ["Fo", "ur"], pace: (at) => (at === 2 ? gates[1].promise : undefined) },
    { text: "Five" },
  ]);
  const writer = await Conversation.open({ agent: agentOf(model), store, conversationId: conversationIdOf(id) });
  await writer.sendMessage("Count");
  await writer.run();
  const opened = await open();
  const { chat, errors } = opened;
  assert.deepEqual(chat.messages.map(lines), [["text Count"], ["step-start", "text One"]]);
  await chat.sendMessage({ text: "Further" });
  assert.deepEqual([chat.status, errors], ["ready", []]);
  assert.deepEqual(lines(chat.messages.at(-1)), ["step-start", "text Two"]);

  // A run of the other one is shown from its beginning, and goes on for both.
  const handle = await opened.transport.conversation(id);
  /** The writer answers this; the result has its run, of which the first piece has come. */
  const answering = async (text) => {
    await writer.sendMessage(text);
    const streams = new Promise((resolve) => handle.subscribe(({ kind }) => kind === "StreamingDeltaEvent" && resolve()));
    const run = writer.run();
    await streams;
    chat.messages = await opened.transport.messages(id);
    return { run };
  };
  const three = await answering("More");
  const resumed = chat.resumeStream();
  await until(() => chat.messages.at(-1).role === "assistant");
  gates[0].resolve();
  await Promise.all([resumed, three.run]);
  assert.deepEqual([lines(chat.messages.at(-1)), errors], [["step-start", "text Three"], []]);

  // What is sent meanwhile is read by the run of the other one.
  const four = await answering("Again");
  const sent = chat.sendMessage({ text: "And again" });
  await until(async () => (await handle.queue.list()).length > 0);
  gates[1].resolve();
  await Promise.all([sent, four.run]);
  assert.deepEqual([lines(chat.messages.at(-1)), errors], [["step-start", "text Five"], []]);
  await writer.close();
  await close();
  model.check();
});
