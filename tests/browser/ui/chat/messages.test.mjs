// The messages of <threadkeep-chat>: every kind of part, hostile text, a list of any length, and accessibility.
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
  test(`${kind}: <threadkeep-chat> shows every kind of part, hostile text and a list of any length`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/chat.html`);
    await page.evaluate(prepare);
    const requests = [];
    page.on("request", (request) => requests.push(request.url()));
    /** Waits until an expression about the shadow root holds. */
    const until = (body, ...args) => untilIn(page, String(body), body, ...args);
    const tall = () => page.setViewport({ width: 1280, height: 4000 });
    const usual = () => page.setViewport({ width: 1280, height: 800 });
    const step = (name, body) =>
      context.test(name, async () => {
        await body();
        // The driver does not report these.
        const errors = await page.evaluate(() => pageErrors.splice(0).filter((message) => message.includes("ResizeObserver")));
        assert.deepEqual(errors, []);
      });

    await step("shows every kind of part, unfolded on demand", async () => {
      await tall();
      await page.evaluate(() => show(fixtures.everyKind()));
      await until(() => all(".entry").length === 23);
      const titles = await page.evaluate(() =>
        all(".call").map((call) => [
          call.querySelector(".call-title").textContent,
          call.dataset.state,
          call.querySelector(".call-state").textContent,
        ]),
      );
      assert.deepEqual(titles, [
        ["Look at /code/loop.ts", "done", "done"],
        ["Change /code/loop.ts", "done", "done"],
        ["Run npm test", "done", "done"],
        ["List the tasks", "done", "done"],
        ["Read the page", "failed", "failed"],
        ["Send payment", "rejected", "skipped"],
        ["Slow count", "running", "3 of 9"],
        ["Send payment", "waiting", "waits for you"],
        ["Screenshot", "done", "done"],
        ["Sub-agent: Count the files", "running", "running"],
      ]);
      await page.evaluate(() => all("details").forEach((details) => (details.open = true)));
      await until(() => one(".diff ins")?.textContent === "2" && one(".diff del")?.textContent === "two");
      // Until the code for Markdown is there, a text is shown as it was written.
      await until(() => [one(".subagent-items .prose"), one(".summary")].every((text) => text?.textContent.endsWith("\n")));
      const texts = await page.evaluate(() =>
        Object.fromEntries(
          [".terminal", ".terminal-end", ".tasks", ".subagent-items .prose", ".reasoning-text", ".summary", ".error-title"].map((name) => [
            name,
            one(name)?.textContent,
          ]),
        ),
      );
      assert.deepEqual(texts, {
        ".terminal": "$ npm test\nok 12 tests\n",
        ".terminal-end": "Exit code 0 · in /work",
        ".tasks": "ReaddoneWritein progressthe tests too",
        ".subagent-items .prose": "There are 3.\n",
        ".reasoning-text": "The user asks for the loop. I look into the file first.",
        ".summary": "They spoke of loops.\n",
        ".error-title": "The model asks for a pause",
      });
      assert.ok(await page.evaluate(() => one(".entry-aside pre").textContent.includes("it breaks off")));
      assert.ok(await page.evaluate(() => one(".entry-user:has(img)").getAttribute("aria-label") === "Alice"));
    });

    await step("sources are links with the names of their servers, and what a server did is a line", async () => {
      await page.evaluate(() => {
        const sources = [
          { url: "https://a.example/x", title: "A <b>title</b>\u202e" },
          { url: "https://xn--80ak6aa92e.example/", title: null },
        ];
        const work = {
          type: "notice",
          notice: "server",
          text: "web_search: Rust",
          event: { kind: "MessageEvent", id: "e" },
          forgotten: [],
        };
        show([
          fixtures.agentSays("x"),
          { ...fixtures.agentSays("y"), parts: [work, { type: "text", text: "Yes.", state: "done", sources }] },
        ]);
      });
      await until(() => all(".sources a").length === 2);
      const seen = await page.evaluate(() => ({
        links: all(".sources a").map((link) => [link.href, link.textContent, link.target, link.rel]),
        hosts: all(".sources li").map((item) => item.querySelector(".quiet")?.textContent ?? null),
        name: one(".sources").getAttribute("aria-label"),
        work: one(".entry-aside .mark").textContent,
        elements: all(".sources b").length,
      }));
      assert.deepEqual(seen, {
        links: [
          ["https://a.example/x", "A <b>title</b>⟨U+202E⟩", "_blank", "noopener noreferrer nofollow"],
          ["https://xn--80ak6aa92e.example/", "xn--80ak6aa92e.example", "_blank", "noopener noreferrer nofollow"],
        ],
        hosts: [" a.example", null],
        name: "2 sources",
        work: "The server has used web_search: Rust",
        elements: 0,
      });
      assert.deepEqual(await faultsOf(page), []);
    });

    await step("a tool with the name of a property that every object has is shown as any other", async () => {
      await page.evaluate(() => show(fixtures.callOf("constructor")));
      await until(() => one(".call-title")?.textContent === "Constructor" && one(".call .icon path").getAttribute("d"));
    });

    await usual();
    await step("a wide table scrolls in its frame, and breaks no word that has room", async () => {
      await page.setViewport({ width: 390, height: 780 });
      const cells = (word) => `| ${`${word} | `.repeat(12)}`;
      const long = `https://a.example/${"x".repeat(200)}`;
      await page.evaluate(
        (text) => show([fixtures.agentSays(text)]),
        `${cells("Quarter")}\n${cells("-")}\n${cells("1,000,000")}\n| ${long} |`,
      );
      await until(() => all(".prose td").length === 24);
      const seen = await page.evaluate(() => {
        const frame = one(".table-frame");
        const heights = all(".prose th").map((cell) => cell.getBoundingClientRect().height);
        const widest = Math.max(...all(".prose td").map((cell) => cell.getBoundingClientRect().width));
        const { scrollWidth, clientWidth } = one(".scroller");
        return { scrolls: frame.scrollWidth > frame.clientWidth, line: Math.max(...heights) < 45, widest, page: scrollWidth - clientWidth };
      });
      assert.deepEqual({ ...seen, widest: seen.widest <= 390 }, { scrolls: true, line: true, widest: true, page: 0 });
      await usual();
    });

    await step("Markdown: code with colours, formulas, a task list, an aligned table, copy", async () => {
      await page.evaluate(() => show([fixtures.agentSays(fixtures.markdown)]));
      await until(() => one(".code-block .hljs-keyword") && all(".prose math").length === 2);
      const found = await page.evaluate(() => ({
        heading: one(".prose h3").textContent,
        code: one(".code-block code").textContent.split("\n")[0],
        math: all(".prose .math").map((math) => math.classList.contains("math-display")),
        money: one(".prose").textContent.includes("costs $5 and $10"),
        tasks: all(".prose input").map((box) => [box.checked, box.disabled, box.getAttribute("aria-label")]),
        aligned: all(".prose tbody tr:first-child td").map((cell) => getComputedStyle(cell).textAlign),
        link: ["target", "rel", "href"].map((name) => one(".prose a").getAttribute(name)),
      }));
      assert.deepEqual(found, {
        heading: "How it works",
        code: 'const answer: string = await agent.run("Hello"); // a comment',
        math: [false, true],
        money: true,
        tasks: [
          [true, true, "done"],
          [false, true, "to do"],
        ],
        aligned: ["start", "end", "center"],
        link: ["_blank", "noopener noreferrer nofollow", "https://example.com/docs"],
      });
      const selected = await page.evaluate(() => {
        getSelection().selectAllChildren(one(".code-block").closest(".prose"));
        const text = String(getSelection());
        getSelection().removeAllRanges();
        return text;
      });
      assert.match(selected, /const answer/);
      assert.doesNotMatch(selected, /Copy|^\s*ts\s*$/m, "the head of code is not selected");
      await page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => void (window.copied = text);
        one(".copy").click();
      });
      await until(
        () =>
          one(".copy").textContent === "Copied" &&
          window.copied.startsWith("const answer") &&
          one(".announcements").textContent === "Copied",
      );
    });

    await step("the thoughts of a model are one line, which is as high while it thinks as after, and opens by keyboard", async () => {
      await page.evaluate(() => {
        window.realNow ??= performance.now.bind(performance);
        window.later = 0;
        // It stands still but for the times that the test lets pass.
        const begun = window.realNow();
        performance.now = () => begun + window.later;
        window.answer = fixtures.agentSays("");
        window.think = (parts, state = "streaming") =>
          window.thread.set({ isRunning: state === "streaming", messages: [...window.asked, { ...window.answer, state, parts }] });
        window.asked = [fixtures.userSays("Why?")];
        show(window.asked, { isRunning: true, status: "running" });
        think([fixtures.reasoning("Because of the", "streaming")]);
      });
      await until(() => one(".thoughts.thinking")?.textContent === "Thinking…");
      const row = () =>
        page.evaluate(() => {
          const { height, top } = one(".reasoning").closest(".row").getBoundingClientRect();
          return { height, top };
        });
      // The rows above have been measured.
      await until(() => {
        const [question, thoughts] = all(".row").map((row) => row.getBoundingClientRect());
        return Math.abs(thoughts.top - question.bottom) < 1;
      });
      const before = await row();
      await page.evaluate(() => {
        window.later = 72_000;
        think([fixtures.reasoning(`Because of the ${"moon. ".repeat(200)}`, "streaming")]);
      });
      await until(() => one(".thoughts.thinking")?.textContent === "Thinking…1 min 12 s");
      assert.deepEqual(await row(), before, "nothing moves");
      assert.equal(await page.evaluate(() => one(".reasoning").open), false, "it does not open by itself");
      await photograph({ page }, `chat-thinking-${kind}`);
      await page.evaluate(() => think([fixtures.reasoning("Because of the moon."), fixtures.text("The moon.", "streaming")]));
      await until(() => one(".thoughts:not(.thinking)")?.textContent === "Thoughts1 min 12 s");
      assert.equal((await row()).height, before.height);
      await page.evaluate(() => {
        window.later = 500_000;
        think([fixtures.reasoning("Because of the moon."), fixtures.text("The moon.")], "done");
        one(".reasoning summary").focus();
      });
      await page.keyboard.press("Enter");
      await until(
        () => one(".reasoning-text")?.textContent === "Because of the moon." && one(".thoughts").textContent === "Thoughts1 min 12 s",
      );
      await photograph({ page }, `chat-thoughts-${kind}`);
      await page.keyboard.press("Enter");
      await until(() => one(".reasoning-text") === null);
      // Nobody has seen these come.
      await page.evaluate(() => {
        performance.now = window.realNow;
        show([fixtures.userSays("Why?"), fixtures.agentSays([fixtures.reasoning("Hm."), fixtures.text("So.")])]);
      });
      await until(() => one(".thoughts")?.textContent === "Thoughts" && one(".prose")?.textContent.includes("So."));
    });

    await step("diagrams are code to read and copy: nothing draws or loads them", async () => {
      requests.length = 0;
      const source = {
        mermaid: 'graph TD\n  A["<img src=x onerror=alert(1)>"] --> B\n  click A "javascript:alert(1)"',
        dot: 'digraph { a -> b [URL="https://example.com/"] }',
        plantuml: "@startuml\n!include https://example.com/x.puml\n@enduml",
        svg: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>',
      };
      await page.evaluate(
        (source) =>
          show([
            fixtures.agentSays(
              Object.entries(source)
                .map(([name, code]) => `\`\`\`${name}\n${code}\n\`\`\``)
                .join("\n\n"),
            ),
          ]),
        source,
      );
      await until(() => all(".code-block .copy").length === 4);
      const found = await page.evaluate(() =>
        all(".code-block").map((block) => [
          block.querySelector(".code-head span").textContent,
          block.querySelector("pre").textContent.trimEnd(),
        ]),
      );
      assert.deepEqual(found, Object.entries(source));
      assert.equal(await page.evaluate(() => all(".prose :is(svg:not(.icon), script, img, iframe, a)").length), 0);
      await page.evaluate(() => {
        navigator.clipboard.writeText = async (text) => void (window.copied = text);
        one(".code-block .copy").click();
      });
      await until((code) => window.copied.trimEnd() === code, source.mermaid);
      assert.deepEqual(
        requests.filter((url) => !url.includes("/threadkeep/")),
        [],
      );
    });

    await step("text of the other direction", async () => {
      await page.evaluate(() => show([fixtures.userSays(fixtures.arabic), fixtures.agentSays(fixtures.arabic)]));
      await until(() => all(".message, .prose p").length === 2);
      assert.deepEqual(await page.evaluate(() => all(".message, .prose p").map((text) => getComputedStyle(text).direction)), [
        "rtl",
        "rtl",
      ]);
    });

    await step("hostile HTML and Markdown do nothing, and nothing is fetched", async () => {
      requests.length = 0;
      await page.evaluate(
        (origin) => show([fixtures.agentSays(fixtures.hostile(origin)), fixtures.userSays("<img src=x onerror=alert(1)>")]),
        server.origin,
      );
      await until(() => one(".prose")?.textContent.includes("the end") && all(".prose math").length > 0);
      const found = await page.evaluate(() => ({
        elements: all(
          ".items :is(script, iframe, form, style, svg:not(.icon), object, embed, link, meta, base, [onclick], [onerror], [onload], [id], [name], input:not([disabled]))",
        ).length,
        hrefs: all(".prose a[href]")
          .map((link) => link.protocol)
          .filter((protocol) => !/^(https?|mailto):$/.test(protocol)),
        images: all(".prose img").length,
        fixed: all(".prose *").filter((element) => getComputedStyle(element).position === "fixed").length,
        user: one(".message").textContent,
        owned: window.owned ?? null,
      }));
      assert.deepEqual(found, { elements: 0, hrefs: [], images: 0, fixed: 0, user: "<img src=x onerror=alert(1)>", owned: null });
      assert.deepEqual(
        requests.filter((url) => !url.includes("/threadkeep/")),
        [],
      );
      // Chromium reports what the inert document of the sanitiser contains, too.
      browser.problems = browser.problems.filter((problem) => !/inline (event handler|style)/.test(problem));
    });

    await step("an image from elsewhere is loaded when the user asks for it", async () => {
      requests.length = 0;
      await page.evaluate((origin) => show([fixtures.agentSays(`![a dot](${origin}/pages/dot.svg)`)]), server.origin);
      await until(() => one(".image-placeholder a")?.textContent === "Image not loaded: a dot");
      assert.deepEqual(requests, []);
      await page.evaluate(() => one(".image-placeholder button").click());
      await until(() => one(".prose img")?.alt === "a dot");
    });

    await step("texts that a parser chokes on are shown as they are", async () => {
      // How long they may take is asked of the processor in tests/tooling/markdown-limits.test.mjs.
      for (const name of ["quotes", "lists", "marks", "nested", "dollars", "brackets", "paragraphs"]) {
        await page.evaluate((name) => show([fixtures.agentSays(`${fixtures.heavy[name]} ${name}`)]), name);
        await until((name) => one(".prose")?.textContent.startsWith(fixtures.heavy[name].trim().slice(0, 1)), name);
      }
      const length = () => page.evaluate(() => one(".prose").textContent.length);
      const before = await length();
      await page.evaluate(() => one(".more-text").click());
      assert.ok((await length()) > before + 40_000);
    });

    await step("10,000 messages: few elements, the end at once, the beginning with one key", async () => {
      await page.evaluate(() => show(fixtures.many(400, 9_600), { earlier: [fixtures.many(9_600, 0)] }));
      await until(() => all(".row").at(-1)?.textContent.includes("number 9999") && isAtEnd());
      assert.ok((await page.evaluate(() => all(".row").length)) < 60);
      await page.evaluate(() => one(".scroller").focus());
      await page.keyboard.press("Home");
      await until(() => one(".scroller").scrollTop === 0 && all(".row")[0].textContent.includes("number 0 "));
      assert.ok((await page.evaluate(() => all(".row").length)) < 60);
      assert.equal(await page.evaluate(() => one(".earlier").hidden && !one(".jump").hidden), true);
      await page.evaluate(() => one(".jump").click());
      await until(() => all(".row").at(-1)?.textContent.includes("number 9999") && isAtEnd() && one(".jump").hidden);
    });

    await step("the position stays when earlier messages come, and a page of them comes by itself", async () => {
      await page.evaluate(() => {
        const gate = new Promise((resolve) => (window.release = resolve));
        show(fixtures.many(100, 100), { earlier: [fixtures.many(100, 0)], gate });
      });
      await until(() => isAtEnd() && all(".row").length > 0);
      await page.evaluate(() => (one(".scroller").scrollTop = 300));
      await until(() => one(".earlier button").disabled);
      const place = () => page.evaluate(placeOfRows);
      const before = await place();
      await page.evaluate(() => window.release());
      await until(() => one(".earlier").hidden && one(".scroller").scrollTop > 1500);
      const after = await place();
      const same = Object.keys(before).filter((name) => name in after);
      assert.ok(same.length > 3);
      for (const name of same) assert.ok(Math.abs(after[name] - before[name]) < 2, `${name}: ${before[name]} -> ${after[name]}`);
    });

    await step("follows the end while an answer streams, unless the reader has scrolled up", async () => {
      await page.evaluate(() => show(fixtures.many(30, 0), { isRunning: true, status: "running" }));
      await until(() => one(".live .waiting") && isAtEnd());
      await page.evaluate(() => stream("Once upon a time. ".repeat(300)));
      await until(() => one(".live .prose") && isAtEnd());
      await page.evaluate(() => (one(".scroller").scrollTop -= 700));
      await until(() => !one(".jump").hidden);
      const before = await page.evaluate(() => one(".scroller").scrollTop);
      await page.evaluate(() => stream("Once upon a time. ".repeat(600)));
      await until(() => one(".live .prose").textContent.length > 10_000);
      assert.equal(await page.evaluate(() => one(".scroller").scrollTop), before);
      assert.equal(await page.evaluate(() => one(".announcements").textContent), "");
      await page.evaluate(() => stream("Once upon a time.", "done"));
      await until(() => one(".announcements").textContent === "Agent: Once upon a time.");
    });

    await step("the dots of the agent stand where its answer comes: above the messages that wait for it", async () => {
      await page.evaluate(() => {
        window.asked = fixtures.userSays("Begin");
        window.waits = ["Next", "And then"].map((words) => fixtures.userSays(words, { state: "queued" }));
        show([window.asked, ...window.waits], { isRunning: true, status: "running" });
      });
      const order = () => {
        const shown = all(".message, .waiting, .prose").map((element) => [
          element.getBoundingClientRect().top,
          element.matches(".waiting") ? "dots" : element.textContent.trim(),
        ]);
        return shown
          .sort(([one], [other]) => one - other)
          .map(([, what]) => what)
          .join();
      };
      const stands = (wanted) =>
        until((read, wanted) => new Function(`return (${read})()`)() === wanted && isAtEnd(), order.toString(), wanted);
      await stands("Begin,dots,Next,And then");
      const answer = (state) =>
        page.evaluate((state) => {
          const parts = [fixtures.text("An answer.", state)];
          window.thread.set({ messages: [window.asked, { ...fixtures.agentSays(""), id: "answer", state, parts }, ...window.waits] });
        }, state);
      await answer("streaming");
      await stands("Begin,An answer.,Next,And then");
      await answer("done");
      await stands("Begin,An answer.,dots,Next,And then");
      await until(() => all(".queued")[0].closest(".row").getBoundingClientRect().top > one(".prose").getBoundingClientRect().bottom);
      await page.evaluate(() => window.thread.set({ messages: window.thread.getSnapshot().messages.slice(0, 2) }));
      await stands("Begin,An answer.,dots");
      await page.evaluate(() => window.thread.set({ isRunning: false, status: "finished" }));
      await stands("Begin,An answer.");
    });

    await step("no resize is an error of the page, and the end is in sight in every frame of an answer", async () => {
      await page.evaluate(() => show(fixtures.many(300, 0), { isRunning: true, status: "running" }));
      await until(() => one(".live .waiting") && isAtEnd());
      // The width changes as when somebody moves the edge of a window, so that all rows wrap anew.
      const found = await page.evaluate(async () => {
        const hidden = [];
        let words = "";
        for (let frame = 0; frame < 120; frame++) {
          await new Promise(requestAnimationFrame);
          stream((words += frame % 10 === 9 ? "\n\nOnce more. " : "Once upon a time. "));
          if (frame % 3 === 0) chat.style.width = `${400 + ((frame * 37) % 800)}px`;
          // After this frame is drawn.
          await new Promise((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = resolve;
            port2.postMessage(null);
          });
          if (!isAtEnd()) hidden.push(frame);
        }
        return hidden;
      });
      assert.deepEqual(found, []);
      await page.evaluate(() => chat.style.removeProperty("width"));
      await until(() => one(".live .waiting") === null && isAtEnd());
    });

    await step("no row that is drawn because the window has become higher is an error of the page", async () => {
      await page.evaluate(() => show(fixtures.many(300, 0)));
      await until(() => isAtEnd() && all(".row").length > 0);
      await page.evaluate(async () => {
        for (const place of [1, 0.5, 0]) {
          const { scrollHeight } = one(".scroller");
          one(".scroller").scrollTop = place * scrollHeight;
          for (const height of [300, 2500, 400, 3000, 350, 900]) {
            chat.style.height = `${height}px`;
            for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
          }
        }
        chat.style.removeProperty("height");
      });
      await until(() => all(".row").length > 0);
    });

    await step("an unfolded call is unfolded when the reader comes back, and a focused one stays", async () => {
      await page.evaluate(() => show([...fixtures.calls(1), ...fixtures.many(300, 0)]));
      await until(() => isAtEnd() && all(".row").length > 0);
      const go = (top) => page.evaluate((top) => (one(".scroller").scrollTop = top), top);
      await go(0);
      await until(() => one(".call"));
      await page.evaluate(() => one(".call summary").click());
      await until(() => one(".call[open] .result"));
      await go(8000);
      await until(() => !one(".call"));
      await go(0);
      await until(() => one(".call[open] .result"));
      await page.evaluate(() => one(".call summary").focus());
      await go(8000);
      await until(() => all(".row").length > 3 && one(".call") && chat.shadowRoot.activeElement === one(".call summary"));
    });

    await step("visualizers: parts of the page's own, none, and others for sub-agents", async () => {
      await tall();
      await page.evaluate(() => {
        chat.visualizer = (part) => {
          if (part.type === "reasoning") return null;
          if (part.type === "tool" && part.toolName === "terminal")
            return Object.assign(document.createElement("b"), { textContent: "MY TERMINAL" });
          if (part.type === "error") throw new Error("a bug of the page");
          return part.type === "notice" ? "MY <NOTICE>" : undefined;
        };
        show(fixtures.everyKind());
      });
      await until(() => one(".entry-tool b")?.textContent === "MY TERMINAL" && one(".entry-error .error-title"));
      assert.deepEqual(await page.evaluate(() => [all(".reasoning").length, one(".entry-aside").textContent]), [0, "MY <NOTICE>"]);
      await page.evaluate(() => {
        chat.visualizer = { createSubVisualizer: (call) => ((window.asked = call.toolName), () => "FROM BELOW") };
      });
      await until(() => one(".subagent summary"));
      await page.evaluate(() => one(".subagent summary").click());
      await until(() => one(".subagent-items")?.textContent.includes("FROM BELOW") && window.asked === "task");
      await page.evaluate(() => (chat.visualizer = null));
      await until(() => all(".row").length === 0);
      await page.evaluate(() => (chat.visualizer = "default"));
      // It was reported as any uncaught error.
      const isExpected = (problem) => problem.includes("a bug of the page");
      assert.ok(browser.problems.some(isExpected));
      browser.problems = browser.problems.filter((problem) => !isExpected(problem));
    });

    await step("axe finds nothing, in both themes and three widths", async () => {
      // What it says is the same in every browser.
      if (kind !== "chromium") return;
      await page.evaluate(() => show(fixtures.everyKind(), { earlier: [[]] }));
      await until(() => all(".entry").length > 5);
      for (const theme of ["light", "dark"]) {
        await page.evaluate((theme) => (document.documentElement.style.colorScheme = theme), theme);
        // Colours of another theme come in a transition.
        await until(() => chat.shadowRoot.getAnimations().every((animation) => !(animation instanceof CSSTransition)));
        for (const width of [390, 820, 1280]) {
          await page.setViewport({ width, height: 1600 });
          for (const place of [0, 1e6]) {
            await page.evaluate(async (place) => {
              one(".scroller").scrollTop = place;
              for (const details of all("details")) details.open = true;
              await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            }, place);
            await photograph({ page }, `chat-${kind}-${theme}-${width}-${place}`);
            const found = await faultsOf(page);
            assert.deepEqual(found, [], `${theme}, ${width}`);
          }
        }
      }
    });

    assert.deepEqual(browser.problems, []);
  });
}

/** Resolves to the distance of each visible row from the top, when everything has been laid out. */
async function placeOfRows() {
  for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  const { top, bottom } = one(".scroller").getBoundingClientRect();
  const rows = all(".row").map((row) => [row.textContent.match(/number \d+/)[0], row.getBoundingClientRect()]);
  return Object.fromEntries(rows.filter(([, box]) => box.bottom > top && box.top < bottom).map(([name, box]) => [name, box.top - top]));
}
