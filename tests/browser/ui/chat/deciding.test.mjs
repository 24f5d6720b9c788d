// Calls that wait in <threadkeep-chat>, with the real library and a scripted model: what is approved, rejected and edited.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, pay, startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

const lastMessages = (model) => JSON.stringify(model.requests.at(-1).body.messages);

for (const kind of availableBrowsers) {
  test(`${kind}: one decides about calls in <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

    await step(
      "the riskiest call comes first, all of them are named, and “approve all” says what it approves",
      "?policy=always",
      async (chat, model) => {
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

    await step("one call is rejected with a reason, another one approved, by keyboard", "?policy=always", async (chat, model) => {
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
      assert.match(lastMessages(model), /Not on Fridays/);
    });

    await step("arguments are edited, with the library's objections", "", async (chat, model) => {
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
      assert.match(lastMessages(model), /5 for Bert/);
    });

    await step("characters that hide something are shown by their numbers", "", async (chat, model) => {
      model.add({ calls: [call("transfer_money", { to: "nnA\u202e<b>x</b>", amount: 1 }, "Ann\u202eefas yllatot")] });
      await chat.say("Pay");
      await chat.shows(/nnA⟨U\+202E⟩<b>x<\/b>/, ".ask-arguments");
      await chat.shows(/Ann⟨U\+202E⟩efas yllatot/, ".ask h3");
      const shown = await chat.get(() => [...all(".main *")].flatMap((element) => [element.textContent, element.ariaLabel]).join());
      assert.doesNotMatch(shown, /\u202e/, "nowhere, also not in the list of calls or for screen readers");
    });

    await step("what is approved was seen: a button waits until the arguments have been read to their end", "", async (chat, model) => {
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

    await step("empty lines hide nothing, and a text that is cut is unread until all of it is shown", "", async (chat, model) => {
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

    await step("a tool is always allowed here", "", async (chat, model) => {
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

    await step("a message while calls wait decides nothing by itself", "", async (chat, model) => {
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

    await step("a call that waits is shown where one decides about it, and nowhere else", "?policy=always", async (chat, model) => {
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

    await step("the buttons for all calls stay above a field that grows", "?policy=always", async (chat, model) => {
      model.add({ calls: [pay("Ann", 20), pay("Bert", 30), call("roll_dice")] });
      await chat.page.setViewport({ width: 390, height: 780 });
      await chat.say("Pay");
      await chat.shows(/3 calls wait for you/);
      await chat.idle();
      const isInSight = () => one(".all-calls .buttons").getBoundingClientRect().bottom <= one(".dock").getBoundingClientRect().top + 1;
      // The list hears of a scroll with the next frame.
      const frames = () => chat.get(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      const toTheLastButton = async () => {
        await chat.get(() => one(".scroller").scrollTo(0, 1e6));
        await frames();
        await chat.until("they are in sight", isInSight);
      };
      await toTheLastButton();

      // While nobody writes, what the page shows below the list does not push the heading out of sight.
      const spare = await chat.get(() => one(".scroller").clientHeight - one(".next").offsetHeight);
      await chat.page.setViewport({ width: 390, height: 780 - spare + 40 });
      await chat.until("they are in sight", isInSight);
      await frames();
      await chat.get(() => void (one(".dock").style.paddingBottom = "80px"));
      await frames();
      assert.ok(
        await chat.get(() => one(".approval-heading").getBoundingClientRect().top >= one(".scroller").getBoundingClientRect().top - 1),
      );
      await chat.get(() => one(".dock").removeAttribute("style"));
      await chat.page.setViewport({ width: 390, height: 780 });
      await toTheLastButton();
      await chat.fill(".composer-text", "One\nTwo\nThree\nFour\nFive\nSix");
      await chat.until("the field has grown", () => one(".composer").clientHeight > 150);
      await chat.until("they are still in sight", isInSight);
      // Also after the next rendering.
      await chat.page.keyboard.type("x");
      await frames();
      assert.ok(await chat.get(isInSight));
    });

    await step("a call that was cut off may have run already", "", async (chat, model) => {
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
      assert.match(lastMessages(model), /page was closed while this ran/);
      await chat.press("Stop");
      await chat.press("Continue");
      await chat.shows(/So be it/);
    });

    await step("the call of a sub-agent is approved like any other", "", async (chat, model) => {
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
  });
}
