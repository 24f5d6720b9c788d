// Several small steps in a row are one line of <threadkeep-chat>: with pointer, keyboard, screen reader, and while the agent works.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";
import { faultsOf } from "../../../support/browser/axe.mjs";
import { untilIn } from "../../../support/browser/until.mjs";
import { prepare } from "./fake.mjs";

let server;
before(async () => (server = await startServer()));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: <threadkeep-chat> folds small steps into one line`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/chat.html`);
    await page.evaluate(prepare);
    await page.evaluate(makeSteps);
    const until = (body, ...args) => untilIn(page, String(body), body, ...args);
    const get = (body, ...args) => page.evaluate(body, ...args);
    const step = (name, body) =>
      context.test(name, async () => {
        await body();
        assert.deepEqual(await get(() => pageErrors.splice(0)), []);
      });

    await step("the line opens and closes by keyboard and pointer, has a name and a state, and axe finds nothing", async () => {
      await get(() => show([fixtures.userSays("Why?"), ask(5), ...fixtures.many(4, 0)]));
      await until(() => one(".steps") && all(".entry").length === 7);
      const line = () =>
        get(() => [one(".steps").textContent, one(".steps").ariaExpanded, all(".step").length, one(".steps").matches("button")]);
      assert.deepEqual(await line(), ["6 steps: thought, 2 × read a file, 2 × ran a command, used look", "false", 0, true]);
      for (const width of [390, 1280]) {
        await page.setViewport({ width, height: 800 });
        for (const theme of ["light", "dark"]) {
          await get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
          await until(() => chat.shadowRoot.getAnimations().every((animation) => !(animation instanceof CSSTransition)));
          await photograph({ page }, `steps-${kind}-${theme}-${width}`);
          if (kind === "chromium") assert.deepEqual(await faultsOf(page), []);
        }
        const { height, lineHeight } = await get(() => ({
          height: one(".steps > span").getBoundingClientRect().height,
          lineHeight: Number.parseFloat(getComputedStyle(one(".steps")).fontSize) * 2,
        }));
        assert.ok(height <= lineHeight, "it is one line");
      }
      const top = () => get(() => Math.round(one(".steps").getBoundingClientRect().top));
      // The focus scrolls it into sight.
      await get(() => one(".steps").focus());
      const before = await top();
      await page.keyboard.press("Enter");
      await until(() => all(".step").length === 6 && one(".steps").ariaExpanded === "true");
      assert.equal(await top(), before, "it stays where it was");
      assert.equal(await get(() => chat.shadowRoot.activeElement === one(".steps")), true, "with the focus");
      await photograph({ page }, `steps-open-${kind}`);
      if (kind === "chromium") assert.deepEqual(await faultsOf(page), []);
      await get(() => one(".step summary").click());
      await until(() => one(".step details").open);
      await page.keyboard.press(" ");
      await until(() => all(".step").length === 0 && one(".steps").ariaExpanded === "false");
      await get(() => one(".steps").click());
      await until(() => all(".step").length === 6);
      assert.equal(await get(() => one(".step details").open), false, "its details are folded with it");
      await get(() => one(".steps").click());
      await until(() => all(".step").length === 0);
    });

    await step("where all of it is in sight, nothing offers to jump to the end", async () => {
      await get(() => show([fixtures.userSays("Why?"), ask(5)]));
      await until(() => one(".steps"));
      await get(() => one(".steps").click());
      await until(() => all(".step").length === 6 && one(".jump").hidden);
    });

    await step("while the agent works, done steps fold as the next begins, and the end stays in sight", async () => {
      const seen = await get(async () => {
        const question = fixtures.userSays("Why?");
        const answer = fixtures.agentSays([]);
        show([...fixtures.many(40, 0), question], { isRunning: true, status: "running" });
        const found = [];
        const parts = [];
        const draw = async (state = "streaming") => {
          window.thread.set({ messages: [...fixtures.earlier, question, { ...answer, state, parts: [...parts] }] });
          for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
        };
        fixtures.earlier = window.thread.getSnapshot().messages.slice(0, 40);
        for (const command of ["a", "b", "c", "d", "e"]) {
          parts.push(fixtures.tool({ toolName: "look", args: { command }, state: "running" }));
          await draw();
          parts.push({ ...parts.pop(), state: "done" });
          await draw();
          found.push([
            all(".steps")
              .map((each) => each.textContent)
              .join(),
            all(".call").length,
            isAtEnd(),
          ]);
        }
        parts.push(fixtures.text("So.", "streaming"));
        await draw();
        found.push([one(".steps").textContent, all(".call").length, isAtEnd()]);
        return found;
      });
      assert.deepEqual(seen, [
        ["", 1, true],
        ["", 2, true],
        ["", 3, true],
        ["3 steps: 3 × used look", 1, true],
        ["4 steps: 4 × used look", 1, true],
        ["5 steps: 5 × used look", 0, true],
      ]);
    });

    await step("a step that is read, or has the focus, is not taken away", async () => {
      for (const use of ["read", "focused"]) {
        await get((use) => {
          window.answer = ask(5);
          window.question = fixtures.userSays("Why?");
          const { parts } = window.answer;
          show([window.question, { ...window.answer, parts: parts.slice(0, 4) }], { isRunning: true, status: "running" });
          window.use = use;
        }, use);
        await until(() => all(".call").length === 1 && one(".steps"));
        await get(() => {
          one(".call summary").focus();
          if (window.use === "read") {
            one(".call summary").click();
            one(".call summary").blur();
          }
        });
        await until(() => window.use === "focused" || one(".call").open);
        await get(() => window.thread.set({ messages: [window.question, window.answer] }));
        await until(() => one(".steps")?.textContent.startsWith("6 steps") && one(".steps").ariaExpanded === "true");
        await until(() =>
          window.use === "read" ? all(".call").some(({ open }) => open) : chat.shadowRoot.activeElement?.matches(".step summary"),
        );
      }
    });

    await step("a reader above stays there while steps fold below and above", async () => {
      await get(() => {
        window.before = fixtures.many(10, 0);
        window.after = fixtures.many(30, 10);
        show([...window.before, ask(30, "streaming"), ...window.after]);
      });
      await until(() => isAtEnd() && all(".row").length > 0);
      await get(() => {
        const row = () => all(".row").find((row) => row.textContent.includes("number 20 "));
        one(".scroller").scrollTop -= 1500;
        window.placeOf = () => Math.round(row()?.getBoundingClientRect().top ?? -1);
      });
      await until(() => window.placeOf() > -1e4);
      await get(async () => {
        for (let frames = 0; frames < 5; frames++) await new Promise(requestAnimationFrame);
        window.place = window.placeOf();
        window.thread.set({ messages: [...window.before, ask(30), ...window.after] });
        for (let frames = 0; frames < 5; frames++) await new Promise(requestAnimationFrame);
      });
      assert.equal(await get(() => Math.abs(window.placeOf() - window.place) <= 1), true);
    });

    await step("a link to a folded step opens its line", async () => {
      await get(() => {
        const answer = ask(5);
        chat.thread = window.thread = makeThread([
          fixtures.userSays("Why?"),
          { ...answer, eventIds: answer.parts.map((part) => part.actionId ?? answer.id) },
          ...fixtures.many(30, 0),
        ]);
        chat.setAttribute("event-id", answer.parts[3].actionId);
      });
      await until(() => one(".marked.step .call") && one(".steps").ariaExpanded === "true");
      await get(() => chat.removeAttribute("event-id"));
    });

    await step("labels are the page's", async () => {
      await get(() => {
        const names = { terminal: "Befehl ausgeführt", file_editor: "Datei gelesen" };
        chat.labels = {
          steps: (count, what) => `${count} Schritte: ${what.join(", ")}`,
          stepThought: "überlegt",
          stepOf: (name) => names[name] ?? name,
          callTimes: (what, count) => `${count}-mal ${what}`,
        };
        show([ask(5)]);
      });
      await until(() => one(".steps")?.textContent === "6 Schritte: überlegt, 2-mal Datei gelesen, 2-mal Befehl ausgeführt, look");
      await get(() => void (chat.labels = undefined));
    });

    assert.deepEqual(browser.problems, []);
  });
}

/** In the page: an answer of a thought, so many calls, and a text. */
async function makeSteps() {
  const { fakeThread } = await import("/pages/fake-thread.mjs");
  const call = (index, state) => {
    const kinds = [
      fixtures.done("file_editor", { command: "view", path: `/code/${index}.ts` }, "1", { kind: "FileEditorObservation" }),
      fixtures.done("terminal", { command: "npm test" }, "ok\n", { kind: "TerminalObservation", command: "npm test", exit_code: 0 }),
      fixtures.tool({ toolName: "look" }),
    ];
    return { ...kinds[index % 3], ...(state === "streaming" && { state: "running" }) };
  };
  window.ask = (count, state = "done") =>
    fixtures.agentSays([
      fixtures.reasoning("I look around."),
      ...Array.from({ length: count }, (_, index) => call(index, state)),
      fixtures.text("So."),
    ]);
  window.makeThread = fakeThread;
}
