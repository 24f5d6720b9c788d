// Conversations about the content of messages: text of every kind, images, reasoning, tags and titles.
import assert from "node:assert/strict";
import { add, pixel, say } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const plain = [...begin, "Message"];
const text = (text) => ({ type: "text", text });
const image = (...urls) => ({ type: "image", image_urls: urls });

/** One message with this content, and an answer. */
const said = (content, answer = "I see.") => ({
  replies: [{ text: answer }],
  kinds: plain,
  play: ({ conversation }) => say(conversation, content),
});

/** A server that sends reasoning gets it back; Python sends it only to models of which it knows that they want it. */
const withoutReasoning = (messages) => messages.map(({ reasoning_content, ...message }) => message);

export const messages = {
  "a question and an answer": said("Hello?", "Hello."),
  "several parts": said([text("One."), text("Two.")]),
  "an image with text": said([text("Look:"), image(pixel)]),
  "images alone": said([image(pixel, "https://example.test/a.png"), image(pixel)]),
  "a file with text": said([text("Sum it up:"), { type: "file", file: new File(["a,b\n1,2\n"], "data.csv", { type: "text/csv" }) }]),
  "an image beside an empty text": { ...said([text(""), image(pixel)]), forgiven: /has no text/ },
  "a part with more keys than the SDK knows": said([{ type: "text", text: "Hi", annotations: [1], cache_prompt: true }]),
  "halves of surrogate pairs": said("\ud83d a \ude00 b \ude00\ud83d 😀", "\ud83d\ude00 fine"),
  "halves of surrogate pairs from the model": {
    replies: [{ raw: streamed({ content: "\\ud83d half, \\ude00 half" }) }],
    kinds: plain,
  },
  "halves of surrogate pairs in a call": {
    replies: [{ calls: [{ name: "add", arguments: '{"a": 1, "b": 2, "c\\ud83d": "\\ude00 \\ud83d\\ude00"}' }] }, { text: "3." }],
    tools: [add],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "escapes, controls and separators": said(
    '\u0000\u0001\b\t\n\v\f\r\u001b\u007f\u0080\u0085\u2028\u2029 \\u0041 \\ " / </script>',
    "\u0000\u2028\ufeff",
  ),
  "noncharacters, planes, marks and directions": said(
    "\ufeffa\u0301\u0308 \ufffe\uffff \u{1fffe}\u{10ffff} \u{20bb7} \u202eabc\u202c אבג 👩‍👩‍👧‍👦 \ue000 ﷽".repeat(3),
  ),
  "JSON as text": said('{"kind":"MessageEvent","id":"__root__"}', '{"tool_calls": []}'),
  "a very long message": said("word ".repeat(40_000), "long ".repeat(20_000)),
  "white space around it": said("  \n hi \t ", " \n hello \n\n "),
  "a sender": {
    replies: [{ text: "Hello, \ud83d." }],
    kinds: plain,
    play: async ({ conversation }) => {
      await conversation.sendMessage("Hi", { sender: "ann \ud83d" });
      await conversation.run();
    },
  },
  "several messages before a run": {
    replies: [{ text: "All three." }],
    kinds: [...begin, "Message", "Message", "Message"],
    play: async ({ conversation }) => {
      for (const words of ["One", "two", "three"]) await conversation.sendMessage(words);
      await conversation.run();
    },
  },
  "a message that no run follows": {
    replies: [],
    kinds: begin,
    play: ({ conversation }) => conversation.sendMessage("Later."),
  },
  "nothing at all": {
    replies: [],
    kinds: [],
    play: () => {},
  },
  "reasoning before a text": {
    compared: withoutReasoning,
    replies: [{ reasoning: "Let me \ud83e\udd14 see.\n", text: "So." }],
    kinds: plain,
  },
  "reasoning before calls": {
    compared: withoutReasoning,
    replies: [
      {
        reasoning: "I should add.",
        text: "Adding.",
        calls: [
          { name: "add", arguments: { a: 1, b: 2 } },
          { name: "add", arguments: { a: 1, b: 3 } },
        ],
      },
      { reasoning: "Good.", text: "3." },
    ],
    kinds: [...begin, "Action", "Action", "Observation", "Observation", "Message"],
  },
  "a model that wants its reasoning back": {
    llm: { model: "openai/kimi-k2-thinking" },
    replies: [
      { reasoning: "I should add.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] },
      { reasoning: "Good.", text: "3." },
    ],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a model that caches prompts": {
    llm: { model: "openai/claude-sonnet-4-5-20250929" },
    replies: [{ calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a model that takes strings": {
    llm: { model: "openai/deepseek-v3.2" },
    replies: [{ text: "Adding.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a model that is not streamed": {
    compared: withoutReasoning,
    llm: { stream: false },
    replies: [{ reasoning: "Hm.", text: "Adding.", calls: [{ name: "add", arguments: { a: 1, b: 2 } }] }, { text: "3." }],
    kinds: [...begin, "Action", "Observation", "Message"],
  },
  "a system prompt of its own": {
    agent: { systemPrompt: "Be \ud83d brief.\u0000\u2028" },
    ...said("Hi"),
  },
  "tags and a title": {
    options: { tags: { title: "Über \ud83d 😀", a1: "", b: "x".repeat(256) } },
    replies: [{ text: "Hello." }],
    kinds: plain,
    play: async ({ conversation }) => {
      await say(conversation, "Hi");
      assert.equal(conversation.state.tags.title, "Über \ufffd 😀");
      await conversation.setTags({ title: "New\u0000 \ude00", c: "😀".repeat(256) });
      await assert.rejects(conversation.setTags({ Title: "x" }), { code: "invalid_options" });
      await assert.rejects(conversation.setTags({ title: "x".repeat(257) }), { code: "invalid_options" });
    },
  },
};

/** A stream of one delta, given as the inside of a JSON string so that it can hold what no JSON library writes. */
function streamed({ content }) {
  const chunk = (delta, finish) =>
    `data: {"id":"chatcmpl-raw","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`;
  return `${chunk(`{"role":"assistant","content":"${content}"}`, "null")}${chunk("{}", '"stop"')}data: [DONE]\n\n`;
}
