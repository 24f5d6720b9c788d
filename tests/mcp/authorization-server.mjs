// An MCP server that asks for a login, with its authorization server, both as wrong as a test wants them.
import { listen } from "../support/listen.mjs";

/**
 * `metadata(origin)`: further or other fields of the authorization server's metadata. `accepts(token)`: whether the MCP
 * server takes an access token. `answer(url)`: changes the URL to which the user is sent back.
 */
export async function authorizationServer({ metadata = () => ({}), accepts = () => true, answer = () => {} } = {}) {
  const seen = { grants: [], logins: 0 };
  let tokens = 0;
  const server = await listen(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const { origin } = server;
    const url = new URL(request.url, origin);
    const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "*", "access-control-expose-headers": "*" };
    const json = (value, status = 200, headers = {}) =>
      response.writeHead(status, { ...cors, "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    if (request.method === "OPTIONS") return response.writeHead(204, cors).end();
    if (url.pathname === "/.well-known/oauth-protected-resource/mcp")
      return json({ resource: `${origin}/mcp`, authorization_servers: [origin] });
    if (url.pathname === "/.well-known/oauth-authorization-server") {
      const endpoints = {
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
      };
      return json({
        issuer: origin,
        ...endpoints,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...metadata(origin),
      });
    }
    if (url.pathname === "/register") return json({ ...JSON.parse(body), client_id: "client-1" }, 201);
    if (url.pathname === "/authorize") {
      seen.logins += 1;
      const back = new URL(url.searchParams.get("redirect_uri"));
      back.searchParams.set("code", "code-1");
      back.searchParams.set("state", url.searchParams.get("state"));
      answer(back, origin);
      return response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === "/token") {
      seen.grants.push(new URLSearchParams(body).get("grant_type"));
      return json({ access_token: `access-token-${++tokens}`, token_type: "Bearer", refresh_token: `refresh-token-${tokens}` });
    }
    if (url.pathname !== "/mcp") return json({}, 404);
    const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1];
    if (token === undefined || !accepts(token))
      return json({}, 401, { "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` });
    if (request.method !== "POST") return response.writeHead(405, cors).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202, cors).end();
    const results = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "guarded", version: "1" } },
      "tools/list": { tools: [{ name: "greet", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "Hello" }] },
    };
    json({ jsonrpc: "2.0", id, result: results[method] });
  });
  return { url: `${server.origin}/mcp`, origin: server.origin, seen, close: server.close };
}
