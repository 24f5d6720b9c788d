// A tool's progress on its way to the page: shown while the call runs, never stored.

import type { ToolContext } from "threadkeep";

type Listener = (toolCallId: string, text: string) => void;
const listeners = new Set<Listener>();

export function reportProgress(context: ToolContext, text: string): void {
  context.progress(text);
  for (const listener of listeners) listener(context.toolCallId, text);
}

export function onProgress(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
