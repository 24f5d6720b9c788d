// Every link of the documentation leads to a file and a heading that exist, and every test that it names exists.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";

const read = (file) => readFileSync(path.join(root, file), "utf8");
const docs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
const pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", ...docs.map((name) => `docs/${name}`)];

/** The anchors of the headings, as GitHub makes them. */
function anchorsOf(page) {
  const headings = read(page)
    .replace(/^```[^]*?^```$/gm, "")
    .matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every link leads to a file and a heading that exist", () => {
  const wrong = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, file, anchor]) => {
      const target = file === "" ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, target))) return `${page}: ${link}`;
      return anchor === undefined || !target.endsWith(".md") || anchorsOf(target).includes(anchor) ? [] : `${page}: ${link}`;
    }),
  );
  assert.deepEqual(wrong, []);
});

/** What the package has beside its code. */
const packed = ["README.md", "CHANGELOG.md", "LICENSE", ...docs.map((name) => `docs/${name}`)];

test("the pages of the package lead to pages of the package, or to files of the repository by their addresses there", () => {
  const repository =
    /^https:\/\/(?:github\.com\/threadkeep\/threadkeep\/(?:blob|tree)|raw\.githubusercontent\.com\/threadkeep\/threadkeep)\/main\//;
  const wrong = packed
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) => [...read(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) => ({ page, link })))
    .filter(({ page, link }) => {
      if (repository.test(link)) return !existsSync(path.join(root, link.replace(repository, "")));
      return !/^[a-z]+:/.test(link) && !packed.includes(path.join(path.dirname(page), link));
    });
  assert.deepEqual(wrong, []);
});

test("every test that a page names exists", () => {
  const named = pages.flatMap((page) => [...read(page).matchAll(/`(tests\/[\w./-]+)`/g)].map(([, file]) => file));
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((file) => !existsSync(path.join(root, file))),
    [],
  );
});

test("every page is in the list of docs/README.md", () => {
  const listed = [...read("docs/README.md").matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => name);
  assert.deepEqual(docs.filter((name) => name !== "README.md").toSorted(), [...new Set(listed)].toSorted());
});
