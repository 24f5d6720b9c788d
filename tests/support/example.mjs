// The apps in examples/ and pages of tests, bundled as an app is, with the core of the library in files of its own.
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { root } from "../../scripts/process.mjs";

/**
 * A request handler that serves the example in this folder of examples/, in React's development mode. `files` are those that become
 * scripts, by their paths in URLs.
 */
export async function example(name, files = { "/app.js": "app.tsx" }) {
  const folder = path.join("examples", name);
  const paths = Object.entries(files).map(([url, file]) => [url, path.join(folder, file)]);
  const scripts = await bundledForPages(Object.fromEntries(paths));
  const page = readFileSync(path.join(root, folder, "index.html"), "utf8");
  return (request, response, pathname) => {
    if (pathname !== "/") return scripts(request, response, pathname);
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
    return true;
  };
}

/** A request handler that serves bundles: for each path of a URL the file that it begins with. */
export async function bundledForPages(files) {
  const scripts = new Map();
  for (const [url, file] of Object.entries(files)) {
    const {
      outputFiles: [{ text }],
    } = await build({
      entryPoints: [path.join(root, file)],
      bundle: true,
      write: false,
      format: "esm",
      target: "es2022",
      jsx: "automatic",
      logLevel: "error",
      define: { "process.env.NODE_ENV": '"development"' },
      plugins: [builtLibrary],
    });
    scripts.set(url, text);
  }
  return (_request, response, pathname) => {
    if (!scripts.has(pathname)) return false;
    response.writeHead(200, { "content-type": "text/javascript; charset=utf-8" }).end(scripts.get(pathname));
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
    onResolve({ filter: /^\.\/slim\.js$/ }, ({ importer }) =>
      path.dirname(importer) === dist ? { path: "/threadkeep/slim.js", external: true } : undefined,
    );
  },
};
