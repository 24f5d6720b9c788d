// The apps in examples/ for page tests: bundled as an app is, with the library's main file as a file of its own.
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";

/** A request handler that serves the example in this folder of examples/, in React's development mode. */
export async function example(name) {
  const folder = path.join(root, "examples", name);
  const { outputFiles: [{ text: script }] } = await build({
    entryPoints: [path.join(folder, "app.tsx")], bundle: true, write: false, format: "esm", target: "es2022", jsx: "automatic",
    define: { "process.env.NODE_ENV": '"development"' },
    plugins: [builtLibrary],
  });
  const files = { "/": ["text/html", readFileSync(path.join(folder, "index.html"), "utf8")], "/app.js": ["text/javascript", script] };
  return (_request, response, pathname) => {
    const [type, text] = files[pathname] ?? [];
    if (type === undefined) return false;
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(text);
    return true;
  };
}

/** `threadkeep` and the core of its other entries are files of dist/ that the page loads; the entries themselves are bundled. */
const builtLibrary = {
  name: "built library",
  setup({ onResolve }) {
    const dist = path.join(root, "dist");
    onResolve({ filter: /^threadkeep(\/|$)/ }, ({ path: wanted }) => {
      const [, entry] = wanted.split("/");
      return entry === undefined ? { path: "/threadkeep/index.js", external: true } : { path: path.join(dist, `${entry}.js`) };
    });
    onResolve({ filter: /^\.\/slim\.js$/ }, ({ importer }) => (path.dirname(importer) === dist ? { path: "/threadkeep/slim.js", external: true } : undefined));
  },
};
