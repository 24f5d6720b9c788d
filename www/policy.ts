// The three approval policies that this page offers. An imported conversation may have another.

import type { ConfirmationPolicy, ConversationState, SecurityAnalyzer } from "threadkeep";

export type PolicyChoice = "never" | "risky" | "always";

export const POLICIES: ReadonlyArray<{ id: PolicyChoice; label: string }> = [
  { id: "never", label: "Ask about harmful tools only" },
  { id: "risky", label: "Ask about risky calls" },
  { id: "always", label: "Ask about every call" },
];

export const POLICY_HELP =
  "A tool that says of itself that it does harm, such as a payment, is asked about in each case, until it is always allowed. Risky is also a tool that says it reaches beyond this page, and what a list of patterns finds: payments, addresses, credentials, stored data. It counts from the next answer on.";

/** Patterns need no model, so calls of the scripted model can be rated too. */
export const ANALYZER: SecurityAnalyzer = { kind: "PatternSecurityAnalyzer" };

export const policyFor = (choice: PolicyChoice): ConfirmationPolicy =>
  ({ never: { kind: "NeverConfirm" }, risky: { kind: "ConfirmRisky", threshold: "MEDIUM" }, always: { kind: "AlwaysConfirm" } } as const)[choice];

/** Null for another policy. */
export function choiceOf({ confirmation_policy: policy }: Partial<ConversationState>): PolicyChoice | null {
  switch (policy?.kind) {
    case "AlwaysConfirm":
      return "always";
    case "ConfirmRisky":
      return "risky";
    case "NeverConfirm":
    case undefined:
      return "never";
    default:
      return null;
  }
}
