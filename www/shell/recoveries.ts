// Actions for failures, other than trying again. The owner of an action registers it when the page starts.

import type { Recovery } from "./failures.ts";

const owners = new Map<Recovery, () => unknown>([["reload", () => location.reload()]]);

export function registerRecovery(recovery: Recovery, act: () => unknown): void {
  owners.set(recovery, act);
}

export function runRecovery(recovery: Recovery): void {
  void owners.get(recovery)?.();
}
