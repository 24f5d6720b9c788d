import path from "node:path";
import { referenceMenu } from "../../scripts/docs/reference.mjs";
import { sections } from "../sections.mjs";

/** VitePress takes the texts of its menu as HTML. */
const html = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const menu = sections.map(({ title, pages }) => ({
  text: html(title),
  items: pages.map(([page, text]) => ({ text: html(text), link: `/${page}` })),
}));
const base = process.env.DOCS_BASE ?? "/";
const pages = path.join(import.meta.dirname, "../../.cache/docs");

export default {
  title: "threadkeep",
  description: "Agent conversations that run in the browser and survive reloads and crashes.",
  // Where the site is served: "/" or the path of a folder.
  base,
  head: [["link", { rel: "icon", href: `${base}icon.svg` }]],
  srcDir: "../.cache/docs",
  outDir: "dist",
  cacheDir: "../.cache/vitepress",
  cleanUrls: false,
  lastUpdated: false,
  // Custom elements of the pages.
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("threadkeep-") } } },
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/get-started" },
      { text: "API reference", link: "/api/" },
    ],
    sidebar: {
      "/api/": [{ text: "API reference", link: "/api/", items: referenceMenu(pages) }],
      "/": [...menu, { text: "API reference", link: "/api/" }],
    },
  },
};
