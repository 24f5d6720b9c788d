// The agent of the chat: a model and its tools.
import { Agent, LLM, tool } from "threadkeep";

const lookUp = tool({
  name: "find_tables",
  description: "Lists the free tables of a restaurant on a day.",
  parameters: { type: "object", properties: { day: { type: "string" } }, required: ["day"] },
  annotations: { readOnlyHint: true },
  execute: async ({ day }, { signal }) => (await fetch(`/tables?day=${encodeURIComponent(String(day))}`, { signal })).json(),
});

const book = tool({
  name: "book_table",
  description: "Books a table.",
  parameters: { type: "object", properties: { table: { type: "integer" } }, required: ["table"] },
  // The user is asked before each call, and again if the page dies in the middle of one.
  annotations: { destructiveHint: true },
  async execute({ table }, { signal, idempotencyKey }) {
    const response = await fetch("/bookings", { method: "POST", body: JSON.stringify({ table, idempotencyKey }), signal });
    return response.json();
  },
});

// A relay of the page's own server, which adds the key: nobody can read it from the page.
export const agent = new Agent({ llm: new LLM({ model: "openai/gpt-5-mini", baseUrl: "/v1", apiMode: "chat" }), tools: [lookUp, book] });
