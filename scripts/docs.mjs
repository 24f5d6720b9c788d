// `npm run docs`: builds the documentation site in docs-site/dist from docs/*.md and the types in dist/.
//   --serve   builds it, then shows it on a local port
//   --quick   takes a build of the library that is not optimized
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sections } from "../docs-site/sections.mjs";
import { build, buildForTests } from "./build.mjs";
import { writeFirstPage } from "./docs/first-page.mjs";
import { writeReference } from "./docs/reference.mjs";
import { fingerprint, unlessFresh } from "./freshness.mjs";
import { Stop, main, root, run } from "./process.mjs";

const site = path.join(root, "docs-site");
/** The pages as VitePress reads them: those of docs/, the first one, and the reference that TypeDoc writes. */
const pages = path.join(root, ".cache/docs");

await main(async () => {
  await (process.argv.includes("--quick") ? buildForTests() : build({ testing: true }));
  await ensureGenerators();
  const { exports, repository } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(pages, { recursive: true });
  checkPages();
  copyPages(repository?.url);
  await writeFirstPage(pages);
  await writeReference(pages, exports);
  const vitepress = path.join(site, "node_modules/vitepress/bin/vitepress.js");
  await run(process.execPath, [vitepress, "build", site]);
  if (process.argv.includes("--serve")) await run(process.execPath, [vitepress, "preview", site]);
});

/** VitePress and TypeDoc have packages of their own, so that a build of the library does not install them. */
async function ensureGenerators() {
  const inputs = [path.join(site, "package.json"), path.join(site, "package-lock.json")];
  await unlessFresh("documentation packages", fingerprint(inputs), [path.join(site, "node_modules/vitepress/package.json")], () =>
    // Not `npm ci`, which refuses a lock file without the packages of other systems.
    run("npm", ["install", "--ignore-scripts", "--no-save"], { cwd: site }),
  );
}

/** Every page of docs/ has a place in the menu, and every place a page. */
function checkPages() {
  const listed = sections.flatMap((section) => section.pages.map(([page]) => `${page}.md`));
  const existing = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  const missing = existing.filter((page) => !listed.includes(page));
  if (missing.length > 0) throw new Stop(`docs-site/sections.mjs lists no ${missing.join(", ")}`);
  const unknown = listed.filter((page) => !existing.includes(page));
  if (unknown.length > 0) throw new Stop(`docs/ has no ${unknown.join(", ")}, which docs-site/sections.mjs lists`);
}

/** Links from docs/ to other files of the repository become links to the repository. */
function copyPages(repository) {
  cpSync(path.join(root, "docs"), pages, { recursive: true });
  const home = repository?.replace(/^git\+/, "").replace(/\.git$/, "");
  for (const name of readdirSync(pages).filter((file) => file.endsWith(".md"))) {
    const text = readFileSync(path.join(pages, name), "utf8");
    const linked = text.replace(/\]\(\.\.\/([^)]*)\)/g, (_, target) => {
      if (!existsSync(path.join(root, target.split("#")[0]))) throw new Stop(`docs/${name} links to ${target}, which does not exist`);
      return `](${home}/blob/main/${target})`;
    });
    writeFileSync(path.join(pages, name), linked);
  }
  // The list of all pages in a repository, for which the site has its menu.
  rmSync(path.join(pages, "README.md"));
}
