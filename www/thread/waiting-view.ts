// Shows what a run waits for (the network, or a server that asked for a pause), and counts down.

import { el } from "../shell/dom.ts";
import { entry } from "./event-views.ts";
import { sentence, titleOf } from "../shell/failures.ts";
import type { Session, Waiting } from "./session.ts";

export class WaitingView {
  readonly element: HTMLElement;
  readonly waiting: Waiting;
  #count = el("p", { class: "countdown" });
  #timer: ReturnType<typeof setInterval>;

  constructor(session: Session, waiting: Waiting) {
    this.waiting = waiting;
    const now = el("button", { type: "button", class: "button small", onclick: () => session.conversation.retryNow() }, "Try now");
    this.element = entry("next", el("h2", { class: "next-title" }, titleOf(waiting.why)), el("p", { class: "quiet" }, sentence(waiting.message)), this.#count, el("div", { class: "buttons" }, now));
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "Waiting");
    this.#draw();
    this.#timer = setInterval(() => this.#draw(), 250);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #draw(): void {
    const left = Math.max(0, Math.ceil((this.waiting.until - Date.now()) / 1000));
    this.#count.textContent = left === 0 ? "Trying again…" : `What you wrote is stored. Trying again in ${left} s.`;
  }
}
