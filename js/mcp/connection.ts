// A connection to a server, whichever way it is reached.
import type { OAuthLogin } from "./oauth.js";
import type { ServerOptions } from "./options.js";

export interface Connection {
  /** The tools, unchecked. */
  list(signal: AbortSignal): Promise<unknown[]>;
  /** The result of a call, unchecked. @throws CallFailure if it is known what became of the call */
  call(tool: string, args: object, options: CallOptions): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  /** Sent to the server, which can recognise a repeated call by it. */
  idempotencyKey: string;
  onProgress(text: string): void;
}

export interface ConnectionEvents {
  onListChanged(): void;
  /** The connection is lost; a new one has to be made. */
  onLost(why: string): void;
}

/** A failure whose meaning is known. `message` is for the model and for people. */
export class CallFailure extends Error {
  /**
   * `"session"`: the server does not know this connection any more and has not made the call. `"login"`: it asks for a
   * login. `"lost"`: the connection broke.
   */
  readonly kind: "session" | "login" | "lost" | "failed";

  constructor(kind: CallFailure["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

export async function connect(options: ServerOptions, login: OAuthLogin | undefined, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
  if (options.page) {
    if (!options.page.tools) throw new CallFailure("failed", "this browser has no tools of pages (document.modelContext)");
    return (await import("./page-tools.js")).connectToPage(options.page.tools, events.onListChanged);
  }
  return (await import("./client.js")).connectClient(options, login, events, signal);
}
