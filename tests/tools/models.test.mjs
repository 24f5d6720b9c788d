// Tools with a model of their own: `inspect_image_with_vision` and `switch_llm`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, LLM, LLMProfileStore, inspectImage, memoryStore, switchLLM } from "../../dist/index.js";
import { createModel } from "../support/model.mjs";

const png = "data:image/png;base64,iVBORw0KGgo=";
const observations = async (conversation) =>
  (await conversation.events.slice()).flatMap((event) => (event.kind === "ObservationEvent" ? [event.observation] : []));

test("another model looks at the user's image", async () => {
  const eyes = createModel([{ text: "A cup of tea." }, { text: "" }]);
  const look = (args) => ({ calls: [{ name: "inspect_image_with_vision", arguments: { question: "What is it?", ...args } }] });
  const model = createModel([
    look({ image_index: 0 }),
    look({ image_index: 3 }),
    look({ image_index: 0, profile_name: "other" }),
    look({ image_index: 0 }),
    { text: "Tea." },
  ]);
  // The model itself sees the image as well: whether it can is known for its name.
  const llm = new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 0 });
  const vision = new LLM({
    model: "openai/gpt-4o-mini",
    baseUrl: "https://eyes.example/v1",
    fetch: eyes.fetch,
    usageId: "eyes",
    numRetries: 0,
  });
  const conversation = await Conversation.open({ agent: new Agent({ llm, tools: [inspectImage({ llm: vision })] }), store: memoryStore() });
  await conversation.sendMessage([
    { type: "text", text: "What is this?" },
    { type: "image", image_urls: [png] },
  ]);
  await conversation.run();
  assert.deepEqual(
    (await observations(conversation)).map(({ content: [{ text }], is_error, kind, ...fields }) => ({ text, is_error, kind, ...fields })),
    [
      {
        text: "A cup of tea.",
        is_error: false,
        kind: "VisionInspectObservation",
        image_index: 0,
        question: "What is it?",
        profile_name: "vision",
        model: "openai/gpt-4o-mini",
        base_url: "https://eyes.example/v1",
        answer: "A cup of tea.",
      },
      {
        text: "There is no image 3: the user's latest message with images has 1, and the first one is 0.",
        is_error: true,
        kind: "VisionInspectObservation",
        image_index: 3,
        question: "What is it?",
        profile_name: "vision",
      },
      {
        text: "There is no profile 'other' to ask. Leave profile_name out: the only one is 'vision'.",
        is_error: true,
        kind: "VisionInspectObservation",
        image_index: 0,
        question: "What is it?",
        profile_name: "other",
      },
      {
        text: "The model that was asked gave no text. Ask again, in other words.",
        is_error: true,
        kind: "VisionInspectObservation",
        image_index: 0,
        question: "What is it?",
        profile_name: "vision",
        model: "openai/gpt-4o-mini",
        base_url: "https://eyes.example/v1",
      },
    ],
  );
  const { messages, tools } = eyes.requests[0].body;
  assert.deepEqual(
    [messages.at(-1).content, tools],
    [
      [
        { type: "text", text: "What is it?" },
        { type: "image_url", image_url: { url: png } },
      ],
      undefined,
    ],
  );
  assert.ok(conversation.stats.usage_to_metrics.eyes);
  await conversation.close();
});

test("the agent switches to another model for its next steps", async () => {
  const switchTo = (name) => ({ calls: [{ name: "switch_llm", arguments: { profile_name: name, reason: "It is cheaper." } }] });
  const first = createModel([switchTo("none"), switchTo("small")]);
  const second = createModel([{ text: "Done." }]);
  const llm = new LLM({ model: "openai/gpt-4o", fetch: first.fetch });
  const small = new LLM({ model: "openai/gpt-4o-mini", fetch: second.fetch });
  const conversation = await Conversation.open({
    agent: new Agent({ llm, tools: [switchLLM({ profiles: { small, large: llm } })] }),
    store: memoryStore(),
  });
  await conversation.sendMessage("Go on");
  assert.equal((await conversation.run()).finalResponse, "Done.");
  assert.deepEqual(await observations(conversation), [
    {
      content: [
        { cache_prompt: false, type: "text", text: "There is no profile 'none'. Choose one of the list in this tool's description." },
      ],
      is_error: true,
      profile_name: "none",
      reason: "It is cheaper.",
      kind: "SwitchLLMObservation",
    },
    {
      content: [
        {
          cache_prompt: false,
          type: "text",
          text: "The next steps are done by 'small', which is openai/gpt-4o-mini. Reason: It is cheaper.",
        },
      ],
      is_error: false,
      profile_name: "small",
      reason: "It is cheaper.",
      active_model: "openai/gpt-4o-mini",
      kind: "SwitchLLMObservation",
    },
  ]);
  assert.equal(conversation.state.agent.llm.model, "openai/gpt-4o-mini");
  assert.match(JSON.stringify(first.requests[0].body.tools), /- large\\n- small/);
  await conversation.close();
});

test("profiles come from their store, with the options that it does not contain", async () => {
  const texts = new Map();
  const profiles = new LLMProfileStore({
    read: async (name) => texts.get(name),
    write: async (name, json) => void texts.set(name, json),
    names: async () => [...texts.keys()],
  });
  await profiles.save("small", new LLM({ model: "openai/gpt-4o-mini" }));
  const second = createModel([{ text: "Done." }]);
  const first = createModel([{ calls: [{ name: "switch_llm", arguments: { profile_name: "small", reason: "Cheaper." } }] }]);
  const agent = new Agent({
    llm: new LLM({ model: "openai/gpt-4o", fetch: first.fetch }),
    tools: [switchLLM({ profiles, given: { fetch: second.fetch } })],
  });
  const conversation = await Conversation.open({ agent, store: memoryStore() });
  await conversation.sendMessage("Go on");
  assert.equal((await conversation.run()).finalResponse, "Done.");
  await conversation.close();
});

test("options are checked", () => {
  assert.throws(() => inspectImage({ llm: "gpt-4o" }), { code: "invalid_options" });
  assert.throws(() => switchLLM({ profiles: { small: "gpt-4o" } }), { code: "invalid_options" });
});
