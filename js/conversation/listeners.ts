// The listeners of an open conversation.
import type { ConversationEvent, LiveEvent } from "../events/events.js";
import type { Listeners } from "./types.js";

/** The listeners that the options of a conversation contain, and a function that calls all that are there by then. @internal */
export function listenersOf({
  callbacks,
  tokenCallbacks,
}: {
  callbacks: Array<(event: ConversationEvent) => void>;
  tokenCallbacks: Array<(live: LiveEvent) => void>;
}) {
  const listeners: Listeners = new Set();
  for (const callback of callbacks) listeners.add((event) => isStored(event) && callback(event));
  for (const callback of tokenCallbacks) listeners.add((event) => isStored(event) || callback(event));
  const emit = (event: ConversationEvent | LiveEvent) => {
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // A subscriber's error must not stop the agent; it surfaces as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
  return { listeners, emit };
}

/** Whether this is an event of the log, not a live one. */
function isStored(event: ConversationEvent | LiveEvent): event is ConversationEvent {
  return "id" in event;
}
