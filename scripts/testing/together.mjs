// Runs test files in this one process, one after the other, so that they share a Python, which starts slowly.
//   node --test-reporter=spec scripts/testing/together.mjs FILE…
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) await import(pathToFileURL(file));
