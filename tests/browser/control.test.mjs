// Calls wait for the user although the browser is killed, and are decided about by whoever comes next.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { createModel } from "../support/model.mjs";
import { startServer } from "../support/server.mjs";
import { availableBrowsers, isReady, launch } from "./driver.mjs";
import { tabs } from "./shared.mjs";

const both = { text: "Both.", calls: [{ name: "send", arguments: { text: "one" } }, { name: "send", arguments: { text: "two" } }] };
const waiting = { status: "waiting_for_confirmation", texts: ["one", "two"], risks: ["LOW", "HIGH"] };
const begin = ["SystemPrompt", "Message", "Action", "Action"];
const ran = "Observation";
const refused = "UserRejectObservation";

/** What is decided, what was sent in the end, what is in the log behind the calls, and what the model reads of them. */
const table = [
  { decision: "approve", sent: ["one", "two"], kinds: [ran, ran], reads: /sent two/ },
  { decision: "approve", keeps: true, sent: ["one", "two"], kinds: [ran, ran, "Message"], reads: /And then rest/ },
  { decision: "reject", sent: [], kinds: [refused, refused], reads: /Not while I sleep/ },
  { decision: "reject", keeps: true, sent: [], kinds: [refused, refused, "Message"], reads: /And then rest/ },
  { decision: "single", sent: ["one"], kinds: [ran, refused], reads: /Not this one/ },
  { decision: "edit", sent: ["one", "zwei"], kinds: [refused, refused, "Action", "Action", ran, ran], reads: /sent zwei.*changed the arguments/ },
];

for (const kind of availableBrowsers) {
  test(`${kind}: decided after the browser was killed`, async (context) => {
    const profile = mkdtempSync(path.join(tmpdir(), `threadkeep-control-${kind}-`));
    const stage = await Stage.open();
    try {
      const first = await launch(kind, { profile });
      try {
        await first.page(stage.page);
        await first.evaluate(isReady);
        for (const row of stage.rows) assert.deepEqual(await first.evaluate((given) => window.bring(given), row.given), waiting);
      } finally {
        await first.kill();
      }
      assert.deepEqual(stage.sent, [], "nothing was sent before anybody allowed it");

      const second = await launch(kind, { profile });
      try {
        await second.page(stage.page);
        await second.evaluate(isReady);
        for (const row of stage.rows) {
          await context.test(`${row.decision}${row.keeps ? ", with a message that waits" : ""}`, () => stage.decide(second, row));
        }
        assert.deepEqual(second.problems, []);
      } finally {
        await second.close();
      }
    } finally {
      await stage.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  });

  test(`${kind}: decided from a second load of the page`, async (context) => {
    const stage = await Stage.open();
    const browser = await tabs(kind);
    try {
      const page = await browser.page(stage.page);
      await browser.evaluate(isReady);
      for (const row of stage.rows) assert.deepEqual(await browser.evaluate((given) => window.bring(given), row.given), waiting);
      await page.reload();
      await browser.evaluate(isReady);
      for (const row of stage.rows) {
        await context.test(`${row.decision}${row.keeps ? ", with a message that waits" : ""}`, () => stage.decide(browser, row));
      }
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
      await stage.close();
    }
  });
}

/** The server of the page, and a model for each row. */
class Stage {
  sent = [];

  static async open() {
    const stage = new Stage();
    stage.server = await startServer({ mounts: { "/sent": (request, response) => stage.#note(request, response) } });
    stage.page = `${stage.server.origin}/pages/control.html`;
    stage.rows = await Promise.all(
      table.map(async (row) => {
        const model = createModel([both, { text: "That is all." }]);
        const server = await model.listen();
        const given = { id: crypto.randomUUID(), baseUrl: server.baseUrl, decision: row.decision, ...(row.keeps && { keeps: true }) };
        return { ...row, model, server, given };
      }),
    );
    return stage;
  }

  async #note(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    this.sent.push(JSON.parse(Buffer.concat(chunks)));
    response.end();
    return true;
  }

  async decide(browser, { given, kinds, model, reads, sent }) {
    const { found, ...result } = await browser.evaluate((given) => window.decide(given), given);
    assert.deepEqual(found, waiting);
    assert.deepEqual(result, { status: "finished", finalResponse: "That is all.", kinds: [...begin, ...kinds, "Message"] });
    assert.deepEqual(this.sent.filter(({ conversationId }) => conversationId === given.id).map(({ text }) => text), sent);
    model.check();
    assert.match(JSON.stringify(model.requests.at(-1).body.messages), reads);
  }

  async close() {
    for (const { server } of this.rows) await server.close();
    await this.server.close();
  }
}
