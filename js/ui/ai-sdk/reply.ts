// The stream of an answer, as `useChat` reads it: from events of the conversation, until the run ends or the user's next
// message begins another answer.
import type { UIMessageChunk } from "ai";
import type { ConversationEvent, LiveEvent, RunResult } from "threadkeep";
import { codeOf } from "../thread/fields.js";
import { Answer } from "./answer.js";
import { openCalls } from "./approvals.js";
import type { OpenChat } from "./open-chat.js";
import { isUserMessage } from "./parts.js";

export class Reply {
  readonly stream: ReadableStream<UIMessageChunk>;
  readonly answer: Answer;
  readonly #chat: OpenChat;
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: () => void;
  readonly #chunks: UIMessageChunk[] = [];
  /** Events that came before it was known where the answer begins; `null` once it has begun. */
  #before: Array<ConversationEvent | LiveEvent> | null = [];
  /** The message of the user that the answer follows. */
  #question: string | null = null;
  #end: { error?: unknown } | null = null;
  #wake: (() => void) | null = null;

  /** Hears the events from now on. An aborted `signal` stops the run, unless another stream of the chat has been asked for. */
  constructor(chat: OpenChat, signal: AbortSignal | undefined) {
    this.#chat = chat;
    this.#signal = signal;
    this.answer = new Answer((chunk) => this.#add(chunk));
    this.#unsubscribe = chat.conversation.subscribe((event) => this.#hear(event));
    // A view that is shown again aborts its first stream and asks for another one at the same moment.
    const stop = () => queueMicrotask(() => void (chat.latest === this && chat.run && chat.conversation.interrupt().catch(() => {})));
    signal?.addEventListener("abort", stop, { once: true });
    chat.latest = this;
    // Without a buffer of its own: an error would discard what is in it.
    this.stream = new ReadableStream({ pull: (controller) => this.#pull(controller), cancel: () => this.end() }, { highWaterMark: 0 });
  }

  /** The answer begins: with the next event, or after this message of the user, which may wait for the end of an earlier answer. */
  begin(question?: string): void {
    const before = this.#before ?? [];
    this.#question = question ?? null;
    const at = before.findIndex((event) => "id" in event && event.id === question);
    if (question !== undefined && at < 0) return;
    this.#before = null;
    if (at >= 0) for (const event of before.slice(at + 1)) this.#take(event);
  }

  /** Begins with these events of the log and the pieces of the answer that is coming, and goes on with what came meanwhile. */
  replay(events: readonly ConversationEvent[]): void {
    const stored = (this.#before ?? []).filter((event) => "id" in event);
    this.#before = null;
    for (const event of [...events, ...stored, ...this.#chat.pieces]) this.#take(event);
  }

  /** Runs the agent in this way, or goes on with the run under way; nothing runs if the user has stopped meanwhile. */
  async run(begin: () => PromiseLike<RunResult>): Promise<void> {
    if (this.#signal?.aborted && this.#chat.latest === this) await this.#chat.conversation.interrupt();
    if (this.#signal?.aborted) return this.end();
    void this.follow(this.#chat.start(begin));
  }

  /** Reports how the run ends. */
  async follow(run: Promise<Pick<RunResult, "status">>): Promise<void> {
    try {
      const { status } = await run;
      if (this.#end) return;
      const calls = await openCalls(this.#chat.conversation);
      this.answer.giveUp();
      this.answer.ask(calls);
      if (status === "error" || status === "stuck") return this.end(await this.#failure());
      this.answer.finish(calls.waiting.length > 0 ? "tool-calls" : status === "paused" ? "interrupted" : "stop");
      this.end();
    } catch (error) {
      if (this.#end) return;
      this.answer.giveUp();
      this.end(error);
    }
  }

  /** Ends the stream, with an error after all that has come before. */
  end(...error: [unknown?]): void {
    if (this.#end) return;
    this.#unsubscribe();
    this.#end = error.length > 0 ? { error: error[0] } : {};
    this.#wake?.();
  }

  #hear(event: ConversationEvent | LiveEvent): void {
    if (this.#before === null) return this.#take(event);
    this.#before.push(event);
    if (this.#question !== null && "id" in event && event.id === this.#question) this.begin(this.#question);
  }

  #take(event: ConversationEvent | LiveEvent): void {
    if (this.#end) return;
    if (!("id" in event) || !isUserMessage(event)) return this.answer.take(event);
    this.answer.finish("stop");
    this.end();
  }

  #add(chunk: UIMessageChunk): void {
    const last = this.#chunks.at(-1);
    // A slow reader gets longer pieces, and not more of them.
    if (chunk.type === "text-delta" && last?.type === "text-delta" && last.id === chunk.id) last.delta += chunk.delta;
    else this.#chunks.push(chunk);
    this.#wake?.();
  }

  async #pull(controller: ReadableStreamDefaultController<UIMessageChunk>): Promise<void> {
    while (this.#chunks.length === 0 && !this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = null;
    const next = this.#chunks.shift();
    if (next) controller.enqueue(next);
    else if (this.#end && "error" in this.#end) controller.error(this.#end.error);
    else controller.close();
  }

  /** Why the run has ended, as the log says. */
  async #failure(): Promise<Error> {
    const [event] = await this.#chat.conversation.activeBranch({ limit: 1 });
    return event?.kind === "ConversationErrorEvent"
      ? Object.assign(new Error(event.detail), { code: codeOf(event) })
      : new Error("The run has ended with an error.");
  }
}
