/** @jsxImportSource preact */
// `<threadkeep-conversations>`: the list of stored conversations as a custom element.
import { render } from "preact";
import type { Store } from "threadkeep";
import type { ThreadkeepChat } from "../chat/element.js";
import { Base, upgradeProperties } from "../chat/custom-element.js";
import { checked } from "../thread/given.js";
import type { Importable } from "./importing.js";
import type { ConversationsLabels } from "./labels.js";
import { styleSheets } from "./styles/index.js";
import { type ConversationsHandle, ConversationsView, type ConversationsViewProps, type Selection } from "./view.js";

/** Properties that a page may have set before the element was defined. */
const PROPERTIES = ["chat", "store", "labels", "linkOf", "beforeDelete"] as const;

/**
 * The list of the stored conversations.
 *
 * With `chat` it opens what the user chooses in that `<threadkeep-chat>`, and marks what is open there. Without it, listen to
 * `conversation-select`, or give it `linkOf` with the addresses of conversations in your page.
 *
 * The attribute `conversation-id` names the conversation that is marked as the open one; with `chat` the element sets it. With the
 * attribute `trash-days` what has been in the trash for so many days is deleted when a page starts; without it nothing is.
 *
 * Events, none of which bubbles: `conversation-select`, with `{ conversationId, eventId }` in `detail`, both `null` for a new
 * conversation, and `conversation-import`, with `{ imported, conversationId }`, after which that conversation is selected: what follows
 * either is prevented by `preventDefault()`. `conversation-update`, with `{ conversationIds, changes }`, and `conversation-delete`, with
 * `{ conversationIds }`, when the user has done so here.
 */
export class ThreadkeepConversations extends Base {
  static readonly observedAttributes = ["conversation-id", "trash-days"];

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #handle: { current: ConversationsHandle | null } = { current: null };
  #chat: ThreadkeepChat | null = null;
  #store: Store | undefined;
  #labels: Partial<ConversationsLabels> | undefined;
  #linkOf: ConversationsViewProps["linkOf"];
  #beforeDelete: ConversationsViewProps["beforeDelete"];
  #isScheduled = false;
  /** Whether the user has chosen what the chat opens next, so that the focus goes there. */
  #isChosen = false;

  /** The chat in which conversations are opened. It has `options`; a `thread` of yours it keeps. */
  get chat(): ThreadkeepChat | null {
    return this.#chat;
  }
  set chat(chat: ThreadkeepChat | null) {
    checked("chat must be a <threadkeep-chat>, or null", () => chat === null || typeof chat.addEventListener === "function");
    this.#chat?.removeEventListener("conversation-open", this.#onOpen);
    this.#chat = chat;
    chat?.addEventListener("conversation-open", this.#onOpen);
    this.#mark(chat?.getAttribute("conversation-id") ?? null);
    this.#schedule();
  }

  /** The store of the conversations. Default: that of the options of `chat`, or `indexedDBStore()`. */
  get store(): Store | undefined {
    return this.#store ?? this.#chat?.options?.store;
  }
  set store(store: Store | undefined) {
    this.#store = store;
    this.#schedule();
  }

  /** Texts in place of the English ones. */
  get labels(): Partial<ConversationsLabels> | undefined {
    return this.#labels;
  }
  set labels(labels: Partial<ConversationsLabels> | undefined) {
    this.#labels = labels;
    this.#schedule();
  }

  /** The address of a conversation or of an event in it, and with `null` of a new conversation. With it the rows are links. */
  get linkOf(): ConversationsViewProps["linkOf"] {
    return this.#linkOf;
  }
  set linkOf(linkOf: ConversationsViewProps["linkOf"]) {
    this.#linkOf = linkOf;
    this.#schedule();
  }

  /** Closes a conversation that the page has open, before it is deleted for ever. What `chat` shows is closed by the element. */
  get beforeDelete(): ConversationsViewProps["beforeDelete"] {
    return this.#beforeDelete;
  }
  set beforeDelete(beforeDelete: ConversationsViewProps["beforeDelete"]) {
    this.#beforeDelete = beforeDelete;
  }

  /** Moves the focus to the search field. */
  search(): void {
    this.#handle.current?.search();
  }

  /** What the key Delete does in its row: into the trash, or for good, after a question, what is there or is a server's. */
  async deleteConversation(conversationId: string): Promise<void> {
    await this.#handle.current?.deleteConversation(conversationId);
  }

  /** Imports archives, files of other programs and folders, and shows the progress. Resolves when that is over; a failure is shown. */
  async importFiles(files: readonly Importable[]): Promise<void> {
    await this.#handle.current?.importFiles(files);
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

  attributeChangedCallback(): void {
    this.#schedule();
  }

  /** Several properties that are set together are one change. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#render();
    });
  }

  #mark(conversationId: string | null): void {
    if (conversationId === null) this.removeAttribute("conversation-id");
    else this.setAttribute("conversation-id", conversationId);
  }

  readonly #onOpen = (): void => {
    this.#mark(this.#chat!.getAttribute("conversation-id"));
    // The options may be new, and with them the store.
    this.#schedule();
    if (this.#isChosen) this.#focusChat();
    this.#isChosen = false;
  };

  /** Where one writes; a keyboard of a phone would cover what was opened. */
  #focusChat(): void {
    const isTouched = matchMedia("(pointer: coarse)").matches;
    (this.#chat?.shadowRoot?.querySelector<HTMLElement>(isTouched ? ".scroller" : "textarea") ?? this.#chat)?.focus();
    // A narrow page may have it beside the list, out of sight.
    this.#chat?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  readonly #select = (detail: Selection): boolean => {
    const event = new CustomEvent("conversation-select", { detail, cancelable: true });
    const chat = this.#chat;
    if (!this.dispatchEvent(event)) return true;
    if (chat === null) return false;
    const { conversationId, eventId } = detail;
    const isShown = chat.getAttribute("conversation-id") === conversationId;
    if (eventId === null) chat.removeAttribute("event-id");
    else chat.setAttribute("event-id", eventId);
    if (conversationId === null) chat.removeAttribute("conversation-id");
    else chat.setAttribute("conversation-id", conversationId);
    this.#mark(conversationId);
    if (isShown) this.#focusChat();
    else this.#isChosen = true;
    return true;
  };

  readonly #close = async (conversationId: string): Promise<void> => {
    const thread = this.#chat?.thread;
    if (thread?.getSnapshot().conversationId === conversationId) {
      this.#select({ conversationId: null, eventId: null });
      await thread.close();
    }
    await this.#beforeDelete?.(conversationId);
  };

  readonly #onUpdate: NonNullable<ConversationsViewProps["onUpdate"]> = (conversationIds, changes) =>
    void this.dispatchEvent(new CustomEvent("conversation-update", { detail: { conversationIds, changes } }));

  readonly #onDelete = (conversationIds: readonly string[]): void =>
    void this.dispatchEvent(new CustomEvent("conversation-delete", { detail: { conversationIds } }));

  readonly #onImport: NonNullable<ConversationsViewProps["onImport"]> = (imported, conversationId) => {
    const detail = { imported, conversationId };
    if (!this.dispatchEvent(new CustomEvent("conversation-import", { detail, cancelable: true }))) return false;
    const chat = this.#chat;
    if (chat === null) return;
    const { options } = chat;
    const shown = chat.getAttribute("conversation-id");
    // What is open has gone on in the file: it is opened again.
    if (imported.some(({ id, outcome }) => id === shown && /^(continued|merged)$/.test(outcome))) chat.options = options;
  };

  /** Of what is no number of days nothing follows. */
  get #trashDays(): number | undefined {
    const days = Number.parseFloat(this.getAttribute("trash-days") ?? "");
    return days >= 0 ? days : undefined;
  }

  #render(): void {
    const view = this.isConnected && (
      <ConversationsView
        store={this.store}
        conversationId={this.getAttribute("conversation-id")}
        onSelect={this.#select}
        linkOf={this.#linkOf}
        beforeDelete={this.#close}
        onUpdate={this.#onUpdate}
        onDelete={this.#onDelete}
        onImport={this.#onImport}
        trashDays={this.#trashDays}
        labels={this.#labels}
        handle={this.#handle}
      >
        <slot />
      </ConversationsView>
    );
    render(view || null, this.#root);
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "threadkeep-conversations": ThreadkeepConversations;
  }
}
