import { sections } from "../sections.mjs";

const menu = sections.map(({ title, pages }) => ({ text: title, items: pages.map(([page, text]) => ({ text, link: `/${page}` })) }));

export default {
  title: "threadkeep",
  description: "Agent conversations that run in the browser and survive reloads and crashes.",
  // Where the site is served: "/" or the path of a folder.
  base: process.env.DOCS_BASE ?? "/",
  srcDir: "../.cache/docs",
  outDir: "dist",
  cacheDir: "../.cache/vitepress",
  cleanUrls: false,
  lastUpdated: false,
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/get-started" },
      { text: "API reference", link: "/api/" },
    ],
    sidebar: { "/": [...menu, { text: "API reference", link: "/api/" }] },
  },
};
