// The user's decisions about calls, one after the other.
import type { RespondToToolApprovalOptions } from "@assistant-ui/react";
import type { Thread } from "../thread/types.js";

export type Answer = RespondToToolApprovalOptions;

/** The last decision of each thread, until its run has ended: a run that is under way takes no further call. */
const decisions = new WeakMap<Thread, Promise<unknown>>();

/**
 * Stores a decision about a call, and runs what it allows. Resolves once it is stored: the run may take long, and its failure is
 * in the snapshot. A decision that comes during a run waits for its end.
 */
export async function respond(thread: Thread, { approvalId, approved, optionId, reason }: Answer): Promise<void> {
  const asked = () => thread.getSnapshot().approvals.find(({ actionId }) => actionId === approvalId);
  const decide = (): Promise<unknown> | undefined => {
    const call = asked();
    // An earlier decision may have included this call.
    if (!call) return undefined;
    if (!approved) return thread.reject(reason, [approvalId]);
    return optionId === "allow-always" ? thread.alwaysAllow(call.toolName) : thread.approve([approvalId]);
  };
  const decided = (decisions.get(thread) ?? Promise.resolve()).then(() => when(thread, () => !thread.getSnapshot().isRunning)).then(decide);
  decisions.set(
    thread,
    decided.catch(() => {}),
  );
  await Promise.race([when(thread, () => !asked()), decided]);
}

/** Resolves when this is true of the thread. */
function when(thread: Thread, isTrue: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isTrue()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = thread.subscribe(look);
    look();
  });
}
