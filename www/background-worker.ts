// The shared worker in which chats of the page run, so that they go on when their tab is closed.

import { serveConversations } from "threadkeep";
import { pdfText } from "threadkeep/pdf";
import { optionsFor, type Plan } from "./agent/plan.ts";

/** Those of Chrome start no workers. */
const startsWorkers = typeof Worker === "function";

const pdfs = pdfText({
  ...(startsWorkers && { workerSrc: new URL("pdf.worker.min.mjs", location.href) }),
  pdfjs: async () => {
    // PDF.js then reads in this thread.
    if (!startsWorkers) await import("pdfjs-dist/legacy/build/pdf.worker.min.mjs");
    return import("pdfjs-dist/legacy/build/pdf.mjs");
  },
});

serveConversations(({ data }) => optionsFor(data as Plan, pdfs));
