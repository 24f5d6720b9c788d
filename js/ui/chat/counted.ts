import type { ChatLabels } from "./labels.js";

/** Each of these once, in the order of the first, with how often it is there: such as `2 × roll_dice`. */
export function counted(names: readonly string[], labels: Pick<ChatLabels, "callTimes">): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : labels.callTimes(name, count)));
}
