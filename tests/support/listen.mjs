// Free ports of this machine, and a request handler on one.
import { randomInt } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { createServer } from "node:net";

/** Returns { port, origin, close() }; `close` does not wait for clients that keep their connection. A `port` may be named. */
export async function listen(handler, port = 0) {
  const server = http.createServer(async (request, response) => {
    try {
      await handler(request, response);
    } catch (error) {
      // The client left before it had sent all, such as a browser that is killed.
      if (error.code !== "ECONNRESET" || !request.errored) throw error;
    }
  });
  // After five seconds without a request a connection would end, just when a slow machine sends the next one.
  server.keepAliveTimeout = 600_000;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  ({ port } = server.address());
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { port, origin: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

/** A free port of those that systems do not give to connections, so that nothing takes it before the server that gets its number. */
export async function freePort() {
  const port = randomInt(10_000, 32_000);
  const server = createServer().listen(port, "127.0.0.1");
  const isFree = await once(server, "listening").then(
    () => true,
    () => false,
  );
  if (!isFree) return freePort();
  server.close();
  await once(server, "close");
  return port;
}
