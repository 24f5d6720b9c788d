// The example of the README, run as it is written, twice: as on the first visit, and as after a reload.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { createScriptedModel } from "../../scripts/scripted-model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers } from "./driver.mjs";
import { tabs } from "./shared.mjs";

const [, example] = /```js\n(.*?)```/s.exec(readFileSync(path.join(root, "README.md"), "utf8"));
const page = `<!doctype html><meta charset="utf-8"><title>example</title>
<script type="importmap">{ "imports": { "threadkeep": "/threadkeep/index.js" } }</script>
<script type="module">${example}
document.title = \`\${conversation.events.length} events, \${zip.size > 1000}, \${await conversation.finalResponse()}\`;
</script>`;

let server;
before(async () => {
  const model = { handle: createScriptedModel({ delay: 0 }) };
  const serve = (request, response) => (response.writeHead(200, { "content-type": "text/html" }).end(page), true);
  server = await startServer({ model, mounts: { "/example": serve } });
});
after(() => server.close());

test("the example has about twenty lines", () => {
  const lines = example.split("\n").filter((line) => line.trim() !== "");
  assert.ok(lines.length <= 22, `${lines.length} lines`);
});

for (const kind of availableBrowsers) {
  test(`${kind}: the example runs as written`, { timeout: 60_000 }, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/example`);
      for (const events of [5, 9]) {
        await tab.waitForFunction(() => document.title !== "example", { timeout: 30_000 });
        const title = await browser.evaluate(() => document.title);
        assert.match(title, new RegExp(`^${events} events, true, .*roll_dice`, "s"));
        assert.match(await browser.evaluate(() => document.body.textContent), /roll_dice/);
        await tab.reload();
      }
    } finally {
      await browser.close();
    }
  });
}
