// Servers that others have written, started on free ports of this machine.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { root } from "../../scripts/process.mjs";
import { python } from "../interop/setup.mjs";
import { freePort } from "../support/listen.mjs";

const packages = path.join(root, "node_modules/@modelcontextprotocol");

/** The protocol's reference server for tests of clients, in TypeScript. `kind`: "streamableHttp" or "sse". */
export async function everything(kind, { port } = {}) {
  const chosen = port ?? (await freePort());
  const server = await started(
    [process.execPath, path.join(packages, "server-everything/dist/index.js"), kind],
    { PORT: String(chosen) },
    new RegExp(`port ${chosen}`),
  );
  return { ...server, port: chosen, url: `http://127.0.0.1:${chosen}/${kind === "sse" ? "sse" : "mcp"}` };
}

/** The example server of the TypeScript SDK with its own authorization server, which asks nobody anything. */
export async function withLogin() {
  const [port, authPort] = [await freePort(), await freePort()];
  const file = path.join(packages, "sdk/dist/esm/examples/server/simpleStreamableHttp.js");
  const server = await started(
    [process.execPath, file, "--oauth"],
    { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) },
    new RegExp(`port ${port}`),
  );
  return { ...server, url: `http://localhost:${port}/mcp` };
}

/** FastMCP, in Python; `undefined` if this machine has no Python for it. */
export async function fastMCP({ port } = {}) {
  const { argv, env, reason } = await python();
  if (!argv) return { reason };
  const chosen = port ?? (await freePort());
  const server = await started(
    [...argv, path.join(import.meta.dirname, "fastmcp_server.py"), String(chosen)],
    env,
    /Uvicorn running|Application startup complete/,
  );
  return { ...server, port: chosen, url: `http://127.0.0.1:${chosen}/mcp` };
}

/** Starts a program, and waits for the line with which it says that it listens. */
async function started([program, ...args], env, ready) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  await new Promise((resolve, reject) => {
    const read = (chunk) => {
      output += chunk;
      if (ready.test(output)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.on("exit", (code) => reject(new Error(`${args[0]} ended with ${code}: ${output.slice(-2000)}`)));
  });
  return {
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}
