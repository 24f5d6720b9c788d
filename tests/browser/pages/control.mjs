// Brings conversations to where their calls wait for the user, and decides about them in another life of the page.
import { Agent, Conversation, LLM, tool } from "/threadkeep/index.js";

/** The page's tool acts upon the test's server, which counts. */
const send = tool({
  name: "send",
  description: "Sends a text.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  async execute({ text }, { conversationId }) {
    await fetch("/sent", { method: "POST", body: JSON.stringify({ conversationId, text }) });
    return `sent ${text}`;
  },
});

function open({ id, baseUrl }, options) {
  const agent = new Agent({ llm: new LLM({ model: "scripted", baseUrl, numRetries: 1 }), tools: [send] });
  return Conversation.open({ agent, conversationId: id, ...options });
}

/** Says what waits. The conversation stays open: it is for the test to end this page. */
window.bring = async ({ keeps, ...given }) => {
  const securityRisk = async ({ action }) => (action.data.text === "one" ? "LOW" : "HIGH");
  const conversation = await open(given, { confirmationPolicy: { kind: "ConfirmRisky" }, securityAnalyzer: { securityRisk } });
  await conversation.sendMessage("Please send both.");
  await conversation.run();
  if (keeps) await conversation.sendMessage("And then rest.", { pending: "keep" });
  return describe(conversation);
};

/** What was found, and what came of the decision. */
window.decide = async ({ decision, ...given }) => {
  let conversation = await open(given);
  // The lock of the page before may still be on its way out.
  for (; conversation.access !== "writer"; conversation = await open(given)) {
    await conversation.close();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const found = await describe(conversation);
  const [first, second] = await conversation.pendingActions();
  const decisions = {
    approve: () => conversation.run(),
    reject: async () => {
      await conversation.rejectPendingActions("Not while I sleep");
      return conversation.run();
    },
    single: async () => {
      await conversation.run({ approve: [first.id] });
      await conversation.rejectPendingActions("Not this one", { actionIds: [second.id] });
      return conversation.run();
    },
    edit: async () => {
      await conversation.editAction(second.id, { text: "zwei" });
      return conversation.run();
    },
  };
  const { status, finalResponse } = await decisions[decision]();
  const kinds = (await conversation.events.slice()).map(({ kind }) => kind.replace("Event", ""));
  await conversation.close();
  return { found, status, finalResponse, kinds };
};

async function describe(conversation) {
  const pending = await conversation.pendingActions();
  const risks = pending.map(({ id }) => conversation.securityRisks[id]);
  return { status: conversation.executionStatus, texts: pending.map(({ action }) => action.data.text), risks };
}

document.title = "ready";
