// The files that the terminal has written. Its results do not name them, so the page notes those that change together with
// a result, in the conversation's own state: they are known after a reload, too.

import type { Conversation } from "threadkeep";

const KEY = "demo_files_of_terminal";
/**
 * Changes of files so many milliseconds before or after a result belong to it: both are stored in one transaction, but a
 * busy page hears of them one after the other.
 */
const TOGETHER = 2_000;
const PATIENCE = 100;

/** Their paths. An archive may contain anything under this name. */
export function filesOfTerminal({ state }: Conversation): string[] {
  const stored: unknown = state.agent_state[KEY];
  return Array.isArray(stored) ? stored.filter((path) => typeof path === "string") : [];
}

/** Notes the files until the returned function is called. */
export function noteFilesOfTerminal(conversation: Conversation): () => void {
  /** The changes whose result is not known yet. */
  let changed: { path: string; isWritten: boolean; at: number }[] = [];
  let resultAt = -Infinity;
  let timer = 0;
  const note = async (): Promise<void> => {
    // Where another tab runs the agent, that one notes them.
    if (conversation.home === "tab") return void (changed = []);
    const paths = new Set(filesOfTerminal(conversation));
    const before = [...paths].join("\n");
    for (const { path, isWritten, at } of changed) {
      if (!isWritten) paths.delete(path);
      else if (Math.abs(at - resultAt) <= TOGETHER) paths.add(path);
    }
    // The result of the others may still come.
    changed = changed.filter(({ at }) => at > resultAt + TOGETHER);
    // A mark that cannot be stored, because the conversation was closed meanwhile, is missing.
    if ([...paths].join("\n") !== before) await conversation.setAgentState({ [KEY]: [...paths] }).catch(() => undefined);
  };
  const soon = (): void => {
    clearTimeout(timer);
    timer = window.setTimeout(() => void note(), PATIENCE);
  };
  const stopListening = conversation.subscribe((event) => {
    if (event.kind !== "ObservationEvent" || (event as { tool_name?: unknown }).tool_name !== "terminal") return;
    resultAt = Date.now();
    soon();
  });
  const stopWatching = conversation.workspace.watch(({ path, type }) => {
    changed.push({ path, isWritten: type === "written", at: Date.now() });
    soon();
  });
  return () => {
    stopListening();
    stopWatching();
    clearTimeout(timer);
  };
}
