// `threadkeep/pdf`: reads the text of PDFs that are attached to messages, with PDF.js, which the app installs.
import type { AttachmentReader } from "threadkeep";

/** The part of the package `pdfjs-dist` that is used. */
export interface PdfJs {
  getDocument(source: object): LoadingTask;
  PDFWorker: new (options: { port: Worker }) => { destroy(): void };
}

interface LoadingTask {
  promise: Promise<PdfDocument>;
  destroy(): Promise<void>;
}

interface PdfDocument {
  numPages: number;
  getPage(number: number): Promise<{
    getTextContent(): Promise<{ items: ReadonlyArray<{ str?: string; hasEOL?: boolean }> }>;
    cleanup(): unknown;
  }>;
}

/** The options of {@link pdfText}. */
export interface PdfTextOptions {
  /**
   * The address of the file `legacy/build/pdf.worker.min.mjs` of `pdfjs-dist`, on your own server: PDFs are read in a worker of their
   * own, which ends with each. Needed in a page; in Node (22.13 or newer) PDF.js works without a worker.
   */
  workerSrc?: string | URL | undefined;
  /** Loads PDF.js. Default `() => import("pdfjs-dist/legacy/build/pdf.mjs")`, which runs in all browsers of this library. */
  pdfjs?: (() => Promise<unknown>) | undefined;
  /** The address of the folder `cmaps/` of `pdfjs-dist`, with `/` at its end: texts in some East Asian fonts need it. */
  cMapUrl?: string | undefined;
  /** Milliseconds for one PDF; the pages that were read until then are the text. Default 30,000. */
  timeout?: number | undefined;
}

/** More than a message has room for. */
const mostCharacters = 200_000;

/**
 * Reads PDFs, for `Conversation.open({ attachments: { readers: [pdfText({ workerSrc })] } })`. PDF.js is loaded with the first
 * PDF. A PDF that is broken, encrypted or has only pictures is attached without its text, and the message says why.
 */
export function pdfText({
  workerSrc,
  // The app installs it, so its types may be missing.
  pdfjs = () => import("pdfjs-dist/legacy/build/pdf.mjs" as string),
  cMapUrl,
  timeout = 30_000,
}: PdfTextOptions = {}): AttachmentReader {
  return {
    // Some programs write a few bytes before the header.
    accepts: ({ start }) => latin1(start).includes("%PDF-"),
    async read({ bytes }, { signal }) {
      const { getDocument, PDFWorker } = (await pdfjs()) as PdfJs;
      const limit = limitOf(timeout, signal);
      const port = workerSrc === undefined ? undefined : new Worker(workerSrc, { type: "module" });
      const worker = port && new PDFWorker({ port });
      const task = getDocument({
        // PDF.js takes the bytes over.
        data: bytes.slice(),
        ...(worker && { worker }),
        ...(cMapUrl !== undefined && { cMapUrl, cMapPacked: true }),
        // Only texts are needed, and nothing else is to be loaded or run.
        disableFontFace: true,
        useSystemFonts: false,
        useWorkerFetch: false,
        enableXfa: false,
        verbosity: 0,
      });
      const counted: { pages?: number } = {};
      try {
        return { text: await textOf(task, limit.over, counted), ...counted };
      } catch (error) {
        throw Object.assign(new Error(why(error as Error, timeout), { cause: error }), counted);
      } finally {
        limit.end();
        // A worker that hangs answers nothing.
        void task.destroy().catch(() => {});
        worker?.destroy();
        port?.terminate();
      }
    },
  };
}

/** The text, page by page; of the pages that were read when the time is over. Sets `pages` as soon as it is known. */
async function textOf(task: LoadingTask, over: Promise<never>, counted: { pages?: number }): Promise<string> {
  const pdf = await Promise.race([task.promise, over]);
  counted.pages = pdf.numPages;
  const pages: string[] = [];
  let characters = 0;
  let isCut = false;
  let hasText = false;
  while (pages.length < pdf.numPages && !isCut && characters < mostCharacters) {
    const number = pages.length + 1;
    try {
      const text = await Promise.race([pageText(pdf, number), over]);
      hasText ||= text !== "";
      pages.push(`Page ${number} of ${pdf.numPages}:\n${text}\n`);
      characters += text.length;
    } catch (error) {
      if (!hasText) throw error;
      isCut = true;
    }
  }
  if (!hasText) throw new Error("noText");
  if (pages.length < pdf.numPages) pages.push(`The text of the pages after page ${pages.length} was not read.`);
  return pages.join("\n");
}

async function pageText(pdf: PdfDocument, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return items
    .map(({ str = "", hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join("")
    .trim();
}

/** Rejects when the time is over, or the message is not sent any more. */
function limitOf(milliseconds: number, signal: AbortSignal) {
  let end = () => {};
  const over = new Promise<never>((_, reject) => {
    const stop = () => reject(new Error("timeout"));
    const timer = setTimeout(stop, milliseconds);
    signal.addEventListener("abort", stop);
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    };
    if (signal.aborted) stop();
  });
  // It may reject while nobody waits.
  over.catch(() => {});
  return { over, end: () => end() };
}

/** The reason, as the second half of a sentence. */
function why({ name, message }: Error, timeout: number): string {
  if (name === "PasswordException") return "the PDF is encrypted and asks for a password";
  if (name === "InvalidPDFException") return "the PDF is broken";
  if (message === "timeout") return `reading it took longer than ${timeout / 1000} seconds`;
  if (message === "noText") return "the PDF has no text, perhaps pictures of pages";
  return `PDF.js could not read it: ${message}`;
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 1024));
