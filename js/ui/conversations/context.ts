// The values that all components of a list share.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type ConversationsLabels, defaultConversationsLabels } from "./labels.js";

export interface ListContextValue {
  labels: ConversationsLabels;
  /** The address of a conversation, or of an event in it; with `null` that of a new one. */
  linkOf: (conversationId: string | null, eventId?: string) => string | undefined;
  /** Opens it; the default of the event is kept where a link shall be followed. */
  open: (event: MouseEvent, conversationId: string | null, eventId?: string) => void;
}

export const ListContext = createContext<ListContextValue>({
  labels: defaultConversationsLabels,
  linkOf: () => undefined,
  open: () => undefined,
});

export const useListContext = (): ListContextValue => useContext(ListContext);
