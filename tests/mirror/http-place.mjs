// A server with the four functions of a place, in a process of its own, so that it can be killed: files in a directory, each written
// beside its place and moved there.
//   node http-place.mjs DIRECTORY PORT
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { isProgram } from "../../scripts/process.mjs";

/** Starts one; `port` is 0 for any. Returns `{ port, kill() }`. */
export async function startPlace(directory, port = 0) {
  const child = spawn(process.execPath, [import.meta.filename, directory, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return {
    port: Number(line),
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

/** The files in a directory by their paths, without those that were being written. */
export function filesIn(directory) {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => path.relative(directory, path.join(parentPath, name)).split(path.sep).join("/"));
  return new Map(paths.filter((name) => !name.startsWith(".new-")).map((name) => [name, readFileSync(path.join(directory, name))]));
}

if (isProgram(import.meta.url)) {
  const [, , directory, port] = process.argv;
  let written = 0;
  const answers = {
    POST: (name) => JSON.stringify([...filesIn(directory).keys()].filter((each) => each.startsWith(name))),
    GET: (name) => readFileSync(path.join(directory, name)),
    PUT(name, body) {
      const beside = path.join(directory, `.new-${process.pid}-${written++}`);
      writeFileSync(beside, body);
      mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
      renameSync(beside, path.join(directory, name));
      return "";
    },
    DELETE(name) {
      rmSync(path.join(directory, name), { force: true });
      return "";
    },
  };
  const server = createServer(async (request, response) => {
    const open = { "access-control-allow-origin": "*", "access-control-allow-methods": "*" };
    if (request.method === "OPTIONS") return response.writeHead(204, open).end();
    const body = await buffer(request).catch(() => undefined);
    if (!body) return response.destroy();
    try {
      const answer = answers[request.method](decodeURIComponent(request.url.slice(1)), body);
      response.writeHead(200, open).end(answer);
    } catch (error) {
      response.writeHead(error.code === "ENOENT" ? 404 : 500, open).end(String(error));
    }
  });
  server.listen(Number(port), "127.0.0.1", () => console.log(server.address().port));
}
