// slow_count: takes its time, reports progress, stops when asked. It is not idempotent and its `replay` is "ask": use it to
// see what happens when the page is killed in the middle.

import { tool } from "threadkeep";
import { pause } from "./pause.ts";

export const slowCount = tool<{ to: number; seconds_per_step?: number }>({
  name: "slow_count",
  description: "Counts slowly from one upwards, one number per step.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "integer", minimum: 1, maximum: 100, description: "where to stop" },
      seconds_per_step: { type: "number", minimum: 0.01, maximum: 10, description: "1 if left out" },
    },
    required: ["to"],
    additionalProperties: false,
  },
  annotations: { title: "Count slowly", destructiveHint: false, idempotentHint: false, openWorldHint: false },
  replay: "ask",
  async execute({ to, seconds_per_step = 1 }, context) {
    const counted: number[] = [];
    for (let number = 1; number <= to; number += 1) {
      await pause(seconds_per_step * 1000, context.signal);
      counted.push(number);
      context.progress(`${number} of ${to}`);
    }
    return counted.join(" ");
  },
});
