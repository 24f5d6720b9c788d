// The transcript: updates the drawn items from the timeline, and scrolls along while the reader is at its end. An item
// that did not change keeps its element, and with it opened details.

import { announce } from "../shell/announcer.ts";
import type { Verbs } from "./branch-views.ts";
import type { Parting } from "./branches.ts";
import type { CallContext } from "./call-view.ts";
import { refreshList } from "../shell/conversation-list.ts";
import { askMessage } from "../shell/dialogs.ts";
import { byId, el } from "../shell/dom.ts";
import { entry, itemView, reasoningView, sentView } from "./event-views.ts";
import { sentence, titleOf } from "../shell/failures.ts";
import { LiveAnswer } from "./live-answer.ts";
import { report } from "../shell/notices.ts";
import { nextStepKey, nextStepView } from "./next-step.ts";
import { goTo } from "../shell/router.ts";
import type { Session } from "./session.ts";
import { SubagentViews } from "./subagent-view.ts";
import { type Call, type Item, type Message, timeline } from "./timeline.ts";
import { lookOf, summaryOf } from "../agent/tools/index.ts";
import { WaitingView } from "./waiting-view.ts";

const NEAR_END = 80;

export class Transcript {
  #session: Session;
  #column = byId("column");
  #scroller = byId("scroller");
  #jump = byId("jump");
  #drawn = new Map<string, { signature: string; element: HTMLElement }>();
  #items = el("div", { class: "items" });
  #live = el("div", { class: "live" });
  #next = el("div", { class: "next" });
  #sent = el("div", { class: "sent" });
  #earlier = el("button", { type: "button", class: "button earlier" }, "Load earlier messages");
  #answer: LiveAnswer | null = null;
  #waiting: WaitingView | null = null;
  #nextKey: string | null = null;
  /** A decision was made while the focus was on the waiting calls. */
  #decided = false;
  #atEnd = true;
  #cancelDraw: (() => void) | null = null;
  #lastDraw = 0;
  /** Another branch is being shown: its messages are not news, and its end is not followed. */
  #isMoving = false;
  #verbs: Verbs = {
    edit: (message) => this.#attempt("The message was not sent again", () => this.#edit(message)),
    answerAgain: () => {
      // The button disappears with the answer.
      this.#scroller.focus({ preventScroll: true });
      this.#scrollToEnd();
      return this.#session.regenerate();
    },
    fork: (eventId) => this.#attempt("The conversation could not be forked", () => this.#fork(eventId)),
    show: (parting, eventId) => this.#attempt("The other version could not be opened", () => this.#show(parting, eventId)),
  };
  #subagents: SubagentViews;
  #afterDialog = (): void => this.#schedule();
  #stops: Array<() => void> = [];

  constructor(session: Session) {
    this.#session = session;
    // Its calls run with those of this conversation, and its messages cannot be edited.
    this.#subagents = new SubagentViews(session.subagents, (item) => itemView(item, { open: session.openCallsAre, progress: undefined, verbs: null, subagentOf: () => null }));
    this.#column.replaceChildren(this.#earlier, warningsView(session), this.#items, this.#live, this.#next, this.#sent);
    this.#earlier.addEventListener("click", () => void this.#loadEarlier());
    this.#listenToScrolling();
    this.#stops.push(session.onChange(() => this.#schedule()));
    this.#draw({ readOut: false });
    this.#scrollToEnd();
  }

  /** Scrolls to the end and follows it, because the user has sent a message. */
  followEnd(): void {
    this.#scrollToEnd();
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#waiting?.stop();
    this.#cancelDraw?.();
    this.#jump.hidden = true;
  }

  /** Draws at most once per frame; if drawing is slow, it leaves time between two draws for everything else. */
  #schedule(): void {
    if (this.#cancelDraw !== null) return;
    const started = performance.now();
    let [frame, timer] = [0, 0];
    const cancel = (): void => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
    const wait = (): void => {
      frame = requestAnimationFrame(tick);
      // A hidden tab gets no frames, but screen reader announcements should not wait for one.
      timer = window.setTimeout(tick, 250);
    };
    const tick = (): void => {
      cancel();
      if (performance.now() - started < this.#lastDraw * 2) return wait();
      this.#cancelDraw = null;
      this.#draw();
    };
    this.#cancelDraw = cancel;
    wait();
  }

  /** Events that were already stored, at opening or on an earlier page, are not announced. */
  #draw({ readOut = true } = {}): void {
    const started = performance.now();
    const session = this.#session;
    this.#earlier.hidden = !session.hasEarlier;
    this.#drawItems(timeline(session.events, session.partings), readOut && !this.#isMoving);
    this.#subagents.update();
    this.#drawLive();
    this.#drawNext();
    this.#drawSent();
    this.#items.classList.toggle("fixed", !session.canBranch);
    this.#items.classList.toggle("continues", session.running || this.#next.childElementCount > 0);
    if (this.#atEnd && !this.#isMoving) this.#scrollToEnd();
    this.#lastDraw = performance.now() - started;
  }

  /** The view keeps its element, and with it the focus, until other calls wait, or it looks different. */
  #drawNext(): void {
    const key = nextStepKey(this.#session);
    if (key !== null && key === this.#nextKey) return;
    // A closing dialog returns the focus to the button that opened it, so the button must still exist.
    const dialog = document.querySelector("dialog:modal");
    if (dialog !== null) return dialog.addEventListener("close", this.#afterDialog);
    const hadFocus = this.#next.contains(document.activeElement);
    const view = nextStepView(this.#session);
    if (key === null && this.#nextKey === null && view !== null && view.textContent === this.#next.textContent) return;
    this.#next.replaceChildren(...(view === null ? [] : [view]));
    this.#nextKey = key;
    if (hadFocus) this.#decided = true;
    const heading = key === null ? null : this.#next.querySelector<HTMLElement>(".next-title");
    if (heading !== null) announce(`${heading.textContent}.`);
    // The focus moves to the next waiting call, or to the text, unless the user has moved it meanwhile.
    const isElsewhere = document.activeElement !== document.body && document.activeElement !== this.#scroller;
    if (!this.#decided || isElsewhere) this.#decided = false;
    else if (heading !== null) heading.focus({ preventScroll: true });
    else this.#scroller.focus({ preventScroll: true });
  }

  #drawItems(items: Item[], readOut: boolean): void {
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, { element }] of this.#drawn) {
      if (keys.has(key)) continue;
      element.remove();
      this.#drawn.delete(key);
    }
    for (const [index, item] of items.entries()) {
      const element = this.#elementFor(item, readOut);
      const there = this.#items.children[index] ?? null;
      if (there !== element) this.#items.insertBefore(element, there);
    }
  }

  #elementFor(item: Item, readOut: boolean): HTMLElement {
    const context = {
      open: this.#session.openCallsAre,
      progress: item.type === "call" ? this.#session.progress.get(item.toolCallId) : undefined,
      verbs: this.#verbs,
      subagentOf: (call: Call) => this.#subagents.of(call),
    };
    const signature = signatureOf(item, context, this.#subagents);
    const drawn = this.#drawn.get(item.key);
    if (drawn?.signature === signature) return drawn.element;
    const element = itemView(item, context);
    if (drawn) {
      keepState(drawn.element, element);
      drawn.element.replaceWith(element);
    }
    this.#drawn.set(item.key, { signature, element });
    if (readOut) this.#announce(item, drawn === undefined);
    return element;
  }

  #drawLive(): void {
    const { draft, running } = this.#session;
    if (this.#drawWaiting()) return;
    if (!running) {
      this.#answer = null;
      this.#live.replaceChildren();
      return;
    }
    if (draft === null || (draft.text === "" && draft.reasoning === "")) {
      this.#answer = null;
      const waits = el("p", { class: "waiting", "aria-label": "Working" }, el("span"), el("span"), el("span"));
      if (this.#live.firstElementChild?.classList.contains("entry-waiting") !== true) this.#live.replaceChildren(entry("waiting", waits));
      return;
    }
    if (this.#answer === null) {
      this.#answer = new LiveAnswer();
      const thinking = entry("reasoning", reasoningView("", true));
      const answer = entry("agent", el("h2", { class: "speaker" }, "Agent"), this.#answer.element);
      this.#live.replaceChildren(thinking, answer);
    }
    const [thinking, answer] = this.#live.children as unknown as [HTMLElement, HTMLElement];
    thinking.hidden = draft.reasoning === "";
    thinking.querySelector(".reasoning-text")!.textContent = draft.reasoning;
    answer.hidden = draft.text === "";
    this.#answer.update(draft.text);
  }

  /** Returns whether the run waits. */
  #drawWaiting(): boolean {
    const { waiting } = this.#session;
    if (waiting !== null && waiting === this.#waiting?.waiting) return true;
    const hadFocus = this.#live.contains(document.activeElement);
    const before = this.#waiting?.waiting;
    this.#waiting?.stop();
    this.#waiting = null;
    if (waiting === null) {
      // The pressed button is removed, so the focus moves to the transcript.
      if (hadFocus) this.#scroller.focus({ preventScroll: true });
      return false;
    }
    this.#waiting = new WaitingView(this.#session, waiting);
    this.#answer = null;
    this.#live.replaceChildren(this.#waiting.element);
    if (hadFocus) this.#live.querySelector("button")?.focus({ preventScroll: true });
    if (before?.why !== waiting.why) announce(`${titleOf(waiting.why)}. It will be tried again.`);
    return true;
  }

  /** Messages that the agent reads after its current answer; then they move to their place in the log. */
  #drawSent(): void {
    const there = [...this.#sent.children].map((element) => element.id).join();
    const { sent } = this.#session;
    if (there === sent.map(({ id }) => `sent-${id}`).join()) return;
    this.#sent.replaceChildren(...sent.map(sentView));
  }

  /** Announces finished items to screen readers in a sentence, except the user's own messages. */
  #announce(item: Item, isNew: boolean): void {
    if (item.type === "message" && item.from === "agent" && isNew) {
      announce(`Agent: ${spokenText(this.#drawn.get(item.key)!.element)}`);
    } else if (item.type === "call" && isNew) {
      announce(`Tool: ${summaryOf(item.toolName, item.action?.summary) ?? lookOf(item.toolName).title}.`);
    } else if (item.type === "call" && item.state === "failed") {
      announce(`${lookOf(item.toolName).title} failed.`);
    } else if (item.type === "mark") {
      announce(`${item.text}.`);
    }
  }

  async #attempt(title: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      report(error, { title });
    }
  }

  async #edit(message: Message): Promise<void> {
    const text = await askMessage(message.text, message.images.length > 0);
    if (text === null) return;
    await this.#session.editMessage(message.event, text);
    this.#scroller.focus({ preventScroll: true });
    this.#scrollToEnd();
  }

  async #fork(eventId: string): Promise<void> {
    const id = await this.#session.fork(eventId);
    await refreshList();
    goTo(id);
  }

  /** The arrow stays where it is on the screen, so that it can be pressed again. */
  async #show(parting: Parting, eventId: string): Promise<void> {
    const top = (): number => this.#drawn.get(`parting-${parting.after}`)?.element.getBoundingClientRect().top ?? 0;
    const before = top();
    this.#isMoving = true;
    try {
      await this.#session.navigateTo(eventId);
      this.#draw();
      this.#scroller.scrollTop += top() - before;
      // The new size is observed in the next frame.
      for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame);
    } finally {
      this.#isMoving = false;
    }
    this.#scrolled();
    announce(`Version ${parting.versions.indexOf(eventId) + 1} of ${parting.versions.length}.`);
  }

  async #loadEarlier(): Promise<void> {
    const { scrollHeight, scrollTop } = this.#scroller;
    this.#earlier.disabled = true;
    await this.#session.loadEarlier();
    this.#draw({ readOut: false });
    this.#scroller.scrollTop = scrollTop + this.#scroller.scrollHeight - scrollHeight;
    this.#earlier.disabled = false;
  }

  #listenToScrolling(): void {
    const onScroll = (): void => this.#scrolled();
    const onJump = (): void => {
      this.#scrollToEnd();
      this.#scroller.focus({ preventScroll: true });
    };
    // When text rewraps, a font loads or details open at the end, the scroll position stays.
    const resized = new ResizeObserver(() => this.#atEnd && !this.#isMoving && this.#scrollToEnd());
    const reached = new IntersectionObserver(
      ([first]) => first?.isIntersecting && !this.#earlier.disabled && this.#scroller.scrollTop > 0 && void this.#loadEarlier(),
      { root: this.#scroller },
    );
    this.#scroller.addEventListener("scroll", onScroll, { passive: true });
    this.#jump.addEventListener("click", onJump);
    resized.observe(this.#scroller);
    resized.observe(this.#items);
    reached.observe(this.#earlier);
    this.#stops.push(
      () => this.#scroller.removeEventListener("scroll", onScroll),
      () => this.#jump.removeEventListener("click", onJump),
      () => resized.disconnect(),
      () => reached.disconnect(),
    );
  }

  #scrolled(): void {
    this.#atEnd = this.#end() - this.#scroller.scrollTop < NEAR_END;
    this.#jump.hidden = this.#atEnd;
  }

  /** The scroll position of the end: the last line is visible, or the beginning of what waits for the user if that is longer. */
  #end(): number {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    const bottom = scrollHeight - clientHeight;
    if (this.#next.childElementCount === 0) return bottom;
    return Math.min(bottom, scrollTop + this.#next.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top);
  }

  #scrollToEnd(): void {
    // Whoever has scrolled further down, to the last button, stays there.
    this.#scroller.scrollTop = Math.max(this.#scroller.scrollTop, this.#end());
    this.#atEnd = true;
    this.#jump.hidden = true;
  }
}

/** The text of an answer without the labels of the buttons in it. */
function spokenText(answer: HTMLElement): string {
  const prose = answer.querySelector(".prose")!.cloneNode(true) as HTMLElement;
  for (const head of prose.querySelectorAll(".code-head")) head.remove();
  return prose.textContent ?? "";
}

/** A text that changes when the item looks different. */
function signatureOf(item: Item, { open, progress }: CallContext, subagents: SubagentViews): string {
  switch (item.type) {
    case "call":
      return JSON.stringify([item.state, item.action !== null, item.state === "open" && [open, progress], subagents.taskOf(item)]);
    case "message":
      return JSON.stringify([item.end, item.isLast]);
    case "parting":
      return JSON.stringify([item.parting.shown?.id, item.parting.versions]);
    case "condensed":
      return JSON.stringify(item.items.map((inner) => [inner.key, signatureOf(inner, { open, progress }, subagents)]));
    default:
      return item.type;
  }
}

/** The unfolded details, and the focus. */
function keepState(from: HTMLElement, to: HTMLElement): void {
  const details = to.querySelector("details");
  const before = from.querySelector("details");
  if (details && before) details.open = before.open;
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !from.contains(focused)) return;
  const { verb } = focused.dataset;
  queueMicrotask(() => to.querySelector<HTMLElement>(verb ? `[data-verb="${verb}"]` : "summary")?.focus({ preventScroll: true }));
}

function warningsView(session: Session): HTMLElement | string {
  // That a run died is shown at the end of the thread.
  const warnings = session.conversation.warnings.filter(({ code }) => code !== "interrupted");
  if (warnings.length === 0) return "";
  return el(
    "details",
    { class: "folded warnings" },
    el("summary", {}, warnings.length === 1 ? "1 thing here works differently" : `${warnings.length} things here work differently`),
    el("ul", {}, ...warnings.map(({ message }) => el("li", {}, sentence(message)))),
  );
}
