// The demo page without a network: it opens, and waits; it can be installed, and a new version is only offered. What a run does without a
// network is in browser/llm/offline.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../../scripts/process.mjs";
import { demoTest } from "./page.mjs";

let folder;
/** The text that the server appends to the service worker: another text is another version. */
let version = "";
const worker = (_, response) => {
  const text = readFileSync(path.join(root, folder, "service-worker.js"), "utf8");
  response.writeHead(200, { "content-type": "text/javascript", "cache-control": "no-store" }).end(text + version);
  return true;
};

const noNetwork = /ERR_|Failed to load resource|NetworkError|CORS|connection to the server|fetch event|ServiceWorker/i;

demoTest(
  "the demo opens, waits and goes on without a network, and offers a new version",
  { expected: noNetwork, mounts: { "/service-worker.js": worker } },
  async ({ kind, demo, step }) => {
    folder = demo.folder;
    const keptFiles = (page) => page.page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await step("the page opens without a network at the second visit, and its run waits for the network", async (page) => {
      await keptFiles(page);
      await demo.stop();
      try {
        await page.page.goto(`${demo.origin}/#/`);
        await page.page.reload();
        await page.drawn();
        await page.say("hello");
        await page.shows(/could not be reached.*Trying again in \d+ s.*Try now/, ".next");
        await page.isAccessible("a run that waits");
      } finally {
        await demo.restart();
      }
      await page.pressIfThere("Try now");
      await page.shows(/hello.*scripted/);
      await page.idle();
    });

    await step("a new version is offered, and not taken while the agent is at work", async (page) => {
      await keptFiles(page);
      await page.page.reload();
      await page.until("its files are kept", () => navigator.serviceWorker.controller !== null);
      version = `\n// ${kind}`;
      await page.page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration()).update()));
      await page.shows(/new version of this page/, "#notices");
      await page.say("Count slowly to 99");
      await page.shows(/1 of 99/);
      await page.press("Reload with it: There is a new version of this page");
      await page.shows(/agent is at work/, "#notices");
      assert.equal(await page.page.evaluate(() => document.querySelector(".composer .stop").hidden), false);
      await page.press("Stop");
      await page.idle();
      await page.page.evaluate(() => (window.isOld = true));
      await page.press("Reload with it: There is a new version of this page");
      await page.until("it is another page", () => window.isOld === undefined && document.querySelector(".items"));
    });

    await step("the page can be installed", async (page) => {
      if (kind === "chromium") {
        const protocol = await page.page.createCDPSession();
        const { installabilityErrors } = await protocol.send("Page.getInstallabilityErrors");
        assert.deepEqual(
          installabilityErrors.map(({ errorId }) => errorId).filter((error) => error !== "in-incognito"),
          [],
        );
        await protocol.detach();
      }
    });
  },
);
