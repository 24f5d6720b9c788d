// A WebDAV server and an S3-like server as places of mirrors: installed once in the user's cache folder, from servers/package-lock.json,
// which names every package with its hash.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request as ask } from "node:http";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { run } from "../../scripts/process.mjs";
import { caches, madeOnce, tried } from "../support/made-once.mjs";

const folder = path.join(import.meta.dirname, "servers");

/** The folder with their packages. */
async function installed() {
  const lock = readFileSync(path.join(folder, "package-lock.json"));
  const cache = path.join(caches, `threadkeep-places-${createHash("sha256").update(lock).digest("hex").slice(0, 12)}`);
  await madeOnce(cache, path.join(cache, "ready.json"), async () => {
    console.error("a WebDAV and an S3-like server: installing (about 17 MB, half a minute)");
    for (const name of ["package.json", "package-lock.json"]) cpSync(path.join(folder, name), path.join(cache, name));
    await tried(3, () => run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: cache, stdio: ["ignore", 2, 2] }));
  });
  return cache;
}

/**
 * Starts both. Returns `{ mounts, directory, close() }`: with the mounts, a page's own server passes requests below `/dav/` and
 * `/backup` on to them. `null` where they cannot be installed: that is reported, and in CI it is an error.
 */
export async function startPlaces() {
  let packages;
  try {
    packages = await installed();
  } catch (error) {
    if (process.env.CI) throw error;
    console.log(`\nNOT CHECKED: mirrors against a WebDAV and an S3-like server: ${error.message}`);
    return null;
  }
  const directory = mkdtempSync(path.join(os.tmpdir(), "threadkeep-places-"));
  mkdirSync(directory, { recursive: true });
  const child = spawn(process.execPath, [path.join(folder, "serve.mjs"), packages, directory], { stdio: ["ignore", "pipe", "inherit"] });
  const close = async () => {
    if (child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const ports = JSON.parse(line);
  return { mounts: { "/dav/": passedTo(ports.webdav), "/backup": passedTo(ports.s3) }, directory, close };
}

/** Passes a request on as it is, also the name of the host, which is a part of what is signed. */
function passedTo(port) {
  return (request, response) => {
    const { method, headers, url } = request;
    const passed = ask({ host: "127.0.0.1", port, method, headers, path: url }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
    return true;
  };
}
