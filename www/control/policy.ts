// The three approval policies that this page offers. An imported conversation may have another.

import type { ConfirmationPolicy, ConversationState, SecurityAnalyzer } from "threadkeep";

export type PolicyChoice = "never" | "risky" | "always";

export const POLICIES: ReadonlyArray<{ id: PolicyChoice; label: string }> = [
  { id: "never", label: "Ask about harmful tools only" },
  { id: "risky", label: "Ask about risky calls" },
  { id: "always", label: "Ask about every call" },
];

export const POLICY_HELP =
  "Each payment needs your approval, and so does each call of another tool that is marked as destructive, unless you always allow that tool. A call is also risky if its tool reaches beyond this page, or if it matches one of the patterns for payments, addresses, credentials and stored data. A change applies from the next answer on.";

/** Patterns need no model, so calls of the scripted model can be rated too. */
export const ANALYZER: SecurityAnalyzer = { kind: "PatternSecurityAnalyzer" };

export const policyFor = (choice: PolicyChoice): ConfirmationPolicy =>
  (({ never: { kind: "NeverConfirm" }, risky: { kind: "ConfirmRisky", threshold: "MEDIUM" }, always: { kind: "AlwaysConfirm" } }) as const)[
    choice
  ];

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
