// The program of the README, as it is written there, twice: as on the first visit, and as after a reload. Only the model's
// server is a scripted one.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [example] = blocks("README.md");
const imports = '<script type="importmap">{ "imports": { "threadkeep": "/threadkeep/index.js" } }</script>';
const program = `${example}
document.title = \`\${conversation.events.length} events, \${zip.size > 1000}, \${await conversation.finalResponse()}\`;`;

let server;
let asked;
before(async () => {
  const model = createModel(({ input }) =>
    input.at(-1).type === "function_call_output"
      ? { text: `The result: ${input.at(-1).output}` }
      : { calls: [{ name: "roll_dice", arguments: { sides: 6 } }] },
  );
  const mounts = {
    "/program.js": (_request, response) => (response.writeHead(200, { "content-type": "text/javascript" }).end(program), true),
  };
  server = await startServer({ model, mounts, page: pageOf({ scripts: ["/program.js"], body: imports, typed: "sk-typed" }) });
  asked = model.requests;
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: the program of the README runs as written, and asks for the key once`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      for (const events of [5, 9]) {
        await untilIn(tab, "its title tells of events", () => document.title.includes("events"));
        assert.match(await tab.title(), new RegExp(`^${events} events, true, The result: .*rolled`, "s"));
        assert.match(await browser.evaluate(() => document.body.innerText), /The result: .*rolled/);
        assert.equal(await browser.evaluate(() => globalThis.timesAsked), 1);
        assert.equal(asked.at(-1).headers.authorization, "Bearer sk-typed");
        await tab.reload();
      }
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
