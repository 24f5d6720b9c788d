/** @jsxImportSource preact */
// The line of several small steps: how many, and what they have done.
import { visibleText } from "../../thread/index.js";
import { useLabels } from "../context.js";
import type { ChatLabels } from "../labels.js";
import { memo } from "./memo.js";
import type { Step } from "./steps.js";

interface StepsLineProps {
  steps: readonly Step[];
  isOpen: boolean;
  toggle: () => void;
}

export const StepsLine = memo(({ steps, isOpen, toggle }: StepsLineProps) => {
  const labels = useLabels();
  return (
    <div class="entry entry-steps" part="entry steps">
      <button type="button" class="steps" aria-expanded={isOpen} onClick={toggle}>
        <span>{labels.steps(steps.length, whatOf(steps, labels))}</span>
      </button>
    </div>
  );
});

/** What was done, in the order of the first of each kind, such as `thought`, `3 × read a file`. */
function whatOf(steps: readonly Step[], labels: ChatLabels): string[] {
  const counts = new Map<string, number>();
  for (const step of steps) {
    const what = step.type === "tool" ? visibleText(labels.stepOf(step.toolName)) : labels.stepThought;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return [...counts].map(([what, count]) => (count === 1 ? what : labels.callTimes(what, count)));
}
