/** @jsxImportSource preact */
// A control with its label and a help text that screen readers find.
import type { ComponentChildren } from "preact";

/** The ids that a control takes from its field. */
export interface FieldIds {
  id: string;
  "aria-describedby": string;
}

export interface FieldProps {
  id: string;
  label: string;
  help?: string | undefined;
  /** What is wrong with the value; empty if nothing is. */
  wrong?: string | undefined;
  children: (ids: FieldIds) => ComponentChildren;
}

export function Field({ id, label, help, wrong, children }: FieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}-help` })}
      <div id={`${id}-help`}>
        {wrong !== undefined && (
          <p class="outcome" data-state="bad" role="alert">
            {wrong}
          </p>
        )}
        {help && <p class="quiet">{help}</p>}
      </div>
    </div>
  );
}

/** A sentence about something that was asked for. */
export interface Outcome {
  text: string;
  state: "waiting" | "good" | "bad";
}

export function OutcomeLine({ outcome, name }: { outcome: Outcome | null; name: string }) {
  return (
    <p class={`outcome ${name}`} role="status" data-state={outcome?.state}>
      {outcome?.text}
    </p>
  );
}
