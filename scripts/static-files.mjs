// Serves a folder over HTTP for development and tests: with MIME types, without caching, and nothing outside the folder.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createBrotliCompress } from "node:zlib";

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

/** Files that become smaller: the others are compressed already. */
const compressible = /^(text\/|application\/(json|wasm|manifest\+json)|image\/svg)/;

/**
 * A handler `(request, response, urlPath)` that resolves to whether it answered; it does not answer for missing files.
 * `compress`: as a host on the web would, with Brotli.
 */
export function staticFiles(folder, { compress = false } = {}) {
  return async (request, response, urlPath) => {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const file = fileFor(folder, urlPath.endsWith("/") ? `${urlPath}index.html` : urlPath);
    const found = file && (await stat(file).catch(() => undefined));
    if (!found?.isFile()) return false;
    const type = types[path.extname(file)] ?? "application/octet-stream";
    const brotli = compress && compressible.test(type) && /\bbr\b/.test(request.headers["accept-encoding"] ?? "");
    response.writeHead(200, {
      "content-type": type,
      ...(brotli ? { "content-encoding": "br" } : { "content-length": found.size }),
      "cache-control": "no-store",
    });
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
    if (request.method === "HEAD") response.end();
    // A failure destroys the response, and there is nobody else to tell.
    else pipeline([createReadStream(file), ...(brotli ? [createBrotliCompress(quality)] : []), response]).catch(() => {});
    return true;
  };
}
