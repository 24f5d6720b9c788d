// What browsers do with pages: they keep one that was left and show it again, freeze it, or throw it away and load it anew. Each ends
// with a handle that can act, whether it wrote or followed before.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** The beginning of what happens to a page, by its name; each resolves to its end. */
const happenings = {
  async "is left, and comes back"(page) {
    await page.evaluate(() => isIdle());
    await page.goto(`${server.origin}/pages/strict.html`);
    return () => page.goBack();
  },
  async "is loaded anew"(page) {
    return () => page.reload();
  },
  async "is frozen and thawed"(page) {
    const session = await page.createCDPSession();
    // Browsers freeze no page in a transaction, in which it would keep the others from the database; this command would.
    await page.evaluate(() => isIdle());
    await session.send("Page.setWebLifecycleState", { state: "frozen" });
    return () => session.send("Page.setWebLifecycleState", { state: "active" });
  },
  async "crashes, and is loaded anew"(page) {
    const session = await page.createCDPSession();
    page.on("error", () => {});
    await Promise.race([session.send("Page.crash").catch(() => {}), new Promise((resolve) => page.once("error", resolve))]);
    return () => page.reload();
  },
};

for (const kind of availableBrowsers) {
  test(`${kind}: a page that was left, frozen or thrown away ends with a handle that can act`, async (context) => {
    const browser = await tabs(kind);
    const tab = async () => {
      const page = await browser.page(`${server.origin}/pages/blank.html`);
      await page.evaluate(prepare);
      return page;
    };
    try {
      const names = Object.keys(happenings).slice(0, kind === "chromium" ? undefined : 2);
      for (const name of names) {
        for (const role of ["writer", "follower"]) {
          await context.test(`a ${role} that ${name} can act`, async () => {
            const [one, two] = [await tab(), await tab()];
            const id = await one.evaluate(() => open(undefined));
            assert.equal(await one.evaluate(() => say("before")), "Answered.");
            await two.evaluate((id) => open(id), id);
            // The two have greeted each other, and what they read for that is read.
            await two.evaluate(() => conversation.pendingActions());
            assert.deepEqual([await one.evaluate(access), await two.evaluate(access)], ["writer", "follower"]);
            const [gone, stays] = role === "writer" ? [one, two] : [two, one];
            const back = await happenings[name](gone);
            // A frozen writer answers when it is thawed.
            const meanwhile = stays.evaluate(() => say("meanwhile"));
            if (!name.includes("frozen") || role === "follower") assert.equal(await meanwhile, "Answered.");
            await back();
            assert.equal(await meanwhile, "Answered.");
            // A page that was kept has its handle; one that was loaded opens it, as pages do.
            if (!(await gone.evaluate(() => "conversation" in globalThis))) {
              await gone.evaluate(prepare);
              await gone.evaluate((id) => open(id), id);
            }
            await gone.evaluate(() => until(() => conversation.events.length === 5, "it has heard what was said meanwhile"));
            assert.equal(await gone.evaluate(() => say("after")), "Answered.");
            assert.equal(await stays.evaluate(() => say("and here")), "Answered.");
            const texts = (page) =>
              page.evaluate(async () => {
                await until(() => conversation.events.length === 9);
                return (await conversation.events.slice()).flatMap(({ llm_message }) => (llm_message ? [llm_message.content[0].text] : []));
              });
            const expected = ["before", "meanwhile", "after", "and here"].flatMap((text) => [text, "Answered."]);
            assert.deepEqual(await texts(gone), expected);
            assert.deepEqual(await texts(stays), expected);
            assert.deepEqual([await gone.evaluate(access), await stays.evaluate(access)].sort(), ["follower", "writer"]);
            const [writer, follower] = (await one.evaluate(access)) === "writer" ? [one, two] : [two, one];
            await writer.close();
            await follower.evaluate(() => until(() => conversation.access === "writer", "it has taken the place of the writer"));
            await follower.close();
          });
        }
      }
      if (kind !== "chromium") return;
      await context.test("a frozen tab keeps no other from taking the place of a writer that has ended", async () => {
        const [writer, frozen, other] = [await tab(), await tab(), await tab()];
        const id = await writer.evaluate(() => open(undefined));
        await writer.evaluate(() => say("before"));
        for (const page of [frozen, other]) await page.evaluate((id) => open(id), id);
        const back = await happenings["is frozen and thawed"](frozen);
        await writer.close();
        assert.equal(await other.evaluate(() => say("after")), "Answered.");
        assert.equal(await other.evaluate(access), "writer");
        await back();
        assert.equal(await frozen.evaluate(() => say("here, too")), "Answered.");
        assert.equal(await frozen.evaluate(access), "follower");
      });
    } finally {
      await browser.close();
    }
  });
}

const access = () => conversation.access;

/** For a page: opens a conversation, and speaks with its model. */
async function prepare() {
  const { Agent, Conversation, LLM } = await import("/threadkeep/index.js");
  const { ScriptedModel } = await import("/support/model/script.mjs");
  const { until } = await import("/support/until.mjs");
  const { fetch } = new ScriptedModel(() => ({ text: "Answered." }), { checks: false });
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: "https://model.invalid", fetch, numRetries: 1 }) });
  let [underWay, last] = [0, 0];
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    const begun = transaction.apply(this, given);
    underWay++;
    for (const end of ["complete", "abort"]) begun.addEventListener(end, () => (underWay--, (last = performance.now())));
    return begun;
  };
  Object.assign(globalThis, {
    /** WebKit keeps a page with its transaction, which nobody can get past before the page is shown again. */
    isIdle: () => until(() => underWay === 0 && performance.now() >= last + 200, "no transaction is under way"),
    async open(conversationId) {
      globalThis.conversation = await Conversation.open({ agent, conversationId });
      // As pages do that show it.
      conversation.subscribe(() => {});
      return conversation.id;
    },
    async say(text) {
      await conversation.sendMessage(text);
      return (await conversation.run()).finalResponse;
    },
    until,
  });
}
