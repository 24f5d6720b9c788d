// send_payment: looks like a payment, so that the user is asked. It pays nobody.

import { tool } from "threadkeep";

export const sendPayment = tool<{ to: string; amount: number }>({
  name: "send_payment",
  description: "Pays somebody an amount. A demonstration: no money moves.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "string", minLength: 1, maxLength: 100, description: "who is paid" },
      amount: { type: "number", exclusiveMinimum: 0, maximum: 10_000, description: "how much, in euros" },
    },
    required: ["to", "amount"],
    additionalProperties: false,
  },
  annotations: { title: "Send a payment", destructiveHint: true, idempotentHint: false },
  // Each payment is a decision of its own: it cannot be allowed for good.
  needsApproval: true,
  execute: ({ to, amount }) => `Paid ${to} ${amount} euros. (This is a demonstration: no money moved.)`,
});
