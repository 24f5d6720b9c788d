// The fake model as a server; model/script.mjs describes its scripts.
import { once } from "node:events";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import { listen } from "./listen.mjs";
import { ScriptedModel } from "./model/script.mjs";

const cors = {
  "access-control-allow-origin": "*",
  "access-control-allow-headers": "*, authorization",
  "access-control-allow-methods": "GET, POST, OPTIONS",
  "access-control-expose-headers": "*",
  "access-control-max-age": "600",
};

/** A model that follows `script`. Mount its `handle`, let it `listen()` on a port of its own, or give its `fetch` to an LLM. */
export function createModel(script, options) {
  return new Model(script, options);
}

class Model extends ScriptedModel {
  /** A node:http request listener. */
  handle = async (request, response) => {
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === "OPTIONS") return response.writeHead(204).end();
    const body = await buffer(request);
    const { method, url, headers } = request;
    const exchange = this.begin({ method, url, headers, text: decoded(body) });
    response.on("close", () => exchange.ended(response.writableFinished));
    const answer = await exchange.answer();
    response.writeHead(answer.status, answer.headers);
    if (typeof answer.body === "string") return response.end(answer.body);
    // Each write shall reach the client as it is, and the headers before the first of them.
    response.socket?.setNoDelay(true);
    response.flushHeaders();
    try {
      for await (const bytes of answer.body) {
        if (response.destroyed) return;
        // Otherwise several writes would leave as one.
        await turnOfTheLoop();
        if (!response.write(bytes)) await Promise.race([once(response, "drain"), once(response, "close")]);
      }
    } catch {
      return response.destroy();
    }
    response.end();
  };

  /** Serves it alone. Returns { origin, baseUrl, close() }. */
  async listen(port) {
    const server = await listen(this.handle, port);
    return { ...server, baseUrl: `${server.origin}/v1` };
  }
}

/** Bytes that are no UTF-8 become a text that is no JSON. */
function decoded(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "bytes that are no UTF-8";
  }
}
