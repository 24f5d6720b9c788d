// The tool `search_conversations`.
import type { Store } from "../store/store.js";
import { tool } from "../tool/tool.js";
import type { Tool } from "../tool/types.js";
import { search } from "./requests.js";
import type { SearchHit } from "./types.js";

/** Hits of the conversation that asks are left out, so more are looked for. */
const mostHits = 20;

export function define(store: Store | undefined): Tool {
  return tool<{ query: string }>({
    name: "search_conversations",
    description:
      "Searches the user's earlier conversations for texts that have all words of the query. Returns short excerpts, the latest conversation first.",
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, description: "Words that the text has, in any order. The beginning of a word is enough." },
      },
      required: ["query"],
    },
    annotations: { title: "search_conversations", readOnlyHint: true, openWorldHint: false },
    replay: "safe",
    async execute({ query }, { conversationId, signal }) {
      const { hits } = await search(query, { store, signal, limit: 2 * mostHits });
      const others = hits.filter((hit) => hit.conversationId !== conversationId).slice(0, mostHits);
      if (others.length === 0) return "Nothing was found in other conversations.";
      return others.map(lineOf).join("\n");
    },
  });
}

function lineOf({ title, updatedAt, source, excerpt, conversationId }: SearchHit): string {
  const day = updatedAt.toISOString().slice(0, 10);
  return `- ${JSON.stringify(title ?? "untitled")} (${conversationId}, ${day}), ${source ?? "title"}: ${excerpt}`;
}
