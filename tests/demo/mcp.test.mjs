// MCP servers in the demo page. Sub-agents are in browser/ui/chat/deciding and messages.
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { json } from "node:stream/consumers";
import { listen } from "../support/listen.mjs";
import { demoTest } from "./page.mjs";

/** The answers of the server to a request without a token, and to one for a stream. */
const usual = /40[15]/;
const token = "a-token-for-the-weather";
let weather;
before(async () => {
  weather = await listen(weatherServer);
});
after(async () => {
  await weather.close();
});

/** An MCP server with one tool, over streamable HTTP without a stream, and without a session. */
async function weatherServer(request, response) {
  const headers = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "*, authorization",
    "access-control-allow-methods": "*",
    "access-control-expose-headers": "*",
  };
  const send = (status, body) =>
    response.writeHead(status, { ...headers, "content-type": "application/json" }).end(body && JSON.stringify(body));
  if (request.method === "OPTIONS") return send(204);
  if (request.headers.authorization !== `Bearer ${token}`) return send(401, { error: "a token is needed" });
  if (request.method !== "POST") return send(405);
  const { id, method, params } = await json(request);
  if (id === undefined) return send(202);
  const results = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "weather", version: "1" },
    }),
    "tools/list": () => ({
      tools: [
        {
          name: "weather",
          description: "Tells the weather of a city.",
          inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
        },
      ],
    }),
    "tools/call": () => ({ content: [{ type: "text", text: `Rain in ${params.arguments.city}, as always.` }] }),
  };
  return send(
    200,
    results[method]
      ? { jsonrpc: "2.0", id, result: results[method]() }
      : { jsonrpc: "2.0", id, error: { code: -32601, message: `no method ${method}` } },
  );
}

demoTest("the demo uses MCP servers", { delay: 0 }, async ({ step }) => {
  const reset = (page) => page.page.evaluate(() => localStorage.clear());
  await step(
    "an MCP server is added in the settings, and its tool is used after approval",
    async (page) => {
      await page.press("Settings");
      await page.fill("#server-name", "not a name");
      await page.fill("#server-url", `${weather.origin}/mcp`);
      await page.press("Add the server");
      await page.shows(/The name has to be 1 to 40 letters/, "#server-problem");
      await page.fill("#server-name", "weather");
      await page.fill("#server-token", token);
      await page.page.focus("#server-token");
      await page.page.keyboard.press("Enter");
      await page.shows(/weather .*asked from the next answer on/, ".servers");
      await page.isAccessible("a server in the settings");
      await page.press("Close the settings");
      await page.say("What is the weather in Oslo?");
      await page.waits(/Ask for the weather in Oslo/);
      await page.approve();
      await page.shows(/Rain in Oslo, as always/);
      await page.idle();
      await page.press("Settings");
      await page.shows(/Connected, with 1 tool/, ".servers");
      await page.page.$eval(".servers", (list) => list.scrollIntoView({ block: "center" }));
      assert.doesNotMatch(await page.page.evaluate(() => JSON.stringify(localStorage)), new RegExp(token), "the token is in memory only");
      await page.press("Remove weather");
      await page.until("it is gone", () => document.querySelector(".servers").hidden);
      await reset(page);
    },
    usual,
  );

  await step(
    "a server that is down is named below the conversation, and connected again from the settings",
    async (page) => {
      const { port } = weather;
      await page.press("Settings");
      await page.fill("#server-name", "weather");
      await page.fill("#server-url", `${weather.origin}/mcp`);
      await page.fill("#server-token", token);
      await page.press("Add the server");
      await page.shows(/weather/, ".servers");
      await page.press("Close the settings");
      await weather.close();
      await page.ask("What is 6 * 7?");
      await page.shows(/weather is not connected/, "#control-line");
      weather = await listen(weatherServer, port);
      await page.press("Settings");
      await page.shows(/Not connected.*cannot be reached/, ".servers");
      await page.isAccessible("a server that is not connected");
      await page.press("Connect again");
      await page.shows(/Connected, with 1 tool/, ".servers");
      await reset(page);
    },
    /status of 40|ERR_|NetworkError|CORS|Cross-Origin|Failed to load/,
  );
});
