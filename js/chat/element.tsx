/** @jsxImportSource preact */
// `<threadkeep-chat>`: a chat as a custom element.
import { render } from "preact";
import type { Thread } from "../thread/index.js";
import { ChatView } from "./chat.js";

/** Without a DOM, for example on a server, the module can be imported, but nothing is defined. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class ThreadkeepChat extends Base {
  #thread: Thread | null = null;
  #root = this.attachShadow({ mode: "open" });

  get thread(): Thread | null {
    return this.#thread;
  }
  set thread(thread: Thread | null) {
    this.#thread = thread;
    this.#render();
  }

  #render(): void {
    render(this.#thread === null ? null : <ChatView thread={this.#thread} />, this.#root);
  }
}
