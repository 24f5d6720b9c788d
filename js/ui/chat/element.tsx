/** @jsxImportSource preact */
// `<threadkeep-chat>`: a chat as a custom element.
import { render } from "preact";
import { openThread, type Thread, type ThreadOptions } from "../thread/index.js";
import { checked } from "../thread/given.js";
import { ChatView } from "./chat.js";
import type { ChatModel } from "./controls/index.js";
import { Base, upgradeProperties } from "./custom-element.js";
import type { ChatLabels } from "./labels.js";
import { styleSheets } from "./styles/index.js";
import type { VisualizerOption } from "./visualizer.js";

/** Properties that a page may have set before the element was defined. */
const PROPERTIES = ["thread", "options", "visualizer", "labels", "linkOf", "models"] as const;

/**
 * A chat: the messages of a conversation, and the field to write in.
 *
 * Give it `options`, with which it opens a conversation of its own and closes it when it leaves the document, or a `thread`
 * that belongs to you. The attribute `conversation-id` names the conversation to open; without one it is a new one.
 *
 * The attribute `event-id` names the event to show: its message is scrolled to and marked. `shortcuts="off"` leaves all keys but
 * Escape to the page.
 *
 * Events, none of which bubbles: `conversation-open`, with `{ conversationId }` in `detail`; `conversation-error`, with
 * `{ error }`, when opening has failed; `model-change`, with `{ name }`, when the user has chosen a model; `event-missing`, with `{ eventId }`, if no message shows the event of `event-id`.
 */
export class ThreadkeepChat extends Base {
  static readonly observedAttributes = ["conversation-id", "event-id", "shortcuts"];

  readonly #root = this.attachShadow({ mode: "open" });
  #options: ThreadOptions | null = null;
  #given: Thread | null = null;
  /** The thread that this element has opened. */
  #own: Thread | null = null;
  #visualizer: VisualizerOption = "default";
  #labels: Partial<ChatLabels> | undefined;
  #linkOf: ((eventId: string) => string | null | undefined) | undefined;
  #models: readonly ChatModel[] = [];
  #isScheduled = false;
  /** How many threads of the conversation still close: opened before that, it would have the options that it had. */
  #closing = 0;
  /** Another one for each thread, so that nothing of the last one's view is left. */
  #key = 0;

  /** The thread that is shown. Setting one that belongs to you shows it in place of a conversation of the element's own. */
  get thread(): Thread | null {
    return this.#given ?? this.#own;
  }
  set thread(thread: Thread | null) {
    checked(
      "thread must be a Thread, or null",
      () => thread === null || (typeof thread.subscribe === "function" && typeof thread.getSnapshot === "function"),
    );
    this.#given = thread;
    void this.#reopen();
  }

  /** The options of `openThread()`. Setting them opens the conversation anew. */
  get options(): ThreadOptions | null {
    return this.#options;
  }
  set options(options: ThreadOptions | null) {
    this.#options = options;
    this.#closing++;
    void this.#reopen().then(() => (this.#closing--, this.#schedule()));
  }

  /** Decides how parts of messages are shown. Default: `"default"`. */
  get visualizer(): VisualizerOption {
    return this.#visualizer;
  }
  set visualizer(visualizer: VisualizerOption) {
    this.#visualizer = visualizer;
    this.#schedule();
  }

  /** Texts in place of the English ones. */
  get labels(): Partial<ChatLabels> | undefined {
    return this.#labels;
  }
  set labels(labels: Partial<ChatLabels> | undefined) {
    this.#labels = labels;
    this.#schedule();
  }

  /** The address at which the page shows an event. With it, each message has a button that copies its own. */
  get linkOf(): ((eventId: string) => string | null | undefined) | undefined {
    return this.#linkOf;
  }
  set linkOf(linkOf: ((eventId: string) => string | null | undefined) | undefined) {
    this.#linkOf = linkOf;
    this.#schedule();
  }

  /** The models that the user can choose from where one writes. With fewer than two there is no menu. */
  get models(): readonly ChatModel[] {
    return this.#models;
  }
  set models(models: readonly ChatModel[]) {
    checked(
      "models must be a list of { name, llm }",
      () =>
        Array.isArray(models) && models.every(({ name, llm }) => typeof name === "string" && ["object", "function"].includes(typeof llm)),
    );
    this.#models = models;
    this.#schedule();
  }

  connectedCallback(): void {
    upgradeProperties(this, PROPERTIES);
    this.#root.adoptedStyleSheets = styleSheets();
    this.#schedule();
  }

  disconnectedCallback(): void {
    // An element that is moved is in the document again at once.
    this.#schedule();
  }

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (name !== "conversation-id") return this.#schedule();
    if (before === now || now === this.#own?.getSnapshot().conversationId) return;
    void this.#reopen();
  }

  #reopen(): Promise<void> {
    this.#key++;
    this.#schedule();
    return this.#close();
  }

  async #close(): Promise<void> {
    const own = this.#own;
    this.#own = null;
    // The conversation stays stored; the failure of a close is nothing that a user could act on.
    await own?.close().catch(() => {});
  }

  /** Several properties that are set together are one change. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      if (!this.isConnected) {
        void this.#close();
        render(null, this.#root);
        return;
      }
      if (this.#closing === 0 && this.#given === null && this.#own === null && this.#options !== null) void this.#open(this.#options);
      this.#render();
    });
  }

  async #open(options: ThreadOptions): Promise<void> {
    const id = this.getAttribute("conversation-id");
    let thread: Thread | null = null;
    try {
      this.#own = thread = openThread(id === null ? options : { ...options, conversationId: id });
      const { id: conversationId } = await thread.opened();
      if (this.#own !== thread) return;
      this.setAttribute("conversation-id", conversationId);
      this.dispatchEvent(new CustomEvent("conversation-open", { detail: { conversationId } }));
    } catch (error) {
      if (this.#own === thread) this.dispatchEvent(new CustomEvent("conversation-error", { detail: { error } }));
    }
  }

  readonly #onMissing = (eventId: string): void => {
    this.dispatchEvent(new CustomEvent("event-missing", { detail: { eventId } }));
  };

  readonly #onModelChange = (name: string): void => {
    this.dispatchEvent(new CustomEvent("model-change", { detail: { name } }));
  };

  #render(): void {
    const { thread } = this;
    const view =
      thread === null ? null : (
        <ChatView
          key={this.#key}
          thread={thread}
          visualizer={this.#visualizer}
          labels={this.#labels}
          linkOf={this.#linkOf}
          eventId={this.getAttribute("event-id")}
          onMissing={this.#onMissing}
          models={this.#models}
          onModelChange={this.#onModelChange}
          hasShortcuts={this.getAttribute("shortcuts") !== "off"}
          empty={<slot name="empty" />}
        />
      );
    render(view, this.#root);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "threadkeep-chat": ThreadkeepChat;
  }
}
