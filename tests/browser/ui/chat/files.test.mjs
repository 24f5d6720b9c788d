// Files in <threadkeep-chat>, with the real library and a scripted model: attached, sent, opened, edited.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../../support/model.mjs";
import { startServer } from "../../../support/server.mjs";
import { ElementPage, pasteAndDrop } from "./page.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { photograph, tabs } from "../../../support/browser/tabs.mjs";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let model;
let server;
before(async () => (server = await startServer({ model: { handle: (request, response) => model.handle(request, response) } })));
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: files are pasted, dropped, chosen, removed and sent, and opened from the workspace`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    model = createModel([]);
    const chat = await ElementPage.open(browser, server.origin);
    await chat.get(pasteAndDrop, pixel);
    await chat.until("both are there", () => all(".attachments li").length === 2 && one(".attachments img"));
    const choose = (name, type, content) =>
      chat.get(
        (name, type, content) => {
          const data = new DataTransfer();
          data.items.add(new File([typeof content === "number" ? new Uint8Array(content) : content], name, { type }));
          one(".attach-file").files = data.files;
          one(".attach-file").dispatchEvent(new Event("change", { bubbles: true }));
        },
        name,
        type,
        content,
      );
    await choose("song.mp3", "audio/mpeg", "ID3\0\0");
    await choose("page.html", "text/html", "<script>document.title = 'taken'</script>");
    await choose("unwanted.txt", "text/plain", "no");
    await chat.until("all are there", () => all(".attachments li").length === 5);
    await chat.press("Remove unwanted.txt");
    assert.deepEqual(await chat.get(() => all(".attachment-name").map(({ textContent }) => textContent)), [
      "pasted.png",
      "notes.md",
      "song.mp3",
      "page.html",
    ]);
    assert.deepEqual(await chat.get(() => all(".attachment-size").map(({ textContent }) => textContent)), [
      "7 bytes",
      "5 bytes",
      "41 bytes",
    ]);
    await chat.until("each says what the model gets", () => all(".attachment-form").length === 3);
    assert.deepEqual(await chat.get(() => all(".attachment-form").map(({ textContent }) => textContent)), [
      "the model gets its text",
      "the model gets only its name: this model does not take audio",
      "the model gets its text",
    ]);
    await chat.isAccessible("attachments");
    await photograph(chat, `controls-attachments-${kind}`);
    await choose("big.bin", "", (32 << 20) + 1);
    await chat.shows(/big\.bin has 33\.6 MB, and a file may have 32 MiB/, ".composer-wrong");
    model.add({ text: "I see." });
    await chat.say("What is this?");
    await chat.shows(/I see\./);
    const sent = model.requests.at(-1).body.messages.at(-1).content;
    assert.deepEqual(
      sent.map(({ type }) => type),
      ["text", "image_url", "text", "text", "text"],
    );
    assert.match(sent[2].text, /^Attached file: .*"attachments\/notes\.md".*\nIts text:\n# Notes$/);
    assert.match(
      sent[3].text,
      /^Attached file: .*song\.mp3.*\nThe file itself is not given here: this model does not take audio\.\nIts text was not read\.$/,
    );
    assert.equal(await chat.get(() => all(".attachments li").length), 0);

    await chat.idle();
    assert.deepEqual(await chat.get(() => all(".attached-note").map(({ textContent }) => textContent)), [
      "Its text was not read. A model that reads such files is given the file itself.",
    ]);
    await chat.press("Open notes.md, 7 bytes");
    await chat.shows(/^# Notes$/, ".attached-content");
    await chat.press("Open notes.md, 7 bytes");
    await chat.until("it is closed", () => one(".attached-content") === null);
    await chat.press("Open page.html, 41 bytes");
    await chat.shows(/^<script>document\.title = 'taken'<\/script>$/, ".attached-content");
    assert.notEqual(await chat.get(() => document.title), "taken");
    for (const [width, height] of [
      [1280, 800],
      [390, 780],
    ]) {
      await chat.page.setViewport({ width, height });
      for (const theme of ["light", "dark"]) {
        await chat.get((theme) => void (document.documentElement.style.colorScheme = theme), theme);
        await chat.isAccessible(`files of a message, ${theme}, ${width} pixels`);
        await photograph(chat, `controls-files-${theme}-${width}-${kind}`);
      }
    }
    await chat.get(() => {
      const click = HTMLAnchorElement.prototype.click;
      HTMLAnchorElement.prototype.click = function () {
        window.saved = [this.download, this.href];
        HTMLAnchorElement.prototype.click = click;
      };
    });
    await chat.press("Open song.mp3, 5 bytes");
    await chat.until("it has a player", () => /^data:audio\/mpeg;base64,/.test(one("audio.attached-sound").src));
    await chat.isAccessible("a player");
    await chat.press("Save song.mp3");
    await chat.until("it is saved", () => window.saved);
    const [name, type] = await chat.get(async () => [window.saved[0], (await (await fetch(window.saved[1])).blob()).type]);
    assert.deepEqual([name, type], ["song.mp3", "application/octet-stream"]);
    await chat.press("Open song.mp3, 5 bytes");
    await chat.until("it is closed", () => one(".attached-sound") === null);
    await chat.get(() => window.chat.thread.getSnapshot().conversation.workspace.remove("attachments/song.mp3"));
    await chat.press("Open song.mp3, 5 bytes");
    await chat.shows(/song\.mp3 is no longer in the workspace\./, ".attached-files");
    await chat.get(() => window.chat.thread.getSnapshot().conversation.workspace.remove("attachments/page.html"));

    // An edited message keeps its files, unless they are removed.
    model.add({ text: "Another look." });
    await chat.press("Edit “What is this?”");
    await chat.press("Remove song.mp3");
    await chat.press("Remove page.html");
    await photograph(chat, `controls-edited-files-${kind}`);
    await chat.fill(".message-editor textarea", "And again?");
    await chat.page.keyboard.press("Enter");
    await chat.shows(/Another look\./);
    const again = JSON.stringify(model.requests.at(-1).body.messages.at(-1));
    assert.match(again, /And again\?.*image_url.*notes\.md.*# Notes/);
    assert.doesNotMatch(again, /song\.mp3|page\.html/);
    await chat.press("Open notes.md, 7 bytes");
    await chat.shows(/^# Notes$/, ".attached-content");
    await chat.idle();

    await chat.get((bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([bytes], "broken.png", { type: "image/png" }));
      one(".composer-text").dispatchEvent(Object.assign(new Event("paste", { bubbles: true, cancelable: true }), { clipboardData: data }));
    }, "not a picture");
    await chat.until("it is there", () => all(".attachments li").length === 1);
    await chat.say("And this?");
    await chat.shows(/cannot be read/, ".composer-wrong");
    assert.equal(await chat.get(() => one(".composer-text").value), "And this?", "the message is given back");
    await chat.press("Remove broken.png");
    const paste = (length) =>
      chat.get((length) => {
        const data = new DataTransfer();
        data.setData("text/plain", "a".repeat(length));
        const event = new Event("paste", { bubbles: true, cancelable: true });
        return one(".composer-text").dispatchEvent(Object.assign(event, { clipboardData: data }));
      }, length);
    assert.equal(await paste(99_999), true, "the browser puts it into the field");
    assert.equal(await paste(100_000), false);
    await chat.shows(/Pasted text\.txt.*100 kB/, ".attachments");
    await chat.press("Remove Pasted text.txt");
    assert.ok(await chat.get(() => focused().matches(".composer-text")));
    model.check();
    assert.deepEqual(browser.problems, []);
  });
}
