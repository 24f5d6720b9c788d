// What a page asks for until a stored conversation is on the screen, and what comes after that.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { until } from "../../support/until.mjs";

/** What requests need that are sent to the model. */
const later = ["threadkeep_run_bg.wasm", "threadkeep_agent_bg.wasm", /^models-/, /^answer-/];

for (const kind of availableBrowsers) {
  test(`${kind}: until a stored conversation is shown, nothing is asked for that only runs need; then it comes`, async () => {
    const asked = [];
    const dist = staticFiles(path.join(root, "dist"));
    const library = async (request, response, urlPath) => {
      asked.push(urlPath.slice(1));
      if (urlPath === "/threadkeep_run_bg.wasm") {
        // Held until the page has asked for what it needs beside it, so that a file of the same moment would be seen.
        await until(() => asked.some((file) => file.startsWith("answer-")), "the page goes on");
        asked.push("run is there");
      }
      return dist(request, response, urlPath);
    };
    const marks = (_request, response) => {
      asked.push("shown");
      response.end();
      return true;
    };
    const model = createModel(() => ({ text: "Hello." }));
    const server = await startServer({ model, mounts: { "/library/": library, "/shown": marks } });
    const browser = await tabs(kind);
    try {
      const first = await browser.page(`${server.origin}/pages/blank.html`);
      const id = await first.evaluate(begin);
      await first.close();
      asked.length = 0;
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      assert.deepEqual(await page.evaluate(show, id), ["Hi", "Hello."]);
      await until(() => asked.includes("shown"), "the page has told that they are there");
      const isLater = (file) => later.some((one) => (typeof one === "string" ? file === one : one.test(file)));
      const before = asked.slice(0, asked.indexOf("shown"));
      // The picture of the conversation may be there before even this one is asked for.
      const others = before.filter((file) => file.endsWith(".wasm") && file !== "threadkeep_bg.wasm");
      assert.deepEqual(others, []);
      assert.deepEqual(before.filter(isLater), []);
      await until(() => later.every((one) => asked.some((file) => (one.test ? one.test(file) : file === one))), "all of it has come");
      // On a slow network the first answer does not wait for more than it needs.
      assert.ok(asked.indexOf("run is there") < asked.indexOf("threadkeep_agent_bg.wasm"), asked.join());
    } finally {
      await browser.close();
      await server.close();
    }
  });
}

/** Stores a conversation of two messages, and returns its id. */
async function begin() {
  const { Agent, Conversation, LLM } = await import("/library/slim.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1", apiKey: "sk-0123456789" }) });
  const conversation = await Conversation.open({ agent });
  await conversation.sendMessage("Hi");
  await conversation.run();
  await conversation.close();
  return conversation.id;
}

/** Opens it for a view, tells the server when its messages are there, and returns them. */
async function show(conversationId) {
  const { Agent, LLM } = await import("/library/slim.js");
  const { openThread } = await import("/library/thread.js");
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1", apiKey: "sk-0123456789" }) });
  const thread = openThread({ agent, conversationId });
  return new Promise((resolve) => {
    const end = thread.subscribe(() => {
      const { messages } = thread.getSnapshot();
      if (messages.length === 0) return;
      end();
      void fetch("/shown");
      resolve(messages.map(({ parts }) => parts.map(({ text = "" }) => text).join("")));
    });
  });
}
