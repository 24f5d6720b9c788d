// Conversations whose history is condensed.
import { say } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const call = (a) => ({ calls: [{ name: "add", arguments: { a, b: 1 } }] });
const step = ["Action", "Observation"];
const answers = ["Message", "Message"];
const condenser = { kind: "LLMSummarizingCondenser", maxSize: 10, keepFirst: 2 };
const summary = { text: "The user wants sums; some were made." };
const fields = {
  calls: [{ name: "summary", arguments: { user_context: "Wants sums.", completed_tasks: ["One sum"], pending_tasks: ["Another sum"] } }],
};

export const condensing = {
  "condensed because of its length": {
    agent: { condenser },
    replies: [call(1), call(2), call(3), call(4), call(5), summary, { text: "Added." }],
    kinds: [...begin, ...step, ...step, ...step, ...step, ...step, "Condensation", "Message"],
  },
  "condensed on request": {
    agent: { condenser },
    replies: [{ text: "Hello." }, { text: "Yes." }, summary],
    kinds: [...begin, "Message", ...answers, "CondensationRequest", "Condensation"],
    play: async ({ conversation }) => {
      await say(conversation, "Hi.");
      await say(conversation, "Are you there?");
      await conversation.condense();
    },
  },
  "summary with fields": {
    agent: { condenser: { ...condenser, summary: "fields" } },
    replies: [{ text: "Hello." }, { text: "Yes." }, fields],
    kinds: [...begin, "Message", ...answers, "CondensationRequest", "Condensation"],
    lost: ["agent.condenser.summary"],
    play: async ({ conversation }) => {
      await say(conversation, "Hi.");
      await say(conversation, "Are you there?");
      await conversation.condense();
    },
  },
  "condensed twice by a pipeline": {
    agent: {
      condenser: { kind: "PipelineCondenser", condensers: [{ kind: "NoOpCondenser" }, condenser, { kind: "LLMSummarizingCondenser" }] },
    },
    replies: [{ text: "Hello." }, { text: "Yes." }, summary, { text: "Still." }, summary],
    kinds: [...begin, "Message", ...answers, "CondensationRequest", "Condensation", ...answers, "CondensationRequest", "Condensation"],
    play: async ({ conversation }) => {
      await say(conversation, "Hi.");
      await say(conversation, "Are you there?");
      await conversation.condense();
      await say(conversation, "And now?");
      await conversation.condense();
    },
  },
};
