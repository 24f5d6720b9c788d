// A PDF and audio in the demo page: what is said before they are sent, what the model gets, and what the message shows.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { DemoPage, startDemo } from "./page.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { photograph, tabs } from "../support/browser/tabs.mjs";
import { pdfOf } from "../support/pdf.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-attachments-"));
const written = (name, bytes) => {
  writeFileSync(path.join(folder, name), bytes);
  return path.join(folder, name);
};

/** Half a second of silence. */
function wav() {
  const bytes = Buffer.alloc(44 + 8000);
  bytes.write("RIFF", 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write("WAVEfmt ", 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(8000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write("data", 36);
  bytes.writeUInt32LE(8000, 40);
  return bytes;
}

let demo;
before(async () => (demo = await startDemo({ delay: 0 })));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await demo.close();
});

for (const kind of availableBrowsers) {
  test(`${kind}: the demo says what a PDF and audio are before it sends them, and shows them in the message`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await DemoPage.open(browser, `${demo.origin}/#/`);
    await page.ask("Hello");
    const chooser = await page.page.$(".attach-file");
    await chooser.uploadFile(written("report.pdf", pdfOf(["Profit rose by 7 percent"])), written("talk.wav", wav()));
    await page.until("each file says what the model gets", () => document.querySelectorAll(".attachment-form").length === 2);
    assert.deepEqual(await page.page.$$eval(".attachment-form", (forms) => forms.map(({ textContent }) => textContent)), [
      "the model gets its text: this model does not read PDF files",
      "the model gets only its name: this model does not take audio",
    ]);
    const photographs = async (theme) => {
      for (const [width, height] of [
        [1280, 800],
        [390, 780],
      ]) {
        await page.page.setViewport({ width, height });
        await photograph(page, `attachments-${theme}-${width}-${kind}`);
      }
      await page.isAccessible(`files to send, ${theme}`);
    };
    await photographs("light");
    if (await page.inTheDark()) await photographs("dark");
    await page.say("What do they say?");
    await page.until("the message shows both", () => document.querySelectorAll(".attached-file").length === 2);
    await page.idle();
    // PDF.js has read it, in its worker.
    const texts = await page.page.evaluate(() => [...document.querySelectorAll(".attached-note")].map(({ textContent }) => textContent));
    assert.deepEqual(texts, ["Its text was not read. A model that reads such files is given the file itself."]);
    await page.press("Open talk.wav, 8.04 kB");
    await page.until("it plays", () => document.querySelector("audio.attached-sound")?.duration === 0.5);
    await photograph(page, `attached-sound-${kind}`);
    await page.isAccessible("a player");
    assert.deepEqual(browser.problems, []);
  });
}
