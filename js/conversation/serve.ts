// `serveConversations()`: the part that has to hear from pages before anything is loaded.
import { ThreadkeepError } from "../input/errors.js";
import { part } from "../wasm/wasm.js";
import type { Greeting } from "./home/messages.js";
import type { ServedOptions } from "./types.js";

let isServed = false;

/**
 * Makes this worker the home of the conversations that pages open with `home`: their loops run here, and go on when the page that has
 * begun them is closed, as long as the worker lives. A conversation is closed when no page shows it and nothing runs.
 * `options` are those of `Conversation.open()` for all of them, or a function that returns them for one. To be called while the
 * script of the worker runs, before it awaits anything.
 * @throws ThreadkeepError `invalid_state` outside of workers, and when it is called again
 */
export function serveConversations(options: ServedOptions): void {
  if (!("WorkerGlobalScope" in globalThis) || isServed)
    throw new ThreadkeepError("invalid_state", "serveConversations() is called once, in a worker");
  isServed = true;
  const home = part(import("./home/serving.js")).then(({ homeFor }) => homeFor(options));
  const hear = (event: Event) => {
    const { data, ports } = event as MessageEvent<Partial<Greeting> | null>;
    // A page that gets no answer runs its conversations itself.
    if (data?.threadkeep === "page") void home.then(({ greet }) => greet(ports[0]!, data.lock!));
  };
  addEventListener("message", hear);
  // Of a shared worker, which has a port for each page.
  addEventListener("connect", (event) => {
    const [port] = (event as MessageEvent).ports;
    port!.addEventListener("message", hear);
    port!.start();
  });
}
