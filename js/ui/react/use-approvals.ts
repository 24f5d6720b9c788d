// The hook for the calls that wait for the user.
import { useMemo, useSyncExternalStore } from "react";
import type { ActionEvent, JSONValue, RunResult } from "threadkeep";
import type { Approval, Thread, ThreadSnapshot } from "../thread/index.js";

/** A call that waits, with what the user can do about it. */
export interface PendingApproval extends Approval {
  /** Runs it. Resolves when the run that it belongs to has ended. */
  approve(): Promise<RunResult>;
  reject(reason?: string): Promise<RunResult | null>;
  /** Changes its arguments; it continues to wait. */
  edit(args: JSONValue): Promise<ActionEvent>;
  /** Allows its tool in this conversation from now on. Has an effect only if `canAlwaysAllow`, and is refused otherwise. */
  alwaysAllow(): Promise<RunResult | null>;
}

/** The calls of a conversation that wait for the user, the riskiest first. Takes the result of `useConversation()`, or a thread. */
export function useApprovals(
  thread: Pick<Thread, "subscribe" | "approve" | "reject" | "editAction" | "alwaysAllow"> & { getSnapshot(): ThreadSnapshot },
): readonly PendingApproval[] {
  const { subscribe, getSnapshot, approve, reject, editAction, alwaysAllow } = thread;
  const approvals = useSyncExternalStore(
    subscribe,
    () => getSnapshot().approvals,
    () => none,
  );
  return useMemo(
    () =>
      approvals.map((approval) => ({
        ...approval,
        approve: () => approve([approval.actionId]),
        reject: (reason) => reject(reason, [approval.actionId]),
        edit: (args) => editAction(approval.actionId, args),
        alwaysAllow: () => alwaysAllow(approval.toolName),
      })),
    [approvals, approve, reject, editAction, alwaysAllow],
  );
}

const none: readonly Approval[] = [];
