// Runs the conversation of project/converse.js, in a page or elsewhere, with a model on another port.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import path from "node:path";
import { staticFiles } from "../../scripts/static-files.mjs";
import { workers } from "../../scripts/bundle.mjs";
import { wasms } from "../../scripts/wasms.mjs";
import { availableBrowsers } from "../support/browser/driver.mjs";
import { tabs } from "../support/browser/tabs.mjs";
import { untilIn } from "../support/browser/until.mjs";
import { listen } from "../support/listen.mjs";
import { createModel } from "../support/model.mjs";

const [kind] = availableBrowsers;
export const needsBrowser = { skip: kind ? false : "no browser on this machine" };

/** The files that a page may fetch from the library beside its JavaScript. */
export const libraryFiles = [...wasms, ...workers].map(({ file }) => file);

/** Calls `body` with the URL of a model, and checks the answer that it resolves to. */
export async function converse(name, body) {
  const model = createModel(({ model, messages }) => {
    if (model === "other") return { text: "Here." };
    return messages.at(-1).role === "tool" ? { text: "2 and 3 make 5." } : { calls: [{ name: "add", arguments: { a: 2, b: 3 } }] };
  });
  const server = await model.listen();
  try {
    const answer = await body(server.baseUrl);
    model.check();
    assert.equal(answer, "finished: 2 and 3 make 5.");
    assert.match(JSON.stringify(model.requests[1].body.messages.at(-1)), /"5"/);
    console.log(`${name}: the conversation ended with "${answer}"`);
  } finally {
    await server.close();
  }
}

/**
 * Opens a page of the server, waits for its conversation, closes the server, and returns what the page fetched. `check(page)`
 * looks at the page before it closes.
 */
export async function inPage(name, { origin, close }, check) {
  const fetched = [];
  const browser = await tabs(kind);
  try {
    await converse(name, async (baseUrl) => {
      const page = await browser.page("about:blank");
      const response = (answer) =>
        fetched.push({ url: answer.url(), status: answer.status(), type: answer.headers()["content-type"] ?? "" });
      page.on("response", response);
      const broken = new Promise((_, reject) => page.once("pageerror", reject));
      await page.goto(`${origin}/?model=${encodeURIComponent(new URL(baseUrl).origin)}`);
      const outcome = await Promise.race([broken, untilIn(page, "there is an outcome", () => globalThis.outcome)]);
      const { answer, error } = await outcome.jsonValue();
      assert.equal(error, undefined);
      await check?.(page);
      return answer;
    });
  } finally {
    await browser.close();
    await close();
  }
  return fetched;
}

/** Fails unless the page got the library's files, and no copies of them. */
export function filesWereFetched(fetched) {
  const addresses = fetched.map(({ url }) => url).join(", ");
  assert.equal(fetched.filter(isWasm).length, wasms.length, `the wasm files among ${addresses}`);
  assert.ok(!fetched.some(({ url }) => /-inline/.test(url)), "the copies in JavaScript should not have been needed");
  assert.deepEqual(missing(fetched), []);
}

/** Fails unless the page found one file missing, and took copies from there on. */
export function copiesWereTaken(fetched) {
  assert.ok(!fetched.some(isWasm), "no wasm file should have been there");
  assert.ok(missing(fetched).length <= 1, `missing: ${missing(fetched).join(", ")}`);
}

const missing = (fetched) => fetched.filter(({ status }) => status >= 400).map(({ url }) => url);

function isWasm({ url, type }) {
  return /\.wasm$/.test(new URL(url).pathname) && type.startsWith("application/wasm");
}

/** Copies the library's files beside a bundle. */
export function copyFiles(library, folder) {
  for (const file of libraryFiles) copyFileSync(path.join(library, "dist", file), path.join(folder, file));
}

/** Serves a folder, with headers, and with its start page in place of files that it does not have. */
export function serveFolder(folder, { startPageForAll = false, headers = {} } = {}) {
  const files = staticFiles(folder);
  return listen(async (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const [urlPath] = request.url.split("?");
    if (await files(request, response, urlPath)) return;
    if (startPageForAll) await files(request, response, "/index.html");
    else response.writeHead(404).end();
  });
}
