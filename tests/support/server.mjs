// A server for page tests on a free port: the library under /threadkeep/, test pages under /pages/, the demo page
// under /, and a model under /v1/.
import { once } from "node:events";
import http from "node:http";
import { site } from "../../scripts/site.mjs";

/** Takes the options of `site()`. Returns { origin, port, close() }. */
export async function startServer({ mounts, ...options } = {}) {
  const server = http.createServer(site({ ...options, mounts: { "/pages/": "tests/browser/pages", ...mounts } }));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
    async [Symbol.asyncDispose]() {
      await this.close();
    },
  };
}
