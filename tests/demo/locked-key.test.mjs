// A key that is stored encrypted: whatever would ask its server waits until the user has unlocked it.
import assert from "node:assert/strict";
import { demoTest } from "./page.mjs";

const passphrase = "eight words would be better";

/** The authorizations with which the server of tools was asked. */
const tools = [];
const server = (request, response) => {
  tools.push(request.headers.authorization ?? "none");
  return response.writeHead(401).end(), true;
};

demoTest(
  "whatever would ask the server of an encrypted key waits in the demo until it is unlocked",
  { expected: /status of 401/, delay: 0, mounts: { "/tools/": server } },
  async ({ demo, step }) => {
    const asked = () => demo.requests.map(({ authorization }) => authorization);
    /** Stores a key under a passphrase, and loads the page again, which locks it. */
    const lock = async (page) => {
      await page.connect({ baseUrl: `${demo.origin}/v1`, key: "sk-locked", kept: passphrase });
      await page.page.reload();
      await page.shows(/key is locked/, "#model-label");
      demo.requests.length = 0;
    };
    const forget = async (page) => {
      await page.press("Settings");
      await page.press("Forget the stored keys");
      await page.page.evaluate(() => localStorage.clear());
    };

    await step("a message waits for the key, and is sent with it", async (page) => {
      await lock(page);
      const stored = await page.page.evaluate(() => JSON.stringify(localStorage));
      assert.doesNotMatch(stored, /sk-locked|eight words/);
      await page.say("What is 6 * 7?");
      await page.page.waitForSelector("body > div >>> #unlock-field");
      await page.page.keyboard.press("Escape");
      await page.shows(/key is locked/, ".composer-wrong");
      assert.equal(await page.page.$eval(".composer-text", ({ value }) => value), "What is 6 * 7?");
      assert.equal(await page.page.$$eval(".conversation", ({ length }) => length), 0, "nothing is stored that would be empty");
      assert.deepEqual(asked(), []);
      await page.press("Send");
      await page.unlock(passphrase);
      await page.shows(/6 \* 7 = 42.*scripted answer/);
      await page.idle();
      assert.deepEqual([...new Set(asked())], ["Bearer sk-locked"]);
      await page.page.reload();
      await page.shows(/key is locked/, "#model-label");
      await forget(page);
    });

    await step("a server of tools is not asked while its token is locked", async (page) => {
      await page.press("Settings");
      await page.fill("#server-name", "weather");
      await page.fill("#server-url", `${demo.origin}/tools/mcp`);
      await page.fill("#server-token", "locked-token");
      await page.press("Add the server");
      await page.shows(/weather/, ".servers");
      await page.press("Close the settings");
      await lock(page);
      tools.length = 0;
      await page.say("What is 6 * 7?");
      await page.unlock(passphrase);
      await page.shows(/6 \* 7 = 42.*scripted answer/);
      await page.idle();
      await page.shows(/weather is not connected/, "#control-line");
      assert.deepEqual([...new Set(tools)], ["Bearer locked-token"]);
    });
  },
);
