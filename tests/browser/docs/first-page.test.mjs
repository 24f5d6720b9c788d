// The chat of the documentation site's first page: its tools, its question, and what is left of it after a reload.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { writeFirstPage } from "../../../scripts/docs/first-page.mjs";
import { root } from "../../../scripts/process.mjs";
import { staticFiles } from "../../../scripts/static-files.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const text = readFileSync(path.join(root, "docs-site/index.md"), "utf8");
const elements = /<div class="suggestions">.*\n<threadkeep-chat>.*\n/.exec(text)[0];
const html = `<!doctype html><meta charset="utf-8"><title>first page</title><link rel="icon" href="data:,"><style>threadkeep-chat { height: 90vh }</style>${elements}
<script type="module">
  import { show } from "/live/chat.js";
  show(document.querySelector("threadkeep-chat"), document.querySelector(".suggestions"));
</script>`;

let folder;
let server;
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "threadkeep-first-page-"));
  await writeFirstPage(folder);
  const page = (_request, response) => (response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html), true);
  const live = staticFiles(path.join(folder, "public/live"));
  server = await startServer({ mounts: { "/live/": live }, page });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const kind of availableBrowsers) {
  test(`${kind}: it rolls, asks before it pays, and goes on counting after a reload`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const shows = (wanted) =>
        untilIn(
          tab,
          `it shows ${wanted}`,
          (pattern) => new RegExp(pattern).test(document.querySelector("threadkeep-chat").shadowRoot.textContent),
          wanted,
        );
      const suggest = async (name) => (await tab.waitForSelector(`::-p-xpath(//button[.="${name}"])`)).click();
      await suggest("Roll the dice");
      await shows("It is a [1-6]");
      await suggest("Pay Ann 20 euros");
      await untilIn(tab, "the payment can be approved", approves);
      await shows("20 play euros are on their way to Ann");
      await suggest("Count to thirty");
      await shows("1, 2, 3");
      await tab.reload();
      await shows("20 play euros are on their way to Ann");
      await shows("28, 29, 30");
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}

/** Presses the button that approves the call, once it can be pressed; returns whether that is so. */
function approves() {
  const button = [...document.querySelector("threadkeep-chat").shadowRoot.querySelectorAll("button")].find(
    ({ textContent }) => textContent.trim() === "Approve",
  );
  if (!button || button.disabled || button.getAttribute("aria-disabled") === "true") return false;
  button.click();
  return true;
}
