// The text of PDFs in attached files, read by PDF.js in a worker: in a page whose policy forbids eval, with PDFs that are long,
// broken, encrypted or without text, and a worker that hangs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createModel } from "../../../support/model.mjs";
import { pdfOf } from "../../../support/pdf.mjs";
import { startServer } from "../../../support/server.mjs";
import { availableBrowsers } from "../../../support/browser/driver.mjs";
import { tabs } from "../../../support/browser/tabs.mjs";

const policy = "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; object-src 'none'";
const hanging = (_request, response) => {
  response.writeHead(200, { "content-type": "text/javascript" }).end("self.onmessage = () => { for (;;); };");
  return true;
};

let server;
let model;
before(async () => {
  model = createModel([{ text: "I have read it." }]);
  server = await startServer({ model, mounts: { "/pdfjs/": "node_modules/pdfjs-dist/legacy/build", "/hanging.mjs": hanging } });
});
after(() => server.close());

const pages = (count, text) => Array.from({ length: count }, (_, index) => text(index + 1));

for (const kind of availableBrowsers) {
  test(`${kind}: the text of attached PDFs is read in a page, whatever is wrong with them`, async (context) => {
    const browser = await tabs(kind);
    context.after(() => browser.close());
    const page = await browser.page(`${server.origin}/pages/blank.html`);
    await page.evaluate((policy) => {
      const meta = document.createElement("meta");
      meta.httpEquiv = "Content-Security-Policy";
      meta.content = policy;
      document.head.append(meta);
    }, policy);
    /** What the model gets of this file below the line that names it. */
    const read = (bytes, options = {}) =>
      page.evaluate(
        async (bytes, options) => {
          const { Agent, Conversation, LLM, memoryStore } = await import("/threadkeep/index.js");
          const { pdfText } = await import("/threadkeep/pdf.js");
          const reader = pdfText({ workerSrc: "/pdfjs/pdf.worker.min.mjs", pdfjs: () => import("/pdfjs/pdf.min.mjs"), ...options });
          const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: `${location.origin}/v1` }) });
          const conversation = await Conversation.open({ agent, store: memoryStore(), attachments: { readers: [reader] } });
          const file = new File([Uint8Array.from(bytes)], "report.pdf", { type: "application/pdf" });
          const begun = performance.now();
          const { extended_content } = await conversation.sendMessage([{ type: "file", file }]);
          const stored = await conversation.workspace.read("attachments/report.pdf");
          await conversation.close();
          const [line, ...lines] = extended_content[0].text.split("\n");
          const { pages = null } = JSON.parse(line.slice(line.indexOf("{")));
          return { text: lines.join("\n"), pages, time: performance.now() - begun, isStored: stored.length === bytes.length };
        },
        [...bytes],
        options,
      );

    const two = await read(pdfOf(["Profit (2025)\nrose by 7 percent", "Outlook"]));
    assert.deepEqual(
      [two.text, two.pages, two.isStored],
      ["Its text:\nPage 1 of 2:\nProfit (2025)\nrose by 7 percent\n\nPage 2 of 2:\nOutlook\n", 2, true],
    );

    const long = await read(pdfOf(pages(300, (number) => `The text of page ${number}`)));
    assert.match(long.text, /^Its text:\nPage 1 of 300:\nThe text of page 1\n[^]*Page 300 of 300:\nThe text of page 300\n$/);
    assert.equal(long.pages, 300);

    const full = await read(pdfOf(pages(300, (number) => `Line of page ${number}\n`.repeat(60))));
    assert.match(full.text, /^The first 100000 of its \d{6} characters; the rest was left out here and is in the file:\nPage 1 of 300:/);

    for (const [bytes, reason, counted = null] of [
      [pdfOf(["A secret"], { encrypt: true }), "the PDF is encrypted and asks for a password"],
      [new TextEncoder().encode("%PDF-1.7\nnothing else"), "the PDF is broken"],
      [pdfOf(["", ""]), "the PDF has no text, perhaps pictures of pages", 2],
    ]) {
      const { text, pages, isStored } = await read(bytes);
      assert.deepEqual([text, pages, isStored], [`Its text was not read: ${reason}.`, counted, true]);
    }

    const hung = await read(pdfOf(["Never read"]), { workerSrc: "/hanging.mjs", timeout: 500 });
    assert.equal(hung.text, "Its text was not read: reading it took longer than 0.5 seconds.");
    assert.ok(hung.time < 10_000, `${hung.time} ms`);
    await page.close();
  });
}
