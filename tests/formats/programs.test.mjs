// Exports of programs for chats: their conversations, with branches, and what is left out of them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, importFile, memoryStore } from "../../dist/index.js";
import { fromSource } from "../support/bundled.mjs";
import { zip } from "../support/zip-bytes.mjs";

const zipOf = (files) => zip(files.map(([name, content]) => ({ name, content })));

const { converted } = await fromSource("formats/interchange/programs/read.ts");

/** The branches of a session, each as the texts of its messages; the one that is shown is first. */
function branches({ leaf, messages }) {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const leaves = messages.filter(({ id }) => !messages.some(({ parent }) => parent === id)).map(({ id }) => id);
  if (leaf !== undefined) leaves.sort((one, other) => (other === leaf) - (one === leaf));
  return leaves.map((id) => {
    const branch = [];
    for (let at = byId.get(id); at; at = byId.get(at.parent)) branch.unshift(`${at.role[0]}: ${at.content}`);
    return branch;
  });
}

const one = (value) => {
  const [{ session, leftOut }, ...more] = converted(value);
  assert.equal(more.length, 0);
  return { ...session, branches: branches(session), leftOut: Object.fromEntries(leftOut) };
};

const part = (role, text, more = {}) => ({
  author: { role },
  content: { content_type: "text", parts: [text] },
  create_time: 1_700_000_000.5,
  ...more,
});
const chatGPT = {
  title: "Pets",
  create_time: 1_700_000_000,
  current_node: "c",
  default_model_slug: "gpt-5",
  mapping: {
    root: { id: "root", message: null, parent: null, children: ["sys"] },
    sys: { message: part("system", "", { metadata: { is_visually_hidden_from_conversation: true } }), parent: "root", children: ["a"] },
    a: { message: part("user", "Name a pet.", { metadata: { attachments: [{ name: "list.pdf" }] } }), parent: "sys", children: ["b", "t"] },
    b: { message: part("assistant", "Cat."), parent: "a", children: [] },
    t: {
      message: part("assistant", "", { content: { content_type: "thoughts", thoughts: [{ summary: "s", content: "Hm." }] } }),
      parent: "a",
      children: ["call"],
    },
    call: { message: part("assistant", "search()", { recipient: "web" }), parent: "t", children: ["found"] },
    found: { message: part("tool", "Dogs!"), parent: "call", children: ["c"] },
    c: { message: part("assistant", "Dog."), parent: "found", children: [] },
  },
};

test("ChatGPT: branches, files and thoughts, without notes of the program for itself", () => {
  const { branches, leftOut, ...session } = one([chatGPT]);
  assert.deepEqual(branches, [
    ["u: [list.pdf]\n\nName a pet.", "a: Dog."],
    ["u: [list.pdf]\n\nName a pet.", "a: Cat."],
  ]);
  assert.deepEqual(leftOut, { "a call of a tool of ChatGPT": 1, "a result of a tool of ChatGPT": 1 });
  assert.deepEqual([session.title, session.model, session.created_at], ["Pets", "gpt-5", 1_700_000_000]);
  assert.equal(session.messages.find(({ content }) => content === "Dog.").reasoning_content, "Hm.");
});

test("ChatGPT: content of several kinds, and a damaged tree", () => {
  const mixed = {
    content_type: "multimodal_text",
    parts: ["Look:", { content_type: "image_asset_pointer", asset_pointer: "x" }, { text: "said" }],
  };
  const { branches, leftOut } = one({
    mapping: {
      a: { message: part("user", "", { content: mixed }), parent: "lost", children: ["b", "gone"] },
      b: { message: part("assistant", "", { content: { content_type: "code", text: "1 + 1" } }), parent: "a", children: ["a"] },
      c: { message: part("critic", "No."), children: [] },
    },
  });
  assert.deepEqual(branches, [["u: Look:\n\nsaid", "a: 1 + 1"]]);
  assert.deepEqual(leftOut, { "a part of the type image_asset_pointer": 1, "a message of critic": 1 });
});

const said = (uuid, sender, text, more = {}) => ({ uuid, sender, text, created_at: "2026-01-02T03:04:05Z", ...more });

test("Claude: messages in order, with thinking, files and calls", () => {
  const { branches, leftOut, messages, title } = one([
    {
      uuid: "k",
      name: "Notes",
      created_at: "2026-01-02T03:04:05Z",
      chat_messages: [
        said("1", "human", "Read it.", {
          attachments: [{ file_name: "a.txt", extracted_content: "Text." }],
          files: [{ file_name: "b.png" }],
        }),
        said("2", "assistant", "flat", {
          content: [
            { type: "thinking", thinking: "Hm." },
            { type: "tool_use", name: "web_search", input: {} },
            { type: "tool_result", name: "web_search", content: [] },
            { type: "text", text: "I did." },
          ],
        }),
        said("3", "human", "", { content: [] }),
        said("4", "assistant", "Go on."),
      ],
    },
  ]);
  assert.deepEqual(branches, [["u: [a.txt]\nText.\n\n[b.png]\n\nRead it.", "a: I did.", "a: Go on."]]);
  assert.deepEqual(leftOut, { "a call of web_search": 1, "a result of web_search": 1 });
  assert.deepEqual([title, messages[1].reasoning_content, messages[0].timestamp], ["Notes", "Hm.", "2026-01-02T03:04:05Z"]);
});

test("Claude: newer exports have branches", () => {
  const { branches } = one({
    chat_messages: [
      said("1", "human", "Hi", { parent_message_uuid: "00000000-0000-4000-8000-000000000000" }),
      said("2", "assistant", "A", { parent_message_uuid: "1" }),
      said("3", "assistant", "B", { parent_message_uuid: "1" }),
    ],
    current_leaf_message_uuid: "2",
  });
  assert.deepEqual(branches, [
    ["u: Hi", "a: A"],
    ["u: Hi", "a: B"],
  ]);
});

test("Open WebUI: a tree, reasoning in the text, and chats from before there was a tree", () => {
  const node = (id, parentId, role, content, childrenIds = [], more = {}) => ({
    id,
    parentId,
    role,
    content,
    childrenIds,
    timestamp: 1_700_000_000,
    ...more,
  });
  const reasoned =
    '<details type="reasoning" done="true" duration="3">\n<summary>Thought for 3 seconds</summary>\n&gt; Hm.\n</details>\nDog.';
  const chat = {
    title: "Pets",
    models: ["llama3"],
    history: {
      currentId: "c",
      messages: {
        a: node("a", null, "user", "Name a pet.", ["b", "c"], { files: [{ name: "a.md" }] }),
        b: node("b", "a", "assistant", "Cat."),
        c: node("c", "a", "assistant", reasoned),
      },
    },
  };
  const { branches, messages, model, title } = one([{ id: "k", title: "Pets", chat, created_at: 1_700_000_000 }]);
  assert.deepEqual(branches, [
    ["u: [a.md]\n\nName a pet.", "a: Dog."],
    ["u: [a.md]\n\nName a pet.", "a: Cat."],
  ]);
  assert.deepEqual([messages[2].reasoning_content, model, title], ["Hm.", "llama3", "Pets"]);
  const old = one({
    chat: {
      title: "Old",
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: [{ type: "text", text: "Hello" }, { type: "image_url" }] },
        { role: "judge", content: "x" },
      ],
    },
  });
  assert.deepEqual(old.branches, [["u: Hi", "a: Hello"]]);
  assert.deepEqual(old.leftOut, { "a part of the type image_url": 1, "a message of judge": 1 });
});

test("LibreChat: a list whose messages name each other, and messages inside of messages", () => {
  const root = "00000000-0000-0000-0000-000000000000";
  const message = (messageId, parentMessageId, isCreatedByUser, text, more = {}) => ({
    messageId,
    parentMessageId,
    isCreatedByUser,
    text,
    sender: isCreatedByUser ? "User" : "GPT",
    ...more,
  });
  const flat = [
    message("1", root, true, "Hi", { files: [{ filename: "a.csv" }] }),
    message("2", "1", false, "", {
      content: [
        { type: "think", think: "Hm." },
        { type: "text", text: { value: "A" } },
        { type: "tool_call", tool_call: { name: "dalle" } },
      ],
    }),
    message("3", "1", false, "B"),
    message("4", "3", false, "overloaded", { error: true }),
  ];
  const nested = [{ ...flat[0], children: [flat[1], { ...flat[2], children: [flat[3]] }] }];
  for (const messages of [flat, nested]) {
    const { branches, leftOut, title } = one({ conversationId: "k", title: "T", options: { model: "gpt" }, messages });
    assert.deepEqual(branches.sort(), [
      ["u: [a.csv]\n\nHi", "a: A"],
      ["u: [a.csv]\n\nHi", "a: B"],
    ]);
    assert.deepEqual([leftOut, title], [{ "a call of dalle": 1, "a failure": 1 }, "T"]);
  }
});

test("Chatbox: sessions, what was asked again, and earlier threads", () => {
  const message = (id, role, text, more = {}) => ({
    id,
    role,
    contentParts: [{ type: "text", text }],
    timestamp: 1_700_000_000_000,
    ...more,
  });
  const session = {
    id: "s",
    name: "Pets",
    messages: [
      message("0", "system", "Be kind."),
      message("1", "user", "Name a pet."),
      message("2", "assistant", "Dog.", { model: "OpenAI (gpt-5)" }),
    ],
    messageForksHash: {
      1: {
        position: 1,
        lists: [
          { id: "x", messages: [message("3", "assistant", "Cat.")] },
          { id: "y", messages: [] },
        ],
      },
    },
    threads: [{ id: "t", name: "Before", messages: [message("9", "user", "Hi", { files: [{ name: "a.txt" }] })] }],
  };
  const file = { "chat-sessions-list": [{ id: "s", name: "Pets" }], "session:s": session, settings: { key: "sk-1" } };
  const [before, now] = converted(file).map(({ session }) => session);
  assert.deepEqual(branches(before), [["u: [a.txt]\n\nHi"]]);
  assert.deepEqual(branches(now), [
    ["s: Be kind.", "u: Name a pet.", "a: Dog."],
    ["s: Be kind.", "u: Name a pet.", "a: Cat."],
  ]);
  assert.deepEqual([before.title, now.title, now.model], ["Before", "Pets", "gpt-5"]);
  assert.equal(JSON.stringify(converted(file)).includes("sk-1"), false);
  const old = one({
    "chat-sessions": [
      {
        name: "Old",
        messages: [
          { id: "1", role: "user", content: "Hi" },
          { id: "2", role: "tool", content: "x" },
        ],
      },
    ],
  });
  assert.deepEqual([old.branches, old.leftOut], [[["u: Hi"]], { "a message of tool": 1 }]);
});

test("ChatGPT: an answer that goes on behind a call, two questions at the beginning, and notes beside them", () => {
  const recap = { content_type: "reasoning_recap", content: "Thought for 3 seconds" };
  const context = part("user", "", { content: { content_type: "user_editable_context", user_profile: "x" } });
  const { branches, leftOut } = one({
    current_node: "y",
    mapping: {
      ctx: { message: context, parent: null, children: ["a", "x"] },
      a: { message: part("user", "One?"), parent: "ctx", children: ["b"] },
      b: { message: part("assistant", "First,"), parent: "a", children: ["c"] },
      c: { message: part("assistant", '{"q":1}', { recipient: "python" }), parent: "b", children: ["d"] },
      d: { message: part("assistant", "", { content: recap }), parent: "c", children: ["e"] },
      e: { message: part("assistant", "then."), parent: "d", children: [] },
      x: { message: part("user", "Two?"), parent: "ctx", children: ["y"] },
      y: { message: part("assistant", "Yes.", { recipient: "all" }), parent: "x", children: [] },
    },
  });
  assert.deepEqual(branches, [
    ["u: Two?", "a: Yes."],
    ["u: One?", "a: First,", "a: then."],
  ]);
  assert.deepEqual(leftOut, { "content of the type user_editable_context": 1, "a call of a tool of ChatGPT": 1 });
});

test("Claude: an edited first question, what its parts cite, and a sender that nobody knows", () => {
  const edited = one({
    chat_messages: [
      said("1", "human", "Hi", { parent_message_uuid: "0" }),
      said("2", "assistant", "A", { parent_message_uuid: "1" }),
      said("3", "human", "Hello", { parent_message_uuid: "0" }),
      said("4", "assistant", "B", { parent_message_uuid: "3" }),
    ],
  });
  assert.deepEqual(edited.branches.sort(), [
    ["u: Hello", "a: B"],
    ["u: Hi", "a: A"],
  ]);
  const parts = [
    { type: "text", text: "It is so", citations: [{ url: "https://a.test" }] },
    { type: "token_budget" },
    { type: "voice_note", title: "v" },
    { type: "text", text: "and so." },
  ];
  const { branches, leftOut } = one({
    chat_messages: [said("1", "human", "Why?"), said("2", "assistant", "", { content: parts }), said("3", "narrator", "x")],
  });
  assert.deepEqual(branches, [["u: Why?", "a: It is so\n\nand so."]]);
  assert.deepEqual(leftOut, { "a part of the type voice_note": 1, "a message of narrator": 1 });
});

test("Open WebUI: a chat without a place that is shown, with a message that lost its parent", () => {
  const messages = {
    1: { role: "user", content: "Hi", parentId: null, childrenIds: ["2", "gone"] },
    2: { role: "assistant", content: "Hello", parentId: "1", childrenIds: [] },
    3: { role: "user", content: "Alone", parentId: "lost", childrenIds: [] },
  };
  const { branches, title } = one({ title: "T", chat: { history: { messages } } });
  assert.deepEqual(branches.sort(), [["u: Alone"], ["u: Hi", "a: Hello"]]);
  assert.equal(title, "T");
});

test("Chatbox: reasoning, a call, a link and a fork inside of a fork", () => {
  const message = (id, role, contentParts, more = {}) => ({ id, role, contentParts, ...more });
  const words = (text) => [{ type: "text", text }];
  const answer = [{ type: "reasoning", text: "Hm." }, { type: "tool-call", toolName: "search" }, ...words("A")];
  const { branches, leftOut, messages } = one({
    "session:1": {
      id: "1",
      name: "N",
      messages: [message("1", "user", words("Q"), { links: [{ url: "https://a.test" }] }), message("2", "assistant", answer)],
      messageForksHash: {
        1: { lists: [{ messages: [message("3", "assistant", words("B")), message("4", "user", words("More"))] }] },
        3: { lists: [{ messages: [message("5", "user", words("Other"))] }] },
      },
    },
  });
  assert.deepEqual(branches, [
    ["u: [https://a.test]\n\nQ", "a: A"],
    ["u: [https://a.test]\n\nQ", "a: B", "u: More"],
    ["u: [https://a.test]\n\nQ", "a: B", "u: Other"],
  ]);
  assert.deepEqual(leftOut, { "a call of search": 1 });
  assert.equal(messages.find(({ content }) => content === "A").reasoning_content, "Hm.");
});

test("no shape is found in what is none", () => {
  for (const value of [
    null,
    7,
    "text",
    [],
    [[]],
    {},
    { messages: [] },
    { mapping: 7 },
    { mapping: { a: 1 } },
    { chat: "x" },
    { chat_messages: {} },
  ]) {
    assert.equal(converted(value), undefined, JSON.stringify(value));
  }
});

const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o" }) });

async function stored(store, conversationId) {
  const conversation = await Conversation.open({ agent, store, conversationId });
  try {
    const { messages, title } = await conversation.exportSession();
    return { title, said: messages.map(({ content }) => content), branches: (await conversation.branches()).length };
  } finally {
    await conversation.close();
  }
}

test("importFile() takes all conversations of a file, and importJSON() the only one", async () => {
  const store = memoryStore();
  const two = new File([JSON.stringify([chatGPT, { ...chatGPT, title: "More", current_node: "b" }])], "conversations.json");
  const imported = await importFile(two, { store });
  assert.deepEqual(
    imported.map(({ outcome, warnings }) => [outcome, warnings.length]),
    [
      ["created", 1],
      ["created", 1],
    ],
  );
  assert.match(imported[0].warnings[0], /a call of a tool of ChatGPT, a result of a tool of ChatGPT/);
  const [pets, more] = await Promise.all(imported.map(({ id }) => stored(store, id)));
  assert.deepEqual([pets.title, pets.said, pets.branches], ["Pets", ["[list.pdf]\n\nName a pet.", "Dog."], 1]);
  assert.deepEqual([more.title, more.said, more.branches], ["More", ["[list.pdf]\n\nName a pet.", "Cat."], 1]);
  const { id } = await Conversation.importJSON([chatGPT], { store });
  assert.deepEqual((await stored(store, id)).said, pets.said);
  await assert.rejects(Conversation.importJSON(two, { store }), { code: "archive_invalid", message: /has 2; importFile\(\)/ });
});

test("importFile() knows a file by its content", async () => {
  const store = memoryStore();
  const chats = (name) =>
    zipOf([
      [name, JSON.stringify([chatGPT])],
      ["chat.html", "<p>"],
    ]);
  for (const name of ["conversations.json", "export/conversations-000.json"]) {
    const [{ id, outcome }] = await importFile(new File([chats(name)], "a.dat"), { store });
    assert.deepEqual([outcome, (await stored(store, id)).title], ["created", "Pets"], name);
  }
  const [{ id }] = await importFile(new Blob(['\ufeff[{"role":"user","content":"Hi"}]']), { store });
  assert.deepEqual((await stored(store, id)).said, ["Hi"]);
  const conversation = await Conversation.open({ agent, store, conversationId: id });
  const zip = await conversation.exportZip();
  await conversation.close();
  assert.equal((await importFile(zip, { store }))[0].outcome, "up_to_date");
  for (const [content, found] of [
    ['{"chapters":[]}', /the fields "chapters"; .*LibreChat/],
    ["hello", /not JSON/],
    [zipOf([["notes.txt", "x"]]), /notes\.txt.*can be read/s],
  ]) {
    await assert.rejects(importFile(new Blob([content]), { store }), { code: "archive_invalid", message: found });
  }
});
