// add_up: takes its time and changes nothing, so a call that dies with the page is simply made again.

import { tool } from "threadkeep";
import { pause } from "./pause.ts";

export const addUp = tool<{ to: number; seconds_per_step?: number }>({
  name: "add_up",
  description: "Adds up the numbers from one upwards, slowly, one number per step.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "integer", minimum: 1, maximum: 100, description: "the last number" },
      seconds_per_step: { type: "number", minimum: 0.01, maximum: 10, description: "1 if left out" },
    },
    required: ["to"],
    additionalProperties: false,
  },
  annotations: { title: "Add up numbers", readOnlyHint: true, openWorldHint: false },
  async execute({ to, seconds_per_step = 1 }, { signal, progress }) {
    let sum = 0;
    for (let number = 1; number <= to; number += 1) {
      await pause(seconds_per_step * 1000, signal);
      sum += number;
      progress(`${number} of ${to}`);
    }
    return `The numbers to ${to} add up to ${sum}.`;
  },
});
