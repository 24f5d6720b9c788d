// What the agent is doing, in words, where neither the messages nor what follows them says it.
import type { ThreadSnapshot } from "../../thread/index.js";
import { titleOf } from "../call-title.js";
import type { ChatLabels } from "../labels.js";
import { queuedIn } from "./rows.js";

export interface Activity {
  words: string;
  /** Whether its next sign of life is still to come, and not the growing text itself. */
  isWaiting: boolean;
}

/** `null` while nothing goes on, and where something else says what. */
export function activityOf(snapshot: ThreadSnapshot, labels: ChatLabels): Activity | null {
  const { phase, isRunning, isCondensing, isSilent, status, waiting, approvals, home, messages } = snapshot;
  // The line of the state says what the agent waits for, and the line below the field that nobody answers.
  if (phase !== "open" || waiting !== null || isSilent) return null;
  if (isCondensing) return { words: labels.condensing, isWaiting: true };
  if (!isRunning || status === "paused") return null;
  // The agent has not read the messages that wait at the end.
  const last = messages[messages.length - 1 - queuedIn(messages)];
  const part = last?.parts.at(-1);
  if (last?.state === "streaming")
    // Thoughts and calls have lines of their own.
    return part?.type === "text" ? { words: labels.writing, isWaiting: false } : null;
  const calls = (last?.parts ?? []).flatMap((part) => (part.type === "tool" && part.state === "running" ? [part] : []));
  if (calls.length > 0) return { words: labels.runs(calls.map((call) => titleOf(call, labels))), isWaiting: true };
  if (approvals.length > 0) return null;
  if (home === "server") return { words: labels.serverWorks, isWaiting: true };
  return { words: status === "running" ? labels.asking : labels.working, isWaiting: true };
}
