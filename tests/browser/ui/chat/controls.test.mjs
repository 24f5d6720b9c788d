// The controls of <threadkeep-chat>, with the real library and a scripted model: writing, stopping, retrying, versions.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { call, ElementPage, pay, startChat, states } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";

let served;
before(async () => (served = await startChat()));
after(() => served.close());

const lastMessages = (model) => JSON.stringify(model.requests.at(-1).body.messages);

for (const kind of availableBrowsers) {
  test(`${kind}: one writes, stops, retries and changes versions in <threadkeep-chat>`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

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

    await step(
      "a retry counts down, and can be made at once",
      "",
      async (chat, model) => {
        model.add(
          { status: 429, headers: { "retry-after": "40" }, body: { error: { message: "too many requests" } } },
          { text: "Here it is." },
        );
        await chat.say("Hello");
        await chat.shows(/The model asks for a pause.*too many requests.*Attempt 1 has failed.*Trying again in \d+ s/, ".waiting-view");
        const { seconds, before } = await chat.get(() => ({
          seconds: chat.thread.getSnapshot().waiting.seconds,
          before: Number(/in (\d+) s/.exec(one(".countdown").textContent)[1]),
        }));
        assert.ok(seconds > 30 && seconds <= 45 && before <= Math.ceil(seconds), `${before} of ${seconds}`);
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
      async (chat, model) => {
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

    await step("stop and pause, and go on", "", async (chat, model) => {
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

    await step("the actions of a message come with the pointer or the focus", "", async (chat, model) => {
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

    await step("a draft survives a reload, Shift+Enter and an input method send nothing", "", async (chat, model) => {
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

    await step("another answer, an edited message, and the arrows between versions", "", async (chat, model) => {
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

    await step("a note to the agent is not shown as if it were meant for the user", "", async (chat, model) => {
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
      assert.match(lastMessages(model), /Your last answer/);
    });

    await step("two tabs on one chat: write, approve and stop in either, and close the one that works", "", async (chat, model) => {
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

    await step("a tab that does not answer: what was sent waits, and goes on here after “Take over here”", "", async (chat, model) => {
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

    await step("an answer that its limit has cut says so, and goes on", "", async (chat, model) => {
      model.add({ text: "One, two,", finish: "length" }, { text: "three.", finish: "content_filter" });
      await chat.say("Count");
      await chat.shows(/One, two,.*reached the limit of its length/);
      await chat.isAccessible("an answer that was cut");
      await chat.press("Continue");
      await chat.shows(/One, two,.*three\..*content filter/);
      assert.match(lastMessages(model), /Go on from there/);
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

    await step("costs are shown where something costs", "", async (chat, model) => {
      model.add({ text: "Hello." });
      await chat.say("Hello");
      await chat.shows(/tokens, \$0\.0\d+/, ".spent");
    });

    await step("and not where nothing does; texts can be replaced", "?model=openai/local-model&german", async (chat, model) => {
      assert.equal(await chat.get(() => one(".spent")), null);
      model.add({ text: "Hello." });
      assert.equal(await chat.get(() => one(".send").textContent), "Senden");
      await chat.say("Hello");
      await chat.shows(/^[\d.]+K? tokens$/, ".spent");
    });
  });
}
