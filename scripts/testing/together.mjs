// Runs test files in this one process, one after the other, so that they share a browser or Python, which start slowly. Each file
// is a suite of its name, by which failed-files.mjs knows it.
//   node --test-reporter=spec scripts/testing/together.mjs FILE…
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
// Outside of the suites, because the browsers that they share end after the last of them.
import "../../tests/browser/shared.mjs";

for (const file of process.argv.slice(2)) await describe(file, async () => void (await import(pathToFileURL(file))));
