// Runs test files in this one process, one after the other, so that they share what starts slowly: a Python, or a browser.
//   node --test-reporter=spec scripts/testing/together.mjs FILE…
import { test } from "node:test";
import { pathToFileURL } from "node:url";

for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file));
  } catch (error) {
    // The other files are played all the same.
    test(file, () => Promise.reject(error));
  }
}
