// A conversation of somebody else's in the demo page: it is asked about as the page's settings say, and its secrets are
// fetched only once the user agrees.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after } from "node:test";
import { root } from "../../scripts/process.mjs";
import { baseState, conversation, entry, folder } from "../support/archive-entries.mjs";
import { zip } from "../support/zip-bytes.mjs";
import { demoTest } from "./page.mjs";

const files = path.join(root, `.cache/demo-imported-${process.pid}`);
const archive = path.join(files, "theirs.zip");
/** Firefox complains of a font that was under way when the page was left. */
const leftWhileLoading = /downloadable font: download failed.*status=2152398850/;

function writeFiles(origin) {
  mkdirSync(files, { recursive: true });
  const entries = conversation(0);
  const secret_registry = {
    secret_sources: {
      API_TOKEN: {
        url: `${origin}/token-of-the-file?of=an-address-${"without-a-space-".repeat(9)}`,
        headers: {},
        kind: "LookupSecret",
      },
    },
  };
  const theirs = {
    confirmation_policy: { kind: "NeverConfirm" },
    secret_registry,
    tags: { title: "Theirs" },
    agent_state: { allowed_tools: ["send_payment"] },
  };
  entry(entries, `${folder}/base_state.json`).content = JSON.stringify({ ...JSON.parse(baseState()), ...theirs });
  writeFileSync(archive, zip(entries));
}
after(() => rmSync(files, { recursive: true, force: true }));

demoTest(
  "the demo asks about a conversation of somebody else as its settings say, and fetches secrets once agreed",
  { expected: leftWhileLoading, delay: 0 },
  async ({ demo, step }) => {
    writeFiles(demo.origin);
    await step("secrets of an imported conversation are fetched once the user agrees", async (page) => {
      await page.drop(archive);
      await page.shows(/Theirs/, "#title");
      await page.press("Control");
      await page.shows(/API_TOKEN.*token-of-the-file/, "dialog");
      await page.isAccessible("secrets of an import");
      await page.page.setViewport({ width: 390, height: 780 });
      assert.ok(await page.page.$eval("dialog", (dialog) => dialog.scrollWidth <= dialog.clientWidth), "nothing is cut off on a phone");
      await page.page.setViewport({ width: 1100, height: 800 });
      await page.press("Let its tools fetch them");
      await page.shows(/may fetch its secrets/, "dialog");
      await page.page.reload();
      await page.shows(/Theirs/, "#title");
      await page.press("Control");
      assert.doesNotMatch(await page.text("dialog"), /token-of-the-file/, "it was stored");
    });

    await step("the page's settings hold for it, and a tool that was allowed elsewhere is asked about", async (page) => {
      await page.shows(/Theirs/, "body");
      await page.page.evaluate(() => [...document.querySelectorAll("a")].find((link) => link.textContent.includes("Theirs")).click());
      await page.shows(/Theirs/, "#title");
      await page.shows(/Asks about risky calls/, "#control-line");
      await page.fill(".composer-text", "");
      await page.say("Pay Ann 20 euros");
      await page.waits(/A call waits for you.*Pay Ann 20/);
    });
  },
);
