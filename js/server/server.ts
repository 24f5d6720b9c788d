// An OpenHands agent server as the home of conversations. The code that speaks to it is loaded with the first one.

export interface AgentServerOptions {
  /** The address of the server, such as `https://agents.example` or `http://127.0.0.1:8000`. */
  host: string;
  /** The session key that the server was started with. It goes to this server only, in a header or the first frame of a socket. */
  apiKey?: string | undefined;
  /** The directory on the server in which the agent of a new conversation works. */
  workingDir: string;
}

/** See `agentServer()`. */
export class AgentServer {
  // Not a property, so that no log shows the key.
  readonly #options: AgentServerOptions;

  /** @internal */
  constructor(options: AgentServerOptions) {
    this.#options = options;
  }

  /** The options that `agentServer()` was called with. @internal */
  static optionsOf(server: AgentServer): AgentServerOptions {
    return server.#options;
  }
}

/**
 * An agent server as the home of a conversation: `Conversation.open({ agent, home: agentServer({ host, apiKey, workingDir }) })`. The
 * agent runs there, with the tools of the server; this page shows what happens, keeps a copy, passes on what it is asked, and carries
 * out the calls of tools that were made with `tool()`. The options are checked by `open()`.
 */
export function agentServer(options: AgentServerOptions): AgentServer {
  return new AgentServer(options);
}
