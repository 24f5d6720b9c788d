/** @jsxImportSource preact */
// The line of several small steps: how many, and what they have done, such as `thought`, `3 × read a file`.
import { visibleText } from "../../thread/index.js";
import { useLabels } from "../context.js";
import { counted } from "../counted.js";
import type { Step } from "./rows.js";

interface StepsLineProps {
  steps: readonly Step[];
  isOpen: boolean;
  toggle: () => void;
}

export function StepsLine({ steps, isOpen, toggle }: StepsLineProps) {
  const labels = useLabels();
  const done = steps.map((step) => (step.type === "tool" ? visibleText(labels.stepOf(step.toolName)) : labels.stepThought));
  return (
    <div class="entry entry-steps" part="entry steps">
      <button type="button" class="steps" aria-expanded={isOpen} onClick={toggle}>
        <span>{labels.steps(steps.length, counted(done, labels))}</span>
      </button>
    </div>
  );
}
