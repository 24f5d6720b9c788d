// MCP servers and sub-agents in the demo page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { json } from "node:stream/consumers";
import { listen } from "../support/listen.mjs";
import { startDemo, stepsOf } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";

/** The answers of the server to a request without a token, and to one for a stream. */
const usual = /40[15]/;
const token = "a-token-for-the-weather";
let demo;
let weather;
before(async () => {
  demo = await startDemo({ delay: 0 });
  weather = await listen(weatherServer);
});
after(async () => {
  await weather.close();
  await demo.close();
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

for (const kind of availableBrowsers) {
  test(`${kind}: the demo uses MCP servers and sub-agents`, async (context) => {
    const browser = await tabs(kind);
    const step = stepsOf(context, browser, demo);
    // In one step, because the call is drawn again with every event of the sub-agent.
    const unfold = async (page) => {
      await page.until("its work can be unfolded", () => document.querySelector(".subagent summary"));
      await page.page.$eval(".subagent summary", (summary) => summary.click());
    };
    const reset = (page) => page.page.evaluate(() => localStorage.clear());
    try {
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
          await page.shows(/weather .*It works, with 1 tool/, ".servers");
          await page.isAccessible("a server in the settings");
          await page.press("Save");
          await page.say("What is the weather in Oslo?");
          await page.waits(/Ask for the weather in Oslo/);
          await page.approve();
          await page.shows(/Rain in Oslo, as always/);
          await page.idle();
          await page.press("Settings");
          await page.shows(/connected.*1 tool/, ".servers");
          await page.click(".servers summary");
          await page.page.$eval(".servers", (list) => list.scrollIntoView({ block: "center" }));
          await page.shows(/Tells the weather of a city/, ".servers details[open]");
          await page.isAccessible("the tools of a server");
          await photograph(page, `servers-${kind}`);
          assert.doesNotMatch(
            await page.page.evaluate(() => JSON.stringify(localStorage)),
            new RegExp(token),
            "the token is in memory only",
          );
          await page.press("Cancel");
          await reset(page);
        },
        usual,
      );

      await step(
        "a wrong address is told when the server is added",
        async (page) => {
          await page.press("Settings");
          await page.fill("#server-name", "nowhere");
          await page.fill("#server-url", `${demo.origin}/nowhere/mcp`);
          await page.press("Add the server");
          await page.shows(/nowhere .*It cannot be used yet: the server answers 404: there is nothing at this URL/, ".servers");
          await page.press("Cancel");
        },
        /status of 40\d/,
      );

      await step(
        "a server that cannot be used is named with the reason, and the conversation goes on without it",
        async (page) => {
          await page.press("Settings");
          await page.fill("#server-name", "weather");
          await page.fill("#server-url", `${weather.origin}/mcp`);
          await page.press("Add the server");
          await page.shows(/It cannot be used yet: it asks for a token/, ".servers");
          await page.press("Save");
          await page.ask("What is 6 * 7?");
          await page.shows(/weather is not connected/, "#control-line");
          await page.press("Settings");
          await page.until("the reason is there", () => document.querySelector(".servers .server-error")?.textContent.length > 20);
          await page.isAccessible("a server that is not connected");
          await page.page.$eval(".servers", (list) => list.scrollIntoView({ block: "center" }));
          await photograph(page, `server-lost-${kind}`);
          await page.press("Remove weather");
          await page.press("Save");
          await page.until("it is gone", () => !document.querySelector("#control-line").textContent.includes("weather"));
          await page.ask("What is 7 * 7?");
          await page.press("Settings");
          await page.shows(/This conversation came with this server\. It gets nothing from here unless you add it/, ".servers");
          await page.press("Add weather");
          await page.shows(/weather .*\/mcp.*(asks for|asked from)/, ".servers");
          await page.press("Cancel");
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
          await page.shows(/weather .*It works, with 1 tool/, ".servers");
          await page.press("Save");
          await weather.close();
          await page.ask("What is 6 * 7?");
          await page.shows(/weather is not connected/, "#control-line");
          weather = await listen(weatherServer, port);
          await page.press("Settings");
          await page.shows(/not connected.*cannot be reached/, ".servers");
          await page.press("Connect again");
          await page.shows(/connected.*1 tool/, ".servers");
          await page.press("Cancel");
          await reset(page);
        },
        /status of 40|ERR_|NetworkError|CORS|Cross-Origin|Failed to load/,
      );

      await step("the work of a sub-agent is folded under its call", async (page) => {
        await page.press("Settings");
        await page.click("#agent-subagents");
        await page.press("Save");
        await page.say("Ask a sub-agent to count slowly to 3");
        await page.waits(/task.*count slowly/);
        await page.approve();
        await unfold(page);
        await page.shows(/count slowly to 3.*Count to 3/, ".subagent-items");
        await page.shows(/This is what came back/);
        await page.idle();
        await page.shows(/Count to 3.*done/, ".subagent-items");
        assert.equal(await page.page.$$eval(".subagent [data-verb]", (buttons) => buttons.length), 0, "its messages cannot be edited");
        await page.isAccessible("a sub-agent");
        await photograph(page, `subagent-${kind}`);
        await page.page.reload();
        await unfold(page);
        await page.shows(/Agent.*count slowly to 3.*Count to 3.*done/, ".subagent-items");
        await reset(page);
      });

      await step("a call of a sub-agent waits for the user like any other", async (page) => {
        await page.press("Settings");
        await page.click("#agent-subagents");
        await page.press("Save");
        await page.say("Ask a sub-agent to pay Ann 20 euros");
        await page.waits(/task.*pay Ann/);
        await page.approve();
        await page.waits(/Pay Ann 20/);
        await unfold(page);
        await page.shows(/pay Ann 20 euros.*Pay Ann 20/, ".subagent-items");
        await photograph(page, `subagent-waits-${kind}`);
        await page.approve();
        await page.shows(/Paid Ann 20 euros/);
        await page.idle();
        await reset(page);
      });
    } finally {
      await browser.close();
    }
  });
}
