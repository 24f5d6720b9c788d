// The development server gives out what lies in its folder, and nothing else.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { staticFiles } from "../../scripts/static-files.mjs";
import { listen } from "../support/listen.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "threadkeep-static-"));
let server;
before(async () => {
  mkdirSync(path.join(folder, "site/.hidden"), { recursive: true });
  for (const [name, content] of [
    ["secret.txt", "secret"],
    ["site/index.html", "start"],
    ["site/a b.wasm", "wasm"],
    ["site/.hidden/x.txt", "hidden"],
  ]) {
    writeFileSync(path.join(folder, name), content);
  }
  const files = staticFiles(path.join(folder, "site"));
  server = await listen(async (request, response) => {
    const [urlPath] = request.url.split("?");
    if (!(await files(request, response, urlPath))) response.writeHead(404).end();
  });
});
after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** The raw path, unchanged: fetch would normalize it before sending. */
function get(urlPath, method = "GET") {
  return new Promise((resolve, reject) => {
    const request = http.request({ port: server.port, host: "127.0.0.1", path: urlPath, method }, (response) => {
      let text = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk) => (text += chunk))
        .on("end", () => resolve({ status: response.statusCode, type: response.headers["content-type"], text }));
    });
    request.on("error", reject).end();
  });
}

test("files have their types, folders their start page, and no response is cached", async () => {
  assert.deepEqual(await get("/"), { status: 200, type: "text/html; charset=utf-8", text: "start" });
  assert.deepEqual(await get("/a%20b.wasm"), { status: 200, type: "application/wasm", text: "wasm" });
  assert.deepEqual(await get("/index.html", "HEAD"), { status: 200, type: "text/html; charset=utf-8", text: "" });
});

for (const urlPath of [
  "/../secret.txt",
  "/..%2fsecret.txt",
  "/%2e%2e/secret.txt",
  "/x/../../secret.txt",
  "/..\\secret.txt",
  "/.hidden/x.txt",
  "/%ff",
  "/%00",
  "/nothing",
]) {
  test(`nothing at ${urlPath}`, async () => {
    const { status, text } = await get(urlPath);
    assert.deepEqual([status, text], [404, ""]);
  });
}

test("as on the web, files are compressed for whoever can read that", async () => {
  const files = staticFiles(path.join(folder, "site"), { compress: true });
  const compressing = await listen((request, response) => files(request, response, request.url));
  const asked = async (accepts) => {
    const response = await fetch(`${compressing.origin}/index.html`, { headers: { "accept-encoding": accepts } });
    return [response.headers.get("content-encoding"), await response.text()];
  };
  assert.deepEqual(await asked("gzip, br"), ["br", "start"]);
  assert.deepEqual(await asked("gzip"), [null, "start"]);
  await compressing.close();
});
