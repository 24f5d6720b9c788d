// The controls of <threadkeep-chat>, with the real library and a scripted model: writing, deciding, retrying, versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { ElementPage, states } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";

/** Each step has a model of its own. */
let model;
let server;
before(async () => (server = await startServer({ model: { handle: (request, response) => model.handle(request, response) } })));
after(() => server.close());

const call = (name, args = {}, summary = undefined) => ({ name, arguments: summary ? { ...args, summary } : args });
const pay = (to, amount) => call("transfer_money", { to, amount }, `Pay ${to} ${amount}`);
const lastMessages = () => JSON.stringify(model.requests.at(-1).body.messages);

for (const kind of availableBrowsers) {
  test(`${kind}: one writes, decides, retries and changes versions in <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    /** `failing`: the browser complains of a request that fails. */
    const step = (name, query, body, { failing = false } = {}) =>
      context.test(name, async () => {
        model = createModel([]);
        const chat = await ElementPage.open(browser, server.origin, query);
        await body(chat);
        model.check();
        assert.deepEqual(
          browser.problems.splice(0).filter((problem) => !(failing && /status of|NetworkError|Failed to load/.test(problem))),
          [],
        );
        if (!chat.page.isClosed()) await chat.page.close();
      });

    await step(
      "the riskiest call comes first, all of them are named, and “approve all” says what it approves",
      "?policy=always",
      async (chat) => {
        model.add({ calls: [call("roll_dice", { count: 2 }), call("roll_dice"), pay("Ann", 20)] }, { text: "All done." });
        await chat.page.setViewport({ width: 390, height: 780 });
        await chat.say("Pay Ann and roll dice");
        await chat.shows(/3 calls wait for you.*Pay Ann 20.*high risk.*to.*Ann.*amount.*20.*low risk/, ".next");
        assert.deepEqual(await chat.get(() => all(".ask").map((card) => card.dataset.tool)), ["transfer_money", "roll_dice", "roll_dice"]);
        const names = await chat.names();
        assert.equal(new Set(names).size, names.length, "no two buttons have one name");
        assert.deepEqual(names.slice(0, 5), [
          "Approve transfer_money",
          "Edit… transfer_money",
          "Reject… transfer_money",
          "Always allow transfer_money here…",
          "Approve roll_dice, 1 of 2",
        ]);
        await photograph(chat, `controls-phone-${kind}`);
        await chat.until(
          "the first call is in sight",
          () =>
            one(".approval-heading").getBoundingClientRect().top >= one(".scroller").getBoundingClientRect().top &&
            one(".ask").getBoundingClientRect().top < one(".dock").getBoundingClientRect().top,
        );
        await chat.shows(/3 calls wait for you/, "[role=status].visually-hidden");
        assert.equal(
          await chat.get(() => one(".all-calls p").textContent),
          "Approves transfer_money (high risk) and 2 × roll_dice (low risk).",
        );
        for (const [width, height] of [
          [390, 780],
          [820, 900],
          [1280, 800],
        ]) {
          await chat.page.setViewport({ width, height });
          for (const theme of ["light", "dark"]) {
            await chat.get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
            await chat.isAccessible(`${theme}, ${width} pixels`);
            await photograph(chat, `controls-approvals-${theme}-${width}-${kind}`);
          }
        }
        await chat.press("Approve all 3");
        await chat.shows(/transfer_money is rated as high risk/, ".sure");
        await chat.until("the harmless answer has the focus", () => focused().textContent === "Cancel");
        assert.deepEqual(await chat.states(), ["waiting", "waiting", "waiting"]);
        await chat.page.keyboard.press("Escape");
        await chat.until("it is no longer asked", () => one(".sure") === null && nameOf(focused()) === "Approve all 3");
        await chat.press("Approve all 3");
        await chat.press("Yes, approve all 3");
        await chat.shows(/All done/);
        await chat.idle();
        assert.deepEqual(await chat.states(), ["done", "done", "done"]);
        assert.ok(await chat.get(() => focused().matches(".composer-text")), "the focus is where one writes");
      },
    );

    await step("a page without a network says so before something fails", "", async (chat) => {
      const becomes = (onLine) =>
        chat.get((onLine) => {
          Object.defineProperty(navigator, "onLine", { configurable: true, get: () => onLine });
          dispatchEvent(new Event(onLine ? "online" : "offline"));
        }, onLine);
      assert.equal(await chat.get(() => one(".offline-line").textContent), "");
      await becomes(false);
      await chat.shows(/^No network\. What you write is stored on this device\.$/, ".offline-line");
      await chat.looksRight("no network");
      await becomes(true);
      await chat.until("it is back", () => one(".offline-line").textContent === "");
    });

    await step("one call is rejected with a reason, another one approved, by keyboard", "?policy=always", async (chat) => {
      model.add({ calls: [pay("Ann", 20), call("roll_dice")] }, { text: "As you like." });
      await chat.say("Pay Ann and roll dice");
      await chat.shows(/2 calls wait for you/);
      await chat.press("Reject… transfer_money");
      await chat.until("the field has the focus", () => focused()?.matches(".reason-field"));
      await chat.page.keyboard.type("Not on Fridays");
      await chat.page.keyboard.press("Escape");
      await chat.until("the form is closed", () => one(".reason-field") === null && nameOf(focused()) === "Reject… transfer_money");
      await chat.page.keyboard.press("Enter");
      await chat.until("the field has the focus", () => focused()?.matches(".reason-field"));
      await chat.page.keyboard.type("Not on Fridays");
      await chat.page.keyboard.press("Enter");
      await chat.shows(/A call waits for you.*roll_dice/, ".next");
      await chat.until("the focus is where the next decision is", () => focused()?.matches(".approval-heading"));
      await chat.page.keyboard.press("Tab");
      await chat.page.keyboard.press("Tab");
      assert.equal(await chat.get(() => nameOf(focused())), "Approve roll_dice");
      await chat.page.keyboard.press("Enter");
      await chat.shows(/As you like/);
      assert.deepEqual(await chat.states(), ["rejected", "done"]);
      assert.match(lastMessages(), /Not on Fridays/);
    });

    await step("arguments are edited, with the library's objections", "", async (chat) => {
      model.add({ calls: [pay("Ann", 20)] }, { text: "Paid." });
      await chat.say("Pay Ann");
      await chat.shows(/A call waits for you/);
      await chat.press("Edit… transfer_money");
      await chat.press("As JSON");
      await chat.until(
        "nobody approves by mistake what is being changed",
        () => one(".arguments-field") !== null && one(".arguments-field") === focused() && !button("Approve transfer_money"),
      );
      await chat.fill(".arguments-field", '{"to": "Ann"');
      await chat.press("Change transfer_money");
      await chat.shows(/This is not JSON/, ".arguments-wrong");
      await chat.fill(".arguments-field", '{"to": "Ann", "amount": -1}');
      await chat.press("Change transfer_money");
      await chat.shows(/do not fit the tool transfer_money.*amount/, ".arguments-wrong");
      assert.equal(await chat.get(() => one(".next-step")), null, "the objection is shown once");
      await chat.isAccessible("arguments that do not fit");
      await photograph(chat, `controls-edit-${kind}`);
      await chat.fill(".arguments-field", '{"to": "Bert", "amount": 5}');
      await chat.press("Change transfer_money");
      await chat.shows(/A call waits for you.*Bert/, ".next");
      await chat.until("the focus is on the heading", () => focused()?.matches(".approval-heading"));
      await chat.reload();
      await chat.shows(/Bert.*5/, ".next");
      await chat.press("Approve transfer_money");
      await chat.shows(/Paid\./);
      assert.match(lastMessages(), /5 for Bert/);
    });

    await step("characters that hide something are shown by their numbers", "", async (chat) => {
      model.add({ calls: [call("transfer_money", { to: "nnA\u202e<b>x</b>", amount: 1 }, "Ann\u202eefas yllatot")] });
      await chat.say("Pay");
      await chat.shows(/nnA⟨U\+202E⟩<b>x<\/b>/, ".ask-arguments");
      await chat.shows(/Ann⟨U\+202E⟩efas yllatot/, ".ask h3");
      const shown = await chat.get(() => [...all(".main *")].flatMap((element) => [element.textContent, element.ariaLabel]).join());
      assert.doesNotMatch(shown, /\u202e/, "nowhere, also not in the list of calls or for screen readers");
    });

    await step("what is approved was seen: a button waits until the arguments have been read to their end", "", async (chat) => {
      const list = Array.from({ length: 60 }, (_, line) => `line ${line}`).join("\n");
      model.add(
        { calls: [call("transfer_money", { to: `${list}\nMallory`, amount: 1 }), call("transfer_money", { to: "Ann", amount: 2 })] },
        { text: "Paid." },
      );
      await chat.say("Pay");
      await chat.shows(/2 calls wait for you/);
      const first = "Approve transfer_money, 1 of 2";
      await chat.until("the short call can be approved", () => button("Approve transfer_money, 2 of 2")?.ariaDisabled === "false");
      assert.equal(await chat.get((name) => button(name).ariaDisabled, first), "true");
      await photograph(chat, `controls-unread-${kind}`);
      await chat.isAccessible("a call that is unread");
      for (const name of [first, "Always allow transfer_money here…", "Approve all 2"]) {
        await chat.press(name);
        assert.ok(
          await chat.get(() => focused().matches(".ask-arguments") && !focused().textContent.includes("line 0 ")),
          "the focus is where one reads",
        );
      }
      assert.deepEqual(await chat.states(), ["waiting", "waiting"]);
      await chat.shows(/Read the arguments of transfer_money, 1 of 2 to their end first/, ".all-calls");
      await chat.page.keyboard.press("End");
      await chat.until(
        "it can be approved",
        () => button("Approve transfer_money, 1 of 2").ariaDisabled === "false" && button("Approve all 2").ariaDisabled === "false",
      );
      await chat.press(first);
      await chat.shows(/A call waits for you/);
      await chat.press("Approve transfer_money");
      await chat.shows(/Paid/);
    });

    await step("empty lines hide nothing, and a text that is cut is unread until all of it is shown", "", async (chat) => {
      const long = "a".repeat(6000);
      model.add({
        calls: [
          call("transfer_money", { to: `Ann${"\n".repeat(400)}Mallory`, amount: 1 }),
          call("transfer_money", { to: `${long}Mallory`, amount: 1 }),
        ],
      });
      await chat.say("Pay");
      await chat.shows(/Ann\n⟨U\+000A × 400⟩\nMallory/, ".ask-arguments");
      await chat.until("all of it is in sight", () => button("Approve transfer_money, 1 of 2").ariaDisabled === "false");
      await chat.get(() => all(".ask-arguments")[1].scrollTo(0, 1e6));
      await chat.press("Show all (1,007 more characters)");
      assert.equal(await chat.get(() => button("Approve transfer_money, 2 of 2").ariaDisabled), "true");
      await chat.get(() => all(".ask-arguments")[1].scrollTo(0, 1e6));
      await chat.until("it was seen", () => button("Approve transfer_money, 2 of 2").ariaDisabled === "false");
    });

    await step("a tool is always allowed here", "", async (chat) => {
      model.add({ calls: [pay("Ann", 20)] }, { text: "First." }, { calls: [pay("Bert", 30)] }, { text: "Second." });
      await chat.say("Pay Ann");
      await chat.press("Always allow transfer_money here…");
      await chat.shows(/whenever the agent calls it, with whatever arguments, and you are not asked/, ".ask");
      await chat.until("the harmless answer has the focus", () => focused()?.textContent === "Cancel");
      await chat.press("Never ask about transfer_money here");
      await chat.shows(/First\./);
      await chat.shows(/transfer_money no longer asks/, ".notice-place");
      await chat.idle();
      await chat.say("Pay Bert");
      await chat.shows(/Second\./);
      assert.deepEqual(await chat.states(), ["done", "done"]);
    });

    await step("a message while calls wait decides nothing by itself", "", async (chat) => {
      model.add({ calls: [pay("Ann", 20)] }, { text: "Paid, and hello." }, { calls: [pay("Bert", 1)] }, { text: "Not paid." });
      await chat.say("Pay Ann");
      await chat.shows(/A call waits for you/);
      await chat.say("Hello");
      await chat.shows(/Shall your message wait/, ".undecided");
      await chat.page.keyboard.press("Escape");
      await chat.until("the message is still there", () => one(".undecided") === null && one(".composer-text").value === "Hello");
      await chat.press("Send");
      await chat.isAccessible("a question about calls that wait");
      await chat.press("Let the message wait");
      await chat.shows(/Your message is stored/, ".notice-place");
      await chat.press("Approve transfer_money");
      await chat.shows(/Paid, and hello/);
      await chat.idle();
      await chat.say("Pay Bert");
      await chat.shows(/A call waits for you/);
      await chat.say("Rather not");
      await chat.press("Reject it and send");
      await chat.shows(/Not paid/);
      assert.deepEqual(await chat.states(), ["done", "rejected"]);
      assert.equal(await chat.get(() => all(".notice").length), 0, "a decision takes the notice away");
    });

    await step(
      "a retry counts down, and can be made at once",
      "",
      async (chat) => {
        model.add(
          { status: 429, headers: { "retry-after": "40" }, body: { error: { message: "too many requests" } } },
          { text: "Here it is." },
        );
        await chat.say("Hello");
        await chat.shows(/The model asks for a pause.*too many requests.*Attempt 1 has failed.*Trying again in \d+ s/, ".waiting-view");
        const left = () => Number(/in (\d+) s/.exec(one(".countdown").textContent)[1]);
        const before = await chat.get(left);
        assert.ok(before > 30 && before <= 45, String(before));
        await chat.until("it counts down", (before) => Number(/in (\d+) s/.exec(one(".countdown").textContent)[1]) < before, before);
        await chat.shows(/The model asks for a pause/, "[role=status].visually-hidden");
        await chat.isAccessible("a request that waits");
        await photograph(chat, `controls-retry-${kind}`);
        await chat.press("Try now");
        await chat.shows(/Here it is/);
        await chat.until("nothing waits", () => one(".waiting-view") === null);
      },
      { failing: true },
    );

    await step(
      "a failure says what is wrong, and the next step works",
      "",
      async (chat) => {
        model.add({ status: 401, body: { error: { message: "no such key" } } }, { text: "Now it works." });
        await chat.say("Hello");
        await chat.shows(/no such key/);
        await chat.idle();
        // Beside what is said to screen readers a moment later.
        const shown = () => window.chat.shadowRoot.textContent.replace(one("[role=status].visually-hidden").textContent, "");
        assert.equal((await chat.get(shown)).split("no such key").length, 2, "it is shown once");
        await chat.reload();
        await chat.press("Try again");
        await chat.shows(/Now it works/);
        await chat.idle();
        assert.equal(await chat.get(() => one(".next-step")), null);
      },
      { failing: true },
    );

    await step("stop and pause, and go on", "", async (chat) => {
      model.add({ text: "A very long answer indeed", pieces: 2, stallAfter: 3 }, { text: "Again." });
      await chat.say("Hello");
      await chat.until("it runs", () => one(".stop") && window.chat.thread.getSnapshot().messages.at(-1).state === "streaming");
      await chat.shows(/A v/);
      await photograph(chat, `controls-running-${kind}`);
      await chat.page.keyboard.press("Escape");
      await chat.shows(/Stopped.*Write what to do instead/);
      await chat.idle();
      assert.equal(await chat.get(() => one(".main").textContent.split("Stopped").length), 2, "it is said once");
      assert.ok(await chat.get(() => focused().matches(".composer-text")));
      await chat.shows(/A v.*Stopped/);
      await chat.reload();
      await chat.shows(/A v.*Stopped/);
      await chat.press("Continue");
      await chat.shows(/Again\./);

      let release;
      const released = new Promise((resolve) => (release = resolve));
      model.add({ text: ["Slow ", "answer"], pace: (write) => (write > 1 ? released : undefined) });
      await chat.say("And now?");
      await chat.shows(/Slow/);
      await chat.press("Pause");
      await chat.until("it says so", () => button("Pause").getAttribute("aria-disabled") === "true" && button("Stop"));
      await chat.until("the run is paused", () => window.chat.thread.getSnapshot().status === "paused");
      release();
      await chat.idle();
    });

    await step("a call that waits is shown where one decides about it, and nowhere else", "?policy=always", async (chat) => {
      model.add({ text: "May I?", calls: [pay("Ann", 20), call("hang")] }, { text: "As you like." });
      await chat.say("Pay Ann");
      await chat.shows(/2 calls wait for you.*Pay Ann 20/, ".next");
      assert.equal(await chat.get(() => one(".main").textContent.split("Pay Ann 20").length), 2, "it is shown once");
      assert.equal(await chat.get(() => all(".call").length), 0);
      await chat.looksRight("two calls wait");
      await chat.press("Approve hang");
      await chat.until("the others are in the list while it runs", () =>
        ["waiting", "running"].every((state, at) => all(".call")[at]?.dataset.state === state),
      );
      await chat.shows(/^Running: Hang$/, ".activity-words");
      await chat.looksRight("a tool runs");

      // Nobody can reject a call while another one of its answer runs.
      await chat.say("Hello");
      await chat.shows(/It reaches the agent when you have decided/, ".notice-place");
      assert.deepEqual(await chat.get(() => [one(".undecided"), one(".wrong")]), [null, null]);
      await chat.until("it waits", () => one(".queued"));
      await chat.press("Stop");
      await chat.press("Continue");
      await chat.shows(/As you like/);
      assert.equal(await chat.get(() => all(".call").length), 2);
    });

    await step("the buttons for all calls stay above a field that grows", "?policy=always", async (chat) => {
      model.add({ calls: [pay("Ann", 20), pay("Bert", 30), call("roll_dice")] });
      await chat.page.setViewport({ width: 390, height: 780 });
      await chat.say("Pay");
      await chat.shows(/3 calls wait for you/);
      await chat.idle();
      const isInSight = () => one(".all-calls .buttons").getBoundingClientRect().bottom <= one(".dock").getBoundingClientRect().top + 1;
      await chat.get(() => one(".scroller").scrollTo(0, 1e6));
      await chat.until("they are in sight", isInSight);
      await chat.fill(".composer-text", "One\nTwo\nThree\nFour\nFive\nSix");
      await chat.until("the field has grown", () => one(".composer").clientHeight > 150);
      await chat.until("they are still in sight", isInSight);
      // Also after the next rendering.
      await chat.page.keyboard.type("x");
      await chat.get(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      assert.ok(await chat.get(isInSight));
    });

    await step("the actions of a message come with the pointer or the focus", "", async (chat) => {
      model.add({ text: "Hello to you." });
      await chat.say("Hello");
      await chat.shows(/Hello to you/);
      await chat.idle();
      const becomes = (wanted) =>
        chat.until(
          `the opacities are ${wanted}`,
          (wanted) =>
            all(".verbs")
              .map((verbs) => getComputedStyle(verbs).opacity)
              .join() === wanted,
          wanted,
        );
      await chat.page.mouse.move(1, 1);
      await becomes("0,0");
      const { x, y } = await chat.get(() => one(".prose").getBoundingClientRect().toJSON());
      await chat.page.mouse.move(x + 5, y + 5);
      await becomes("0,1");
      await chat.page.mouse.move(1, 1);
      await chat.get(() => one("[data-verb=edit]").focus());
      await becomes("1,0");
      await chat.looksRight("actions with the focus");
    });

    await step("a call that was cut off may have run already", "", async (chat) => {
      model.add({ calls: [call("hang")] }, { calls: [call("hang")] }, { text: "So be it." });
      await chat.say("Hang");
      await chat.until("it runs", () => window.chat.thread.getSnapshot().messages.at(-1)?.parts.at(-1)?.state === "running");
      await chat.reload();
      await chat.shows(/A call waits for you.*Hang.*may have run already/, ".next");
      assert.deepEqual(await chat.names(), ["Run again: hang", "Tell the model it failed: hang"]);
      await chat.isAccessible("a call that was cut off");
      await photograph(chat, `controls-interrupted-${kind}`);
      await chat.press("Run again: hang");
      await chat.until("it runs again", () => window.chat.thread.getSnapshot().messages.at(-1)?.parts.at(-1)?.state === "running");
      await chat.reload();
      await chat.press("Tell the model it failed: hang");
      await chat.until(
        "the agent hangs again",
        () =>
          window.chat.thread
            .getSnapshot()
            .messages.at(-1)
            .parts.filter(({ type }) => type === "tool")
            .map(({ state }) => state)
            .join() === "rejected,running",
      );
      assert.match(lastMessages(), /page was closed while this ran/);
      await chat.press("Stop");
      await chat.press("Continue");
      await chat.shows(/So be it/);
    });

    await step("a draft survives a reload, Shift+Enter and an input method send nothing", "", async (chat) => {
      await chat.fill(".composer-text", "An unsent");
      const low = await chat.get(() => one(".composer-text").clientHeight);
      await chat.page.keyboard.down("Shift");
      await chat.page.keyboard.press("Enter");
      await chat.page.keyboard.up("Shift");
      await chat.page.keyboard.type("draft");
      await chat.get(() =>
        one(".composer-text").dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
        ),
      );
      assert.equal(await chat.get(() => one(".composer-text").value), "An unsent\ndraft");
      assert.ok((await chat.get(() => one(".composer-text").clientHeight)) > low, "the field grows");
      await chat.reload();
      await chat.until("the draft is back", () => one(".composer-text").value === "An unsent\ndraft");
      model.add({ text: "Read." });
      await chat.press("Send");
      await chat.shows(/Read\./);
      await chat.reload();
      assert.equal(await chat.get(() => one(".composer-text").value), "");
      assert.equal(await chat.get(() => Object.keys(sessionStorage).length), 0);
    });

    await step("another answer, an edited message, and the arrows between versions", "", async (chat) => {
      model.add({ text: "First *answer*." }, { text: "Second answer." }, { text: "Answer to the other question." });
      await chat.say("A question");
      await chat.shows(/First answer/);
      await chat.idle();
      await chat.get(() => void (navigator.clipboard.writeText = async (text) => void (window.copied = text)));
      await chat.press("Copy “First answer.”");
      await chat.until("it is copied", () => window.copied === "First *answer*." && one("[data-verb=copy]"));
      await chat.press("Another answer, in place of “First answer.”");
      await chat.shows(/Second answer/);
      await chat.until("there are two versions", () => button("Show version 1 of 2 of “Second answer.”"));
      assert.match(await chat.get(() => one(".parting").textContent), /2 of 2/);
      await chat.isAccessible("two versions");
      await photograph(chat, `controls-versions-${kind}`);
      await chat.press("Show version 1 of 2 of “Second answer.”");
      await chat.shows(/First answer/);
      await chat.until(
        "the focus is on the same arrow",
        () => focused()?.dataset.verb === "previous" && nameOf(focused()) === "No previous version of “First answer.”",
      );
      await chat.shows(/Version 1 of 2/, "[role=status].visually-hidden");
      await chat.reload();
      await chat.until("the arrows are back", () => button("Show version 2 of 2 of “First answer.”"));

      await chat.press("Edit “A question”");
      await chat.until(
        "the editor has the focus",
        () => focused()?.matches(".message-editor textarea") && focused().value === "A question",
      );
      await chat.isAccessible("a message that is edited");
      await photograph(chat, `controls-editor-${kind}`);
      await chat.page.keyboard.press("Escape");
      await chat.until("the editor is gone", () => one(".message-editor") === null && nameOf(focused()) === "Edit “A question”");
      await chat.press("Edit “A question”");
      await chat.fill(".message-editor textarea", "Another question");
      await chat.page.keyboard.press("Enter");
      await chat.shows(/Another question.*Answer to the other question/);
      await chat.press("Show version 1 of 2 of “Another question”");
      // The newest of several answers to it.
      await chat.shows(/A question.*Second answer/);
    });

    await step("the call of a sub-agent is approved like any other", "", async (chat) => {
      model.add(
        { calls: [call("task", { description: "Pay Ann", prompt: "Pay Ann 20." })] },
        { calls: [pay("Ann", 20)] },
        { text: "Ann is paid." },
        { text: "The task is done." },
      );
      await chat.say("Let somebody pay Ann");
      await chat.shows(/A call waits for you.*Pay Ann 20/, ".next");
      assert.equal((await chat.names())[0], "Approve transfer_money");
      await chat.press("Approve transfer_money");
      await chat.shows(/The task is done/);
    });

    await step("a note to the agent is not shown as if it were meant for the user", "", async (chat) => {
      model.add({ text: "" }, { text: "" }, { text: "Here I am." });
      await chat.say("Hello");
      await chat.shows(/Here I am/);
      await chat.idle();
      const notes = await chat.get(() => all(".items details").map(({ open, textContent }) => [open, textContent]));
      assert.deepEqual(notes, [
        [false, "A note of this page to the agent"],
        [false, "A note of this page to the agent"],
      ]);
      assert.doesNotMatch(await chat.get(() => one(".items").textContent), /Your last answer/);
      assert.match(lastMessages(), /Your last answer/);
    });

    await step("two tabs on one chat: write, approve and stop in either, and close the one that works", "", async (chat) => {
      model.add({ text: "Hello to you." });
      await chat.say("Hello");
      await chat.shows(/Hello to you/);
      await chat.idle();
      const other = new ElementPage(await browser.page(chat.page.url()), browser);
      await other.ready();
      await other.shows(/^Runs in another tab$/, ".home-line");
      assert.equal(await chat.get(() => one(".home-line").textContent), "");
      await other.isAccessible("a follower");
      model.add({ calls: [pay("Ann", 20)] }, { text: "Paid." });
      await other.say("Pay Ann");
      for (const tab of [chat, other]) await tab.shows(/A call waits for you/);
      await other.press("Approve transfer_money");
      for (const tab of [chat, other]) await tab.shows(/Paid\./);
      model.add({ calls: [call("hang")] });
      await chat.say("Wait");
      await other.until("the tool runs", () => all(".call").at(-1)?.dataset.state === "running");
      await other.press("Stop");
      for (const tab of [chat, other]) await tab.shows(/Stopped/);
      model.add({ text: "Hello again." });
      await chat.page.close();
      await other.until("it runs here", () => one(".home-line").textContent === "");
      await other.say("Hello from here");
      await other.shows(/Hello again/);
      await other.page.close();
    });

    await step("a tab that does not answer: what was sent waits, and goes on here after “Take over here”", "", async (chat) => {
      model.add({ text: "Hello to you." });
      await chat.say("Hello");
      await chat.shows(/Hello to you/);
      await chat.idle();
      const other = new ElementPage(await browser.page(chat.page.url()), browser);
      await other.ready();
      await other.shows(/^Runs in another tab$/, ".home-line");
      // A dialog stops everything in its tab, as a browser does that freezes it.
      const stopped = new Promise((resolve) => chat.page.once("dialog", resolve));
      await chat.get(() => void setTimeout(() => alert("Stop")));
      const dialog = await stopped;
      await other.say("Are you there?");
      await other.shows(/The tab that this conversation runs in does not answer/, ".home-line");
      await other.isAccessible("a tab that does not answer");
      model.add({ text: "Here I am." });
      await other.press("Take over here");
      await other.shows(/Here I am/);
      assert.equal(await other.get(() => one(".home-line").textContent), "");
      await dialog.accept();
      await chat.shows(/^Runs in another tab$/, ".home-line");
      await chat.shows(/Are you there.*Here I am/);
      await other.page.close();
    });

    await step("an answer that its limit has cut says so, and goes on", "", async (chat) => {
      model.add({ text: "One, two,", finish: "length" }, { text: "three.", finish: "content_filter" });
      await chat.say("Count");
      await chat.shows(/One, two,.*reached the limit of its length/);
      await chat.isAccessible("an answer that was cut");
      await chat.press("Continue");
      await chat.shows(/One, two,.*three\..*content filter/);
      assert.match(lastMessages(), /Go on from there/);
      await chat.until("there is nothing to go on with", () => !button("Continue"));
    });

    await step("every state that has ended says how to go on", "", async (chat) => {
      for (const [fields, pattern, buttons] of states) {
        const shown = await chat.get(async (fields) => {
          const { agent, fakeThread, notice, text, tool, user } = await import("/pages/fake-thread.mjs");
          const { last = [], error, ...snapshot } = fields;
          const parts = last.map(([type, words, fields]) =>
            type === "notice"
              ? notice(words === "Stopped" ? "interrupt" : "pause", words)
              : type === "tool"
                ? tool({ state: words, summary: "Roll a die" })
                : type === "error"
                  ? { type, code: "x", text: words }
                  : { ...text(words), ...fields },
          );
          const messages = [user("Hello"), ...(parts.length > 0 ? [agent(parts)] : [])];
          window.chat.thread = fakeThread(messages, {
            ...snapshot,
            ...(error && { error: Object.assign(new Error(error.message), error) }),
          });
          await new Promise((resolve) => setTimeout(resolve));
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
          return { text: one(".next").textContent, buttons: all(".next button").map(nameOf) };
        }, fields);
        assert.match(shown.text, pattern, JSON.stringify(fields));
        assert.deepEqual(shown.buttons, buttons, JSON.stringify(fields));
      }
    });

    await step("costs are shown where something costs", "", async (chat) => {
      model.add({ text: "Hello." });
      await chat.say("Hello");
      await chat.shows(/tokens, \$0\.0\d+/, ".spent");
    });
    await step("and not where nothing does; texts can be replaced", "?model=openai/local-model&german", async (chat) => {
      assert.equal(await chat.get(() => one(".spent")), null);
      model.add({ text: "Hello." });
      assert.equal(await chat.get(() => one(".send").textContent), "Senden");
      await chat.say("Hello");
      await chat.shows(/^[\d.]+K? tokens$/, ".spent");
    });
  });
}
