// A server that speaks as an agent server does as far as a page needs, without sockets, and that a test lets talk nonsense.
import { randomUUID } from "node:crypto";
import { listen } from "../support/listen.mjs";

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*",
  "access-control-allow-methods": "GET, POST, PATCH, DELETE",
};

/**
 * Starts it. `said` has for a request such as `POST events`, without the address of the conversation, a function of the body that
 * returns what is answered instead: `{ status, text }`, or nothing if it only looks. A request in `silent` is never answered.
 */
export async function startNonsenseServer() {
  const conversations = new Map();
  const said = {};
  const silent = new Set();
  const requests = [];
  const server = await listen(async (request, response) => {
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    const url = new URL(request.url, "http://server.test");
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
    const [, id = "", rest = ""] = /^\/api\/conversations\/?([^/]*)\/?(.*)$/.exec(url.pathname) ?? [];
    const name = `${request.method} ${rest || (id ? "one" : url.pathname)}`;
    requests.push(name);
    if (silent.has(name)) return;
    const { status = 200, text } = (await said[name]?.(body, { id, url, conversations })) ?? usual(name, id, url, body);
    response.writeHead(status, { ...cors, "content-type": "application/json" }).end(text);
  });
  const usual = (name, id, url, body) => {
    const found = conversations.get(id);
    const json = (value, status = 200) => ({ status, text: JSON.stringify(value) });
    if (name === "GET /server_info") return json({ version: "1.58.0", usable_tools: [] });
    if (name === "GET /api/conversations") return json([conversations.get(url.searchParams.get("ids"))?.state ?? null]);
    if (name === "POST /api/conversations") {
      const { conversation_id: id, agent, tags } = body;
      const state = { id, agent, workspace: body.workspace, execution_status: "idle", tags, stats: { usage_to_metrics: {} } };
      conversations.set(id, { state, log: [] });
      return json(state, 201);
    }
    if (!found) return json({ detail: "none" }, 404);
    const { log, state } = found;
    if (name === "GET one") return json(state);
    if (name === "GET events/search") {
      const page = url.searchParams.get("page_id");
      const from = page ? log.findIndex((event) => event.id === page) : 0;
      return json({ items: log.slice(from, from + 100), next_page_id: log[from + 100]?.id ?? null });
    }
    if (name === "POST events") log.push(messageOf(body.content));
    if (name === "POST ask_agent") return json({ response: "Four." });
    if (name === "PATCH one") Object.assign(state, body);
    return json({ success: true });
  };
  return { host: server.origin, said, silent, requests, conversations, close: server.close };
}

let time = 0;

/** An event of a message of the user, as a server logs it. */
export function messageOf(content) {
  return {
    id: randomUUID(),
    timestamp: `2026-01-31T09:15:02.${String(time++).padStart(6, "0")}`,
    source: "user",
    llm_message: { role: "user", content, thinking_blocks: [] },
    activated_skills: [],
    extended_content: [],
    kind: "MessageEvent",
  };
}
