// A server that does what no server should. Each test gives it its answers; all others are those of an ordinary server.
import { buffer } from "node:stream/consumers";
import { listen } from "../support/listen.mjs";

/**
 * @param answers Functions by method. They get the parameters and the response, and return a result, or `undefined` if they
 * have answered themselves.
 */
export async function hostile(answers) {
  const received = [];
  let listening;
  const server = await listen(async (request, response) => {
    const sent = await buffer(request);
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      listening = response;
      return;
    }
    if (request.method !== "POST") return response.writeHead(200).end();
    const { id, method, params } = JSON.parse(sent.toString());
    received.push({ method, params });
    if (id === undefined) return response.writeHead(202).end();
    const usual = {
      initialize: () => ({
        protocolVersion: "2025-06-18",
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "hostile", version: "1" },
      }),
      "tools/list": () => ({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
      "tools/call": () => ({ content: [{ type: "text", text: "ok" }] }),
    };
    const result = await (answers[method] ?? usual[method])(params, response, id);
    if (result !== undefined)
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  const notify = (method, params) => listening.write(`data: ${JSON.stringify({ jsonrpc: "2.0", method, params })}\n\n`);
  return { url: `${server.origin}/mcp`, received, notify, close: server.close };
}
