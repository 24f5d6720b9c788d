/** @jsxImportSource preact */
// `<threadkeep-inspector>`: the record of an inspector as a panel.
import { render } from "preact";
import { type Conversation, ThreadkeepError } from "threadkeep";
import { type Inspector, inspect } from "./inspector.js";
import { style } from "./style.js";
import { InspectorView } from "./view.js";

/** A server has no DOM: there the module can be imported, but nothing is defined. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * A panel for developers: requests and answers as they are sent, events, statuses, costs and storage.
 *
 * Set `conversation` to the conversation to watch. Requests are recorded while the element is in the document; to record
 * from the beginning of the page, set `inspector` to one of your own, which then stays yours to close.
 */
export class ThreadkeepInspector extends Base {
  readonly #root = this.attachShadow({ mode: "open" });
  #given: Inspector | null = null;
  #own: Inspector | null = null;
  #conversation: Conversation | null = null;
  #end: (() => void) | null = null;

  get inspector(): Inspector | null {
    return this.#given ?? this.#own;
  }
  set inspector(inspector: Inspector | null) {
    this.#stop();
    this.#given = inspector;
    if (this.isConnected) this.#start();
  }

  get conversation(): Conversation | null {
    return this.#conversation;
  }
  set conversation(conversation: Conversation | null) {
    if (conversation !== null && typeof conversation.subscribe !== "function")
      throw new ThreadkeepError("invalid_options", "conversation must be an open Conversation, or null");
    this.#stop();
    this.#conversation = conversation;
    if (this.isConnected) this.#start();
  }

  connectedCallback(): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    this.#root.adoptedStyleSheets = [sheet];
    for (const name of ["inspector", "conversation"] as const) {
      // Set before the element was defined.
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, value);
    }
    this.#start();
  }

  disconnectedCallback(): void {
    this.#stop();
    this.#own?.close();
    this.#own = null;
    render(null, this.#root);
  }

  #start(): void {
    const inspector = this.#given ?? (this.#own ??= inspect());
    this.#stop();
    if (this.#conversation) this.#end = inspector.watch(this.#conversation);
    render(<InspectorView inspector={inspector} conversation={this.#conversation} />, this.#root);
  }

  #stop(): void {
    this.#end?.();
    this.#end = null;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "threadkeep-inspector": ThreadkeepInspector;
  }
}

if (globalThis.customElements && !customElements.get("threadkeep-inspector"))
  customElements.define("threadkeep-inspector", ThreadkeepInspector);
