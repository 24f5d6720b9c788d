// The tools of one open conversation.
import { newId } from "../input/arguments.js";
import { ThreadkeepError } from "../input/errors.js";
import type { ToolProgressEvent } from "../events/events.js";
import { withTimeout } from "../store/inventory.js";
import type { Secrets } from "../secrets/secrets.js";
import { part } from "../wasm/wasm.js";
import type { LazyHome } from "../workspace/workspace.js";
import type { CoreTool, Tool, ToolContext, ToolConversation, ToolPlace } from "./types.js";

/** How many milliseconds `close()` waits for tools, and for a store that deletes the conversation. @internal */
export const closingTimeout = 5_000;

/** The part of their session that the tools use. */
export interface ToolSession extends Pick<ToolPlace, "load" | "startTasks"> {
  readonly home: LazyHome;
  readonly secrets: Secrets;
  /** Whether the workspace is the conversation's own, or that of the one whose sub-agent it is. */
  readonly ownsWorkspace: boolean;
  emit(event: ToolProgressEvent): void;
  /** Runs a tool of pages in one of them. Resolves to the JSON of the result. */
  runInPage(call: { tool: string; args: string; context: ToolContext }): Promise<string>;
}

/** The context of a call, as the wasm gives it. */
type CoreContext = Omit<ToolContext, "progress" | "secret" | "workspace">;

/** Runs the tools of one conversation, and closes them with it. @internal */
export class ToolCalls {
  /** The conversation as tools of the library see it. */
  conversation: ToolConversation | undefined;
  readonly #tools: readonly Tool[];
  readonly #session: ToolSession;
  /** Those of the library have resources of their own in each conversation. */
  readonly #defined: CoreTool[] = [];
  /** Signals of `executeTool()`, by call id. */
  readonly #signals = new Map<string, AbortSignal>();
  /** The keys of running calls, by call id: no event tells that the changes of `executeTool()` are stored. */
  readonly #keys = new Map<string, string>();

  constructor(tools: readonly Tool[], session: ToolSession) {
    this.#tools = tools;
    this.#session = session;
  }

  /** The tools in the form that the wasm takes. */
  async toCore(tools = this.#tools): Promise<CoreTool[]> {
    if (tools.length === 0) return [];
    const { toCore } = await part(import("./core.js"));
    const defined = await toCore(tools, { place: this.#place(), call: (actionId) => this.#session.home.call(actionId) });
    this.#defined.push(...defined);
    return defined.map((tool) => ({
      ...tool,
      execute: (args: string, given: CoreContext) => {
        const context = this.#context(tool.name, given);
        const isElsewhere = tools.find(({ name }) => name === tool.name)?.runsIn === "page" && "WorkerGlobalScope" in globalThis;
        return isElsewhere ? this.#session.runInPage({ tool: tool.name, args, context }) : tool.execute(args, context);
      },
    }));
  }

  /** The names of the tools that run in a page. */
  get ofPages(): string[] {
    return this.#tools.flatMap(({ name, runsIn }) => (runsIn === "page" ? [name] : []));
  }

  /** The tool in the form that the wasm takes, if it is here. */
  find(name: string): CoreTool | undefined {
    return this.#defined.find((tool) => tool.name === name);
  }

  /** Runs a tool of pages here, for a loop that is in a worker or on a server. Resolves to the JSON of the result. */
  async runHere(name: string, args: string, given: CoreContext, told: (text: string) => void): Promise<unknown> {
    const masked = this.#session.secrets.progress();
    const progress = (text: string) => told(masked(String(text)));
    return this.find(name)!.execute(args, { ...this.#context(name, given), progress });
  }

  /** Where the tools of the library are used. */
  #place(): ToolPlace {
    const session = this.#session;
    const { workingDir = "", isTransactional } = session.home;
    return {
      workingDir,
      isTransactional,
      isOwn: session.ownsWorkspace,
      secretNames: () => session.secrets.names,
      load: (load) => session.load(load),
      startTasks: (options) => session.startTasks(options),
    };
  }

  #context(name: string, given: CoreContext): ToolContext {
    const { toolCallId } = given;
    if (this.#keys.has(toolCallId)) this.#keys.set(toolCallId, given.idempotencyKey);
    const hostSignal = this.#signals.get(toolCallId);
    const signal = hostSignal ? AbortSignal.any([given.signal, hostSignal]) : given.signal;
    const masked = this.#session.secrets.progress();
    const progress = (text: string) => {
      this.#session.emit({ kind: "ToolProgressEvent", tool_call_id: toolCallId, tool_name: name, text: masked(String(text)) });
    };
    const context = {
      ...given,
      signal,
      progress,
      secret: (name: string) => this.#session.secrets.value(name, signal),
      workspace: this.#session.home.workspace,
    };
    return Object.assign(context, { conversation: this.conversation, isDirect: this.#keys.has(toolCallId) });
  }

  /** Makes a call under a new id; rejects as soon as the signal is aborted. */
  async withSignal<T>(signal: AbortSignal | undefined, makeCall: (id: string) => Promise<T>): Promise<T> {
    const id = `call_${newId()}`;
    const call = async (id: string) => {
      this.#keys.set(id, "");
      try {
        const result = await makeCall(id);
        this.#session.home.committed(this.#keys.get(id)!);
        return result;
      } finally {
        this.#keys.delete(id);
      }
    };
    if (!signal) return call(id);
    let stop!: () => void;
    const stopped = new Promise<never>((_, reject) => {
      stop = () => reject(new ThreadkeepError("aborted", "the call was stopped by its signal", { cause: signal.reason }));
    });
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    this.#signals.set(id, signal);
    try {
      return await Promise.race([stopped, signal.aborted ? stopped : call(id)]);
    } finally {
      signal.removeEventListener("abort", stop);
      this.#signals.delete(id);
    }
  }

  /** Closes all tools. If one fails or takes too long, the others and the conversation are closed all the same. */
  async close(): Promise<void> {
    const closing = [...this.#tools, ...this.#defined, this.#session.home].map(async (tool) => {
      try {
        await tool.close?.();
      } catch (error) {
        // A tool's error surfaces as an uncaught error.
        queueMicrotask(() => {
          throw error;
        });
      }
    });
    await withTimeout(Promise.all(closing), closingTimeout);
  }
}
