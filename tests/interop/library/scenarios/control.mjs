// Conversations in which the user decides about calls.
import assert from "node:assert/strict";
import { tool } from "../../../../dist/index.js";
import { eventsOf, sum } from "../../../support/chat.mjs";

const begin = ["SystemPrompt", "Message"];
const ask = { kind: "AlwaysConfirm" };
const three = { text: "Adding.", calls: [sum(1, 2), sum(3, 4), sum(5, 6)] };
const refused = "UserRejectObservation";

/** Runs until the calls wait. */
async function waits(conversation) {
  await conversation.sendMessage("Please add.");
  const { status } = await conversation.run();
  assert.equal(status, "waiting_for_confirmation");
  return (await conversation.pendingActions()).map(({ id }) => id);
}

export const control = {
  "calls that wait": {
    breaks: true,
    pending: 3,
    options: { confirmationPolicy: ask },
    replies: [three],
    kinds: [...begin, "Action", "Action", "Action"],
    play: ({ conversation }) => waits(conversation),
  },
  "a call that waits because of its tool, under a policy that never asks": {
    breaks: true,
    pending: 1,
    tools: [
      tool({
        name: "pay",
        description: "Pays.",
        parameters: { type: "object", properties: {} },
        annotations: { destructiveHint: true },
        execute: () => "paid",
      }),
    ],
    replies: [{ text: "Paying.", calls: [{ name: "pay", arguments: {} }] }],
    kinds: [...begin, "Action"],
    play: ({ conversation }) => waits(conversation),
  },
  "one call approved, one rejected, one edited": {
    options: { confirmationPolicy: ask },
    replies: [three, { text: "3 and 30." }],
    // The edited answer is on a branch of its own.
    kinds: [
      ...begin,
      "Action",
      "Action",
      "Action",
      "Observation",
      refused,
      refused,
      "Action",
      "Action",
      "Action",
      "Observation",
      refused,
      "Observation",
      "Message",
    ],
    forgiven: /never/,
    play: async ({ conversation, model }) => {
      const [first, second, third] = await waits(conversation);
      await conversation.run({ approve: [first] });
      await conversation.rejectPendingActions("Not this one", { actionIds: [second] });
      const edited = await conversation.editAction(third, { a: 10, b: 20 });
      assert.deepEqual(
        (await conversation.pendingActions()).map(({ id }) => id),
        [edited.id],
      );
      assert.equal((await conversation.run()).status, "finished");
      const reported = model.requests.at(-1).body.messages;
      assert.match(JSON.stringify(reported.at(-1).content), /30.*changed the arguments/);
      assert.equal(reported.find(({ tool_calls: calls }) => calls).tool_calls[2].function.arguments, '{"a": 10, "b": 20}');
      await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
    },
  },
  "what a message rejects": {
    options: { confirmationPolicy: ask },
    replies: [three, { text: "Then not." }],
    kinds: [...begin, "Action", "Action", "Action", refused, refused, refused, "Message", "Message"],
    play: async ({ conversation }) => {
      await waits(conversation);
      await conversation.sendMessage("Stop.", { pending: "reject" });
      await conversation.run();
    },
  },
  "the model's own word and a function of the page": {
    options: {
      confirmationPolicy: { kind: "ConfirmRisky", threshold: "MEDIUM", confirmUnknown: false },
      securityAnalyzer: { kind: "LLMSecurityAnalyzer" },
    },
    replies: [
      { calls: [{ name: "note", arguments: { text: "x", security_risk: "LOW" } }] },
      { calls: [{ name: "note", arguments: { text: "y", security_risk: "MEDIUM" } }] },
      { calls: [{ name: "note", arguments: { text: "z" } }] },
      { text: "All noted." },
    ],
    kinds: [...begin, "Action", "Observation", "Action", "Observation", "Action", "Observation", "Message"],
    play: async ({ conversation }) => {
      const [waiting] = await waits(conversation);
      const [low, , medium] = (await eventsOf(conversation)).slice(2);
      assert.deepEqual([low.security_risk, medium.security_risk, waiting], ["LOW", "MEDIUM", medium.id]);
      const seen = [];
      const securityRisk = ({ action }) => (seen.push(action.data.text), "HIGH");
      await conversation.setSecurityAnalyzer({ securityRisk });
      assert.equal((await conversation.run()).status, "waiting_for_confirmation");
      assert.deepEqual(seen, ["z"]);
      const [{ id }] = await conversation.pendingActions();
      assert.deepEqual(conversation.securityRisks, { [id]: "HIGH" });
      await conversation.setConfirmationPolicy({ kind: "NeverConfirm" });
      await conversation.run();
      assert.deepEqual(conversation.securityRisks, {});
    },
  },
};
