// The menu of the documentation site, which VitePress takes as HTML.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import site from "../../docs-site/.vitepress/config.mjs";
import { root } from "../../scripts/process.mjs";

const entries = (items) => items.flatMap((item) => [item, ...entries(item.items ?? [])]);

test("a name with angle brackets is shown in the menu, and is no element", () => {
  const texts = Object.values(site.themeConfig.sidebar)
    .flatMap(entries)
    .map(({ text }) => text);
  assert.ok(texts.includes("&lt;threadkeep-chat>"));
  assert.deepEqual(
    texts.filter((text) => text.includes("<")),
    [],
  );
});

test("each page that the first page links to is in the menu", () => {
  const page = readFileSync(path.join(root, "docs-site/index.md"), "utf8");
  const links = [...page.matchAll(/(?:link: |\]\()(\/[\w-]+)/g)].map(([, link]) => link);
  const known = entries(site.themeConfig.sidebar["/"]).map(({ link }) => link);
  assert.ok(links.length > 6);
  assert.deepEqual(
    links.filter((link) => !known.includes(link) && link !== "/api"),
    [],
  );
});
