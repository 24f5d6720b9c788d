// Conversations of which only the messages matter, for the search.
import { storeWith } from "/support/store-with.mjs";

/** A commit that appends messages of these texts. */
export const saying = (id, texts, rest) => ({
  expectedLength: 0,
  events: texts.map((text) => {
    const event = crypto.randomUUID();
    const message = { id: event, kind: "MessageEvent", source: "user", llm_message: { content: [{ type: "text", text }] } };
    return { id: event, json: JSON.stringify(message) };
  }),
  baseState: JSON.stringify({ id }),
  files: [],
  at: Date.now(),
  durability: "relaxed",
  ...rest,
});

/** A store of the host that has what this one has, under no name. */
export const unnamed = (store) => storeWith(store, { close() {} });
