// The reader of PDFs, with a PDF.js that a test decides; the real one is in tests/browser/ui/pdf.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pdfText } from "../../../dist/pdf.js";

const encode = (text) => new TextEncoder().encode(text);
const never = new Promise(() => {});

/** A PDF.js for a document with these pages: a text, or what a page resolves or rejects to. */
function pdfjsWith(pages, open = undefined) {
  const seen = { destroyed: 0, source: undefined };
  const document = {
    numPages: pages.length,
    getPage: async (number) => ({
      getTextContent: async () => {
        const page = await pages[number - 1];
        return { items: page.split(/(?<=\n)/).map((line) => ({ str: line.replace("\n", ""), hasEOL: line.endsWith("\n") })) };
      },
      cleanup() {},
    }),
  };
  const getDocument = (source) => {
    seen.source = source;
    return { promise: open ? open() : Promise.resolve(document), destroy: async () => void seen.destroyed++ };
  };
  return { seen, pdfjs: async () => ({ getDocument }) };
}

const read = (options, signal = new AbortController().signal) =>
  pdfText(options).read({ name: "a.pdf", mediaType: "", bytes: encode("%PDF-1.7") }, { signal });
const named = (name) => () => Promise.reject(Object.assign(new Error("no"), { name }));

test("a PDF is known by its header, which may come late, and not by its name", () => {
  const { accepts } = pdfText();
  assert.ok(accepts({ name: "a", mediaType: "", start: encode("%PDF-1.7") }));
  assert.ok(accepts({ name: "a", mediaType: "", start: encode(`${"\n".repeat(500)}%PDF-2.0`) }));
  assert.ok(!accepts({ name: "a.pdf", mediaType: "application/pdf", start: encode("<html>") }));
});

test("the text has the numbers of its pages, and the document is given up in the end", async () => {
  const { seen, pdfjs } = pdfjsWith(["One\ntwo", "", "Three"]);
  assert.deepEqual(await read({ pdfjs, cMapUrl: "/cmaps/" }), {
    text: "Page 1 of 3:\nOne\ntwo\n\nPage 2 of 3:\n\n\nPage 3 of 3:\nThree\n",
    pages: 3,
  });
  assert.equal(seen.destroyed, 1);
  assert.deepEqual([seen.source.cMapUrl, seen.source.cMapPacked, seen.source.useWorkerFetch], ["/cmaps/", true, false]);
});

test("why there is no text is a sentence", async () => {
  for (const [open, pages, words] of [
    [named("PasswordException"), [], "the PDF is encrypted and asks for a password"],
    [named("InvalidPDFException"), [], "the PDF is broken"],
    [undefined, ["", " \n"], "the PDF has no text, perhaps pictures of pages"],
    [undefined, [], "the PDF has no text, perhaps pictures of pages"],
    [() => Promise.reject(new Error("out of luck")), [], "PDF.js could not read it: out of luck"],
  ]) {
    const { seen, pdfjs } = pdfjsWith(pages, open);
    await assert.rejects(read({ pdfjs }), { message: words });
    assert.equal(seen.destroyed, 1);
  }
});

test("what is read when the time is over is the text, and nothing is waited for after it", async () => {
  const cut = pdfjsWith(["One", never, "Three"]);
  assert.equal(
    (await read({ pdfjs: cut.pdfjs, timeout: 50 })).text,
    "Page 1 of 3:\nOne\n\nThe text of the pages after page 1 was not read.",
  );
  const late = { message: "reading it took longer than 0.05 seconds" };
  await assert.rejects(read({ ...pdfjsWith([never]), timeout: 50 }), late);
  const hanging = pdfjsWith([], () => never);
  await assert.rejects(read({ pdfjs: hanging.pdfjs, timeout: 50 }), late);
  assert.equal(hanging.seen.destroyed, 1);
  await assert.rejects(read({ ...pdfjsWith([never]) }, AbortSignal.abort()), /took longer/);
});

test("a very long PDF is not read to its end", async () => {
  const { text } = await read(pdfjsWith(Array.from({ length: 100 }, () => "x".repeat(10_000))));
  assert.ok(text.endsWith("\nThe text of the pages after page 20 was not read."), text.slice(-80));
});
