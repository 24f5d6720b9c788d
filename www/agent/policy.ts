// The three approval policies that this page offers. An imported conversation may have another.

import type { ConfirmationPolicy, ConversationState, SecurityAnalyzer } from "threadkeep";

export type PolicyChoice = "never" | "risky" | "always";

export const policies: ReadonlyArray<{ id: PolicyChoice; label: string; policy: ConfirmationPolicy }> = [
  { id: "never", label: "Ask about harmful tools only", policy: { kind: "NeverConfirm" } },
  { id: "risky", label: "Ask about risky calls", policy: { kind: "ConfirmRisky", threshold: "MEDIUM" } },
  { id: "always", label: "Ask about every call", policy: { kind: "AlwaysConfirm" } },
];

/** Patterns need no model, so calls of the scripted model can be rated too. */
export const analyzer: SecurityAnalyzer = { kind: "PatternSecurityAnalyzer" };

export const policyFor = (choice: PolicyChoice): ConfirmationPolicy => policies.find(({ id }) => id === choice)!.policy;

/** `undefined` for another policy. */
export const choiceOf = ({ confirmation_policy: policy }: Partial<ConversationState>) =>
  policies.find((each) => each.policy.kind === (policy?.kind ?? "NeverConfirm"));
