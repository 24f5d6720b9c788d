// Serves a folder over HTTP for development and tests: with MIME types, without caching, and nothing outside the folder.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";

const types = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
  ".zip": "application/zip",
};

/** The file in `folder` for a URL path, or `undefined` for a path outside of it or a hidden file. */
export function fileFor(folder, urlPath) {
  let decoded;
  try {
    decoded = decodeURIComponent(urlPath);
  } catch {
    return undefined;
  }
  const parts = decoded.split("/").filter((part) => part !== "");
  if (parts.some((part) => part.startsWith(".") || /[\\\0]/.test(part))) return undefined;
  return path.join(folder, ...parts);
}

/** A handler `(request, response, urlPath)` that resolves to whether it answered; it does not answer for missing files. */
export function staticFiles(folder) {
  return async (request, response, urlPath) => {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const file = fileFor(folder, urlPath.endsWith("/") ? `${urlPath}index.html` : urlPath);
    const found = file && (await stat(file).catch(() => undefined));
    if (!found?.isFile()) return false;
    response.writeHead(200, {
      "content-type": types[path.extname(file)] ?? "application/octet-stream",
      "content-length": found.size,
      "cache-control": "no-store",
    });
    if (request.method === "HEAD") response.end();
    else createReadStream(file).on("error", () => response.destroy()).pipe(response);
    return true;
  };
}
