// An exported page in a browser: its style applies, nothing in it runs or is loaded, and a link to an event leads there.
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../../scripts/process.mjs";
import { Agent, Conversation, LLM, memoryStore, tool } from "../../../dist/index.js";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { faultsOf } from "../../support/browser/axe.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { photograph, tabs } from "../../support/browser/tabs.mjs";

const hostile = [
  "</script><script>window.hit = 1</script>",
  '<img src="/pixel.png" onerror="window.hit = 1">',
  '"><svg onload="window.hit = 1">',
  "</pre></details></style><style>body { background: red !important }</style>",
  '<meta http-equiv="refresh" content="0;url=/pixel.png">',
  '<a href="javascript:window.hit = 1" autofocus onfocus="window.hit = 1">x</a>',
  "a \u202e b",
].join("\n");

/** The page of a conversation whose every text is hostile, and the id of its last event. */
async function exported() {
  const model = createModel([
    { text: hostile, reasoning: hostile, calls: [{ name: "note", arguments: { text: hostile } }] },
    { text: `Done.\n\n\`\`\`js\nif (1 < 2) run();\n\`\`\`\n\n${hostile}` },
  ]);
  const note = tool({
    name: "note",
    description: "Notes a text.",
    parameters: { type: "object", properties: { text: { type: "string" } } },
    execute: ({ text }) => text,
  });
  const agent = new Agent({ llm: new LLM({ model: "openai/gpt-4o", fetch: model.fetch, numRetries: 1 }), tools: [note] });
  const conversation = await Conversation.open({
    agent,
    store: memoryStore(),
    tags: { title: "A </title><script>window.hit = 1</script>" },
  });
  await conversation.sendMessage([
    { type: "text", text: hostile },
    { type: "image", image_urls: [dot, "https://example.org/pixel.png"] },
  ]);
  await conversation.run();
  const page = await conversation.exportHTML();
  const { id } = await conversation.events.at(-1);
  await conversation.close();
  return { page, id };
}

const dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

for (const kind of availableBrowsers) {
  test(`${kind}: an exported page shows everything, and nothing in it runs`, async (context) => {
    const folder = path.join(root, ".cache/exported");
    mkdirSync(folder, { recursive: true });
    const { page: html, id } = await exported();
    writeFileSync(path.join(folder, "page.html"), html);
    const server = await startServer({ mounts: { "/exported/": ".cache/exported" } });
    const browser = await tabs(kind);
    context.after(async () => {
      await browser.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const page = await browser.page("about:blank");
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.setViewport({ width: 1280, height: 900 });
    const address = `${server.origin}/exported/page.html`;
    await page.goto(`${address}#${id}`);
    const found = await page.evaluate(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector));
      return {
        hit: window.hit,
        scripts: document.scripts.length,
        elements: [...new Set([...document.querySelectorAll("body *")].map(({ localName }) => localName))].sort(),
        handlers: [...document.querySelectorAll("*")].flatMap(({ attributes }) =>
          [...attributes].filter(({ name, value }) => /^(on|href|style)/.test(name) || /javascript:/.test(value)),
        ).length,
        text: style(".text").whiteSpaceCollapse ?? style(".text").whiteSpace,
        background: style("body").backgroundColor,
        open: document.querySelectorAll("details[open]").length,
        folded: [...document.querySelectorAll("summary")].map(({ textContent }) => textContent),
        image: document.querySelector("img").naturalWidth,
        target: document.querySelector(":target")?.id,
        title: document.title,
      };
    });
    assert.equal(found.hit, undefined);
    assert.equal(found.scripts, 0);
    assert.equal(found.handlers, 0);
    const known = "article bdi code details div h1 h2 h3 header img main p pre span summary time".split(" ");
    assert.deepEqual(
      found.elements.filter((name) => !known.includes(name)),
      [],
    );
    assert.match(found.text, /preserve|pre-wrap/, "the style applies");
    assert.notEqual(found.background, "rgb(255, 0, 0)");
    assert.equal(found.open, 0);
    assert.ok(found.folded.includes("note") && found.folded.includes("Instructions"), String(found.folded));
    assert.equal(found.image, 1);
    assert.equal(found.target, id);
    assert.equal(found.title, "A </title><script>window.hit = 1</script>");
    assert.deepEqual(
      asked.filter((url) => !url.startsWith("data:") && !url.startsWith(address) && !url.endsWith("/favicon.ico")),
      [],
    );
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 1280],
      ["light", 390],
      ["dark", 390],
    ]) {
      if (kind !== "chromium") break;
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.setViewport({ width, height: 900 });
      await page.evaluate(() => document.querySelectorAll("details").forEach((each) => (each.open = true)));
      assert.deepEqual(await faultsOf(page), [], `${scheme} ${width}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `nothing is wider than the page: ${wide}`);
      await photograph({ page }, `exported-${scheme}-${width}`);
    }
  });
}
