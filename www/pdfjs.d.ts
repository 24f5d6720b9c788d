// The part of PDF.js that has no types: it is loaded for what it leaves behind.
declare module "pdfjs-dist/legacy/build/pdf.worker.min.mjs";
