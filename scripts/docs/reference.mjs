// The reference of the documentation site: a page for each export of each entry, from the declarations that the package ships.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Stop, root, run } from "../process.mjs";

const site = path.join(root, "docs-site");

/**
 * Writes the pages into the folder `api` of `pages`. Each entry is a module with the name by which it is imported, which
 * TypeDoc takes from a comment: the files of dist/ are all called `index.d.ts`.
 */
export async function writeReference(pages, exports) {
  const modules = path.join(root, ".cache/docs-modules");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules, { recursive: true });
  const entryPoints = [...entriesOf(exports)].map(([types, name], i) => {
    const file = path.join(modules, `${i}.d.ts`);
    writeFileSync(
      file,
      `/**\n * @module ${name}\n */\nexport * from "${path.relative(modules, path.join(root, types)).replace(/\.d\.ts$/, ".js")}";\n`,
    );
    return file;
  });
  const tsconfig = path.join(modules, "tsconfig.json");
  writeFileSync(tsconfig, JSON.stringify({ extends: path.join(site, "tsconfig.json"), include: ["*.d.ts"] }));
  const options = path.join(modules, "typedoc.json");
  writeFileSync(
    options,
    JSON.stringify({
      entryPoints,
      tsconfig,
      plugin: [path.join(site, "node_modules/typedoc-plugin-markdown/dist/index.js")],
      out: path.join(pages, "api"),
      name: "API reference",
      readme: "none",
      entryFileName: "index.md",
      hideBreadcrumbs: true,
      hidePageHeader: true,
      // The hundreds of members that an element has from the browser's own types.
      excludeExternals: true,
      excludeInternal: true,
      excludePrivate: true,
      disableSources: true,
      treatWarningsAsErrors: true,
      validation: { invalidLink: true, notExported: false, notDocumented: false },
      skipErrorChecking: true,
      logLevel: "Warn",
    }),
  );
  await run(process.execPath, [path.join(site, "node_modules/typedoc/bin/typedoc"), "--options", options], { cwd: site });
  checkReference(path.join(pages, "api"), [...entriesOf(exports).values()]);
}

/** Each entry is a module under its own name, and no page lists what every element of a browser has. */
function checkReference(api, names) {
  const missing = names.filter((name) => !existsSync(path.join(api, name, "index.md")));
  if (missing.length > 0) throw new Stop(`the reference has no module ${missing.join(", ")}`);
  const inherited = readdirSync(api, { recursive: true }).filter(
    (file) => file.endsWith(".md") && /^#+ (addEventListener|ariaLabel)/m.test(readFileSync(path.join(api, file), "utf8")),
  );
  if (inherited.length > 0) throw new Stop(`members of the DOM are in the reference: ${inherited.join(", ")}`);
}

/** The declarations of each entry but style sheets, with its name; entries that share them have the shortest. */
function entriesOf(exports) {
  const entries = new Map();
  for (const [subpath, { types }] of Object.entries(exports))
    if (types !== undefined && !subpath.endsWith(".css") && !entries.has(types)) entries.set(types, path.posix.join("threadkeep", subpath));
  return entries;
}

const kinds = { functions: "Functions", classes: "Classes", interfaces: "Interfaces", "type-aliases": "Types", variables: "Values" };

/** The menu of the reference: modules, the kinds of their exports, and a page each. */
export function referenceMenu(pages) {
  const api = path.join(pages, "api");
  if (!existsSync(api)) return [];
  const modules = readdirSync(api, { recursive: true })
    .filter((file) => path.basename(file) === "index.md")
    .map((file) => path.dirname(file))
    .filter((folder) => folder !== ".");
  return modules.sort().map((folder) => ({
    text: folder.replaceAll("\\", "/"),
    link: `/api/${folder}/`,
    collapsed: true,
    items: Object.entries(kinds)
      .filter(([kind]) => existsSync(path.join(api, folder, kind)))
      .map(([kind, text]) => ({
        text,
        collapsed: kind === "interfaces" || kind === "type-aliases",
        items: readdirSync(path.join(api, folder, kind))
          .map((file) => path.parse(file).name)
          .sort()
          .map((name) => ({ text: name, link: `/api/${folder}/${kind}/${name}` })),
      })),
  }));
}
