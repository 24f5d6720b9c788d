// A request handler on a free port of this machine.
import { once } from "node:events";
import http from "node:http";

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
