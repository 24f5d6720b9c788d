// Calls in <threadkeep-chat> while the model writes them: their name, the file that grows, and the call that takes their place.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startChat } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

const lines = Array.from({ length: 60 }, (_, at) => `${at + 1}. A line of the poem with <b>bold</b> words in it, and more.`);
const poem = {
  summary: "Write the poem",
  security_risk: "LOW",
  command: "create",
  path: "/workspace/poem.md",
  file_text: lines.join("\n"),
};

let served;
before(async () => (served = await startChat()));
after(() => served.close());

/** A reply in pieces of 20 characters that waits after each of these writes until `letGo()` is called. */
function gated(reply, stops) {
  const gate = { letGo: () => {} };
  const pace = (index) => (stops.includes(index) ? new Promise((resolve) => (gate.letGo = resolve)) : undefined);
  return [{ ...reply, pieces: 20, pace }, () => gate.letGo()];
}

for (const kind of availableBrowsers) {
  test(`${kind}: <threadkeep-chat> shows calls while the model writes them`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const step = served.stepsOf(context, browser);

    await step(
      "a file is shown while it is written, in a box of bounded height, and the call takes its place",
      "?files",
      async (chat, model) => {
        const isWritten = (line) =>
          chat.until(`line ${line} is written`, (line) => one(".written")?.textContent.includes(`\n${line}. `), line);
        const [reply, letGo] = gated({ text: "A poem.", calls: [{ name: "file_editor", arguments: poem }] }, [25, 120]);
        model.add(reply, { text: "It is written." });
        await chat.say("Write a poem");
        await chat.shows(/Write the poem.*being written/, ".call[data-state=streaming]");
        await isWritten(2);
        await chat.get(() => (one(".call").dataset.mark = "the same"));
        letGo();
        await isWritten(20);
        await chat.until("the ends of the list and of the box are in sight", () => {
          const [box, scroller] = [one(".written"), one(".scroller")];
          const isEndShown = box.lastElementChild.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom;
          return isEndShown && scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop < 2;
        });
        const { height, elements } = await chat.get(() => ({
          height: one(".written").getBoundingClientRect().height,
          elements: one(".written").querySelectorAll("b").length,
        }));
        assert.equal(elements, 0);
        assert.ok(height > 150 && height < 240, `${height}`);
        await chat.shows(/being written · [\d,.\s]+ characters/, ".call[data-state=streaming]");
        await chat.looksRight("a call that is being written");
        letGo();
        await chat.shows(/It is written/);
        await chat.idle();
        const calls = await chat.get(() => all(".call").map(({ dataset: { state, mark } }) => `${state} ${mark}`));
        assert.deepEqual(calls, ["done the same"], "the stored call is the same element");
        assert.equal(await chat.get(() => one(".written")), null);
      },
    );

    await step("another tool has a line with the length of its arguments, and an interrupted call is gone", "", async (chat, model) => {
      const [reply, letGo] = gated({ calls: [{ name: "roll_dice", arguments: { count: 1, summary: "x".repeat(400) } }] }, [20]);
      model.add(reply);
      await chat.say("Roll the dice");
      await chat.shows(/being written · \d+ characters/, ".call[data-state=streaming]");
      assert.equal(await chat.get(() => one(".written")), null);
      await chat.press("Stop");
      await chat.until("the call is gone", () => !one(".call") && !one(".stop"));
      letGo();
    });
  });
}
