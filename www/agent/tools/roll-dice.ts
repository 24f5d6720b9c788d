// roll_dice: random numbers from the browser's cryptographic source.

import { tool } from "threadkeep";

export const rollDice = tool<{ count?: number; sides?: number }>({
  name: "roll_dice",
  description: "Rolls dice and returns each result and the sum.",
  parameters: {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1, maximum: 100, description: "how many dice; 1 if left out" },
      sides: { type: "integer", minimum: 2, maximum: 1000, description: "sides of each die; 6 if left out" },
    },
    additionalProperties: false,
  },
  annotations: { title: "Roll dice", destructiveHint: false, openWorldHint: false },
  replay: "safe",
  execute({ count = 1, sides = 6 }) {
    const rolls = Array.from({ length: count }, () => 1 + randomBelow(sides));
    const sum = rolls.reduce((total, roll) => total + roll, 0);
    return count === 1 ? String(sum) : `${rolls.join(", ")} (sum ${sum})`;
  },
});

/** Rejects numbers past the last full multiple of `limit`, because otherwise low results would be more likely. */
function randomBelow(limit: number): number {
  const fair = 2 ** 32 - (2 ** 32 % limit);
  const draw = new Uint32Array(1);
  do crypto.getRandomValues(draw);
  while (draw[0]! >= fair);
  return draw[0]! % limit;
}
