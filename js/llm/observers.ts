// Observers of the requests to models, for tools such as `threadkeep/devtools`.

/** A request to a model as it is sent, except that keys and secrets in it are hidden. Headers are not shown at all. */
export interface ObservedRequest {
  conversationId: string;
  /** Without its query, which may be secret. */
  url: string;
  /** JSON text in the wire API of the model. */
  body: string;
  /** The text with the keys and secrets hidden that the conversation knows, for what a server sends back. */
  masked(text: string): string;
}

/** Called as the exchange proceeds. */
export interface ObservedExchange {
  /** The answer begins. */
  onResponse?(status: number): void;
  /** Bytes of the answer have arrived. */
  onBytes?(bytes: Uint8Array): void;
  /** It is over, complete or not. Without a preceding `onResponse` there was no answer. */
  onEnd?(): void;
}

export type RequestObserver = (request: ObservedRequest) => ObservedExchange | void;

const observers = new Set<RequestObserver>();
const exchanges = new WeakMap<AbortController, ObservedExchange[]>();

/**
 * Calls `observer` with every request that a conversation of this page sends to a model from now on, also for summaries,
 * questions and titles. Returns a function that ends this. Nothing is changed or delayed, and an observer that throws
 * stops nothing.
 */
export function observeRequests(observer: RequestObserver): () => void {
  const own: RequestObserver = (request) => observer(request);
  observers.add(own);
  return () => void observers.delete(own);
}

/** An exchange begins: returns a function that takes the request, if anybody observes. @internal */
export function observed(
  conversationId: string,
  controller: AbortController,
  masked: (text: string) => string,
): ((url: string, body: string) => void) | undefined {
  if (observers.size === 0) return undefined;
  return (url, body) => {
    const request = { conversationId, url: masked(url.split(/[?#]/, 1)[0]!), body: masked(body), masked };
    const begun: ObservedExchange[] = [];
    each(observers, (observer) => {
      const exchange = observer({ ...request });
      if (exchange) begun.push(exchange);
    });
    exchanges.set(controller, begun);
  };
}

/** Tells the observers of this exchange. @internal */
export function tell(controller: AbortController, call: (exchange: ObservedExchange) => void): void {
  each(exchanges.get(controller) ?? [], call);
}

function each<T>(all: Iterable<T>, call: (one: T) => void): void {
  for (const one of all) {
    try {
      call(one);
    } catch (error) {
      // As for listeners of a conversation: it surfaces as an uncaught error.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
