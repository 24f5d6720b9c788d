// The tools of one open conversation.
import { newId } from "../input/arguments.js";
import { ThreadkeepError } from "../input/errors.js";
import type { LiveEvent } from "../events/events.js";
import { withTimeout } from "../store/inventory.js";
import type { Secrets } from "../secrets/secrets.js";
import type { Parent } from "../subagents/types.js";
import { part } from "../wasm/wasm.js";
import type { LazyHome } from "../workspace/workspace.js";
import type { CoreTool, Tool, ToolContext, ToolConversation } from "./types.js";

/** How many milliseconds `close()` waits for tools, and for a store that deletes the conversation. @internal */
export const closingTimeout = 5_000;

/** The context of a call, as the wasm gives it. */
type CoreContext = Omit<ToolContext, "progress" | "secret" | "workspace">;

/** Runs the tools of one conversation, and closes them with it. @internal */
export class ToolCalls {
  /** The conversation as tools of the library see it. */
  conversation: ToolConversation | undefined;
  readonly #home: LazyHome;
  readonly #tools: readonly Tool[];
  readonly #emit: (event: LiveEvent) => void;
  readonly #secrets: Secrets;
  readonly #parent: Parent;
  /** Those of the library have resources of their own in each conversation. */
  readonly #defined: CoreTool[] = [];
  /** Signals of `executeTool()`, by call id. */
  readonly #signals = new Map<string, AbortSignal>();
  /** The keys of running calls, by call id: no event tells that the changes of `executeTool()` are stored. */
  readonly #keys = new Map<string, string>();

  constructor(tools: readonly Tool[], emit: (event: LiveEvent) => void, secrets: Secrets, home: LazyHome, parent: Parent) {
    this.#parent = parent;
    this.#home = home;
    this.#tools = tools;
    this.#emit = emit;
    this.#secrets = secrets;
  }

  /** The tools in the form that the wasm takes. */
  async toCore(tools = this.#tools): Promise<CoreTool[]> {
    if (tools.length === 0) return [];
    const { toCore } = await part(import("./core.js"));
    const { workingDir = "", isTransactional } = this.#home;
    const files = { place: { workingDir, isTransactional, isOwn: this.#parent.ownsWorkspace, parent: this.#parent }, call: (actionId: string) => this.#home.call(actionId) };
    const defined = await toCore(tools, files);
    this.#defined.push(...defined);
    return defined.map((tool) => ({
      ...tool,
      execute: (json: string, context: CoreContext) => tool.execute(json, this.#context(tool.name, context)),
    }));
  }

  #context(name: string, given: CoreContext): ToolContext {
    const { toolCallId } = given;
    if (this.#keys.has(toolCallId)) this.#keys.set(toolCallId, given.idempotencyKey);
    const hostSignal = this.#signals.get(toolCallId);
    const signal = hostSignal ? AbortSignal.any([given.signal, hostSignal]) : given.signal;
    const masked = this.#secrets.progress();
    const progress = (text: string) => {
      this.#emit({ kind: "ToolProgressEvent", tool_call_id: toolCallId, tool_name: name, text: masked(String(text)) });
    };
    const context = { ...given, signal, progress, secret: (name: string) => this.#secrets.value(name, signal), workspace: this.#home.workspace };
    return Object.assign(context, { conversation: this.conversation, isDirect: this.#keys.has(toolCallId) });
  }

  /** Makes a call under a new id; rejects as soon as the signal is aborted. */
  async withSignal<T>(signal: AbortSignal | undefined, makeCall: (id: string) => Promise<T>): Promise<T> {
    const id = `call_${newId()}`;
    const call = async (id: string) => {
      this.#keys.set(id, "");
      try {
        const result = await makeCall(id);
        this.#home.committed(this.#keys.get(id)!);
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
    const closing = [...this.#tools, ...this.#defined, this.#home].map(async (tool) => {
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
