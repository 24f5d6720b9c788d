// The demo page with a real agent server: set up in the settings, conversations that begin there, and the files of the server.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { startDemo, stepsOf } from "../demo/page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { startAgentServer } from "./agent-server.mjs";
import { everything } from "./stored.mjs";

const passphrase = "eight words would be better";

const refused = /status of 401|ERR_CONNECTION_REFUSED|NetworkError|CORS request did not succeed/;

describe("the demo with an agent server", () => {
  let demo;
  before(async () => {
    demo = await startDemo({ delay: 0 });
  });
  after(() => demo.close());

  for (const kind of availableBrowsers) {
    test(`${kind}: the demo begins conversations on an agent server, and shows its files`, async (context) => {
      // With a directory that no other browser has written into.
      const server = await startAgentServer({ version: "1.58.0", model: `${demo.origin}/v1` });
      if (server === null) return context.skip("it is not here");
      const browser = await tabs(kind);
      const step = stepsOf(context, browser, demo, refused);
      const setUp = async (page) => {
        await page.press("Settings");
        await page.fill("#agent-server-host", server.host);
        await page.fill("#agent-server-key", server.apiKey);
        await page.fill("#agent-server-directory", server.workspace);
      };
      const unlock = (page) => page.unlock(passphrase);
      /** Everything that this origin has stored and shows. */
      const hasKey = async (page) => (await page.page.evaluate(everything)).includes(server.apiKey);

      try {
        await step("the settings have a server, and keep its key encrypted", async (page) => {
          await page.connect({ baseUrl: `${demo.origin}/v1`, key: "any", kept: passphrase });
          await setUp(page);
          await page.press("Use this server");
          await page.shows(/^New conversations can run on /, "#agent-server-said");
          await page.isAccessible("the settings with an agent server");
          await photograph(page, `agent-server-settings-${kind}`);
          await page.press("Close the settings");
          assert.equal(await hasKey(page), false);
        });
        await step("a conversation begins on the server, and is there after a reload", async (page) => {
          await page.choose("#place", "server");
          await photograph(page, `agent-server-start-${kind}`);
          await page.say("Roll two dice");
          await unlock(page);
          await page.shows(/came back.*scripted answer/);
          await page.idle();
          await page.shows(new RegExp(`on ${new URL(server.host).host}`), "#subtitle");
          await page.shows(new RegExp(`on the server ${new URL(server.host).host}`), "#conversation-list");
          await page.isAccessible("a conversation on a server");
          await photograph(page, `agent-server-conversation-${kind}`);
          assert.equal(await hasKey(page), false);
          await page.page.reload();
          await page.shows(/came back.*scripted answer/);
          await page.shows(/a key that is locked.*You see the copy/, "#notices");
          await photograph(page, `agent-server-locked-${kind}`);
          await page.press("Unlock it: The agent server is not connected");
          await unlock(page);
          await page.until("the notice is gone", () => !document.querySelector(".notice-failure"));
          await page.ask("What is 6 * 7?");
          await page.shows(/6 \* 7 = 42/);
          const calls = await page.calls();
          assert.deepEqual(
            calls.map(({ state }) => state),
            ["done", "done"],
          );
          assert.match(calls[1].result, /^6 \* 7 = 42/);
          assert.equal(await page.page.$$eval(".entry-user", ({ length }) => length), 2, "a result is none of the user's words");
          await photograph(page, `agent-server-again-${kind}`);
        });
        await step("the panel has the files of the server", async (page) => {
          await page.click(".conversation");
          await page.press("Unlock it: The agent server is not connected");
          await unlock(page);
          await page.ask("Run `printf one > note.txt`");
          await page.press("Files");
          await page.shows(new RegExp(`Files on ${new URL(server.host).host}.*note\\.txt`), ".files");
          await page.isAccessible("the files of a server");
          await photograph(page, `agent-server-files-${kind}`);
          await page.click('[data-path="note.txt"]');
          await page.shows(/one/, ".file-content");
          await page.press("Close the file");
          await page.press("Context");
          await page.shows(/has nothing that condenses/, "#saving");
          await page.press("Close the panel");
        });
        await step("calls that wait are decided about together, and only what a server does is offered", async (page) => {
          await page.say("Pay Ann 20 euros, roll two dice");
          await unlock(page);
          await page.waits(/2 calls wait for you.*runs all calls of an answer, or none/);
          const names = await page.page.$$eval(".approvals button", (buttons) => buttons.map(({ textContent }) => textContent));
          assert.deepEqual(
            names.filter((name) => !/^(Details|Show all)/.test(name)),
            ["Approve all 2", "Reject all…"],
          );
          await photograph(page, `agent-server-approvals-${kind}`);
          await page.say("Never mind");
          await page.shows(/keeps no message until then/, ".composer");
          await page.press("Cancel");
          await page.press("Approve all 2");
          await page.shows(/Paid Ann 20 euros.*scripted answer/);
          await page.idle();
          const file = path.join(import.meta.dirname, "setup.mjs");
          await page.drop(file, ".composer");
          await page.shows(/setup\.mjs is not attached.*Add it under “Files”/, ".composer-wrong");
          await photograph(page, `agent-server-attach-${kind}`);
        });
      } finally {
        await browser.close();
        await server.stop();
      }
    });
  }
});
