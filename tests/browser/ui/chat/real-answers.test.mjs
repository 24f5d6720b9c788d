// Real answers in <threadkeep-chat>, on a phone and on a screen, in both themes: nothing is raw text, and nothing is wider than the page.
// `THREADKEEP_SHOTS=folder npm test -- --all` photographs them for people.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { isAll } from "../../../support/explored.mjs";
import { realAnswers } from "../../pages/real-answers.mjs";
import { prepare } from "./fake.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

/** A change is checked in one theme at each width. */
const looks =
  isAll || process.env.THREADKEEP_SHOTS
    ? [390, 1280].flatMap((width) => [
        [width, "light"],
        [width, "dark"],
      ])
    : [
        [390, "light"],
        [1280, "dark"],
      ];

/** How often an answer has these, which raw text would not. */
const made = {
  code: { ".code-block": 10 },
  "long code": { ".code-block": 2, ".prose strong": 1 },
  diff: { ".code-block": 1, ".prose :not(pre) > code": 2 },
  tables: { ".prose table": 3, ".table-frame": 3 },
  lists: { ".prose li": 16, ".code-block": 1, ".prose input": 2 },
  "right to left": { ".prose li": 4, ".prose table": 1, ".code-block": 1 },
  "Chinese, Japanese, Korean": { ".prose strong": 3, ".prose table": 1, ".prose li": 2 },
  formulas: { ".prose math": 8 },
  everything: { ".prose :is(h3, h4, h5, h6)": 6, ".code-block": 2, ".prose details": 1, ".prose kbd": 2 },
};

for (const kind of availableBrowsers) {
  test(`${kind}: <threadkeep-chat> shows real answers`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/chat.html`);
    await page.evaluate(prepare);
    const until = (body, ...args) => untilIn(page, String(body), body, ...args);
    for (const [topic, answer] of Object.entries(realAnswers))
      await context.test(topic, async () => {
        await page.evaluate((topic, answer) => show([fixtures.userSays(`Show me ${topic}.`), fixtures.agentSays(answer)]), topic, answer);
        for (const [width, theme] of looks) {
          // As high as the answer, so that a picture has all of it.
          await page.setViewport({ width, height: 900 });
          await page.evaluate((theme) => void (document.documentElement.style.colorScheme = theme), theme);
          await until((made) => Object.entries(made).every(([selector, count]) => all(selector).length === count), made[topic]);
          const height = await page.evaluate(() => one(".column").getBoundingClientRect().height + 140);
          await page.setViewport({ width, height: Math.ceil(Math.min(height, 6000)) });
          await until(() => chat.shadowRoot.getAnimations().every((animation) => !(animation instanceof CSSTransition)));
          const wide = await page.evaluate(() => {
            const { right } = one(".column").getBoundingClientRect();
            const scrolls = (element) => element.closest(".code-block, .table-frame, .math-display") !== null;
            return all(".prose *")
              .filter((element) => !scrolls(element) && element.getBoundingClientRect().right > right + 1)
              .map((element) => element.outerHTML.slice(0, 80));
          });
          assert.deepEqual(wide, [], `${width} pixels`);
          await photograph({ page }, `answer-${topic.replace(/\W+/g, "-")}-${theme}-${width}-${kind}`);
          if (kind === "chromium") assert.deepEqual(await faultsOf(page), [], `${theme}, ${width} pixels`);
        }
      });

    await context.test("lines of code are as close as code is read, and a text from right to left moves no sign of it", async () => {
      await page.evaluate((answer) => show([fixtures.agentSays(answer)]), realAnswers["right to left"]);
      await until(() => one(".hljs-comment"));
      const seen = await page.evaluate(() => {
        /** The order in which the parts of an element are seen from left to right. */
        const order = (element) => {
          const places = [...element.childNodes].flatMap((node) => {
            const range = document.createRange();
            range.selectNodeContents(node);
            const text = node.textContent.trim();
            return text === "" ? [] : [[range.getBoundingClientRect().left, text]];
          });
          return places.sort(([one], [other]) => one - other).map(([, text]) => text);
        };
        /** Whether the first sign of a text is left of its last one. */
        const goesRight = ({ firstChild: text }) => {
          const leftOf = (at) => {
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            return range.getBoundingClientRect().left;
          };
          return leftOf(0) < leftOf(text.length - 1);
        };
        const frame = one(".table-frame");
        return {
          code: order(one(".code-block code")),
          inline: all(".prose :not(pre) > code").map(goesRight),
          isTableRight: one("table").getBoundingClientRect().right >= frame.getBoundingClientRect().right - 1,
          pitch: Number.parseFloat(getComputedStyle(one(".code-block pre")).lineHeight),
          height: one(".code-block code").getBoundingClientRect().height,
        };
      });
      assert.deepEqual(
        { ...seen, pitch: seen.pitch < 22, height: seen.height < 22 },
        { code: ["const", "greeting =", '"مرحبا"', ";", "// تحية"], inline: [true, true], isTableRight: true, pitch: true, height: true },
      );
    });

    assert.deepEqual(browser.problems, []);
  });
}
