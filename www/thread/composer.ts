// The message field: grows with its text, keeps an unsent draft over a reload, sends and stops.

import { announce } from "../shell/announcer.ts";
import { Attachments, isImage } from "./attachments.ts";
import { byId } from "../shell/dom.ts";

const DRAFTS = "threadkeep-demo:draft:";

interface ComposerActions {
  send: (text: string, images: Blob[]) => Promise<boolean>;
  stop: () => Promise<void>;
  pause: () => Promise<void>;
}

export class Composer {
  #text = byId<HTMLTextAreaElement>("composer-text");
  #send = byId<HTMLButtonElement>("send-button");
  #stop = byId<HTMLButtonElement>("stop-button");
  #pause = byId<HTMLButtonElement>("pause-button");
  #attachments = new Attachments();
  #actions: ComposerActions;
  #draftName = "new";

  constructor(actions: ComposerActions) {
    this.#actions = actions;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
    this.#text.addEventListener("input", () => this.#changed());
    this.#text.addEventListener("keydown", (event) => this.#onKey(event));
    this.#text.addEventListener("paste", (event) => {
      const images = [...(event.clipboardData?.files ?? [])].filter(isImage);
      if (images.length === 0) return;
      event.preventDefault();
      this.attach(images);
    });
    this.#stop.addEventListener("click", () => void this.#stopRun());
    this.#pause.addEventListener("click", () => void this.#pauseRun());
    // Moving the focus is better than a jump to an anchor, which would change the hash and so the route.
    byId("skip-link").addEventListener("click", (event) => {
      event.preventDefault();
      this.focus();
    });
  }

  /** Shows the draft of this conversation (`new`: of the next one). */
  showDraftOf(name: string): void {
    this.#draftName = name;
    this.#text.value = readDraft(name);
    this.#resize();
  }

  setState({ running, readOnly }: { running: boolean; readOnly: boolean }): void {
    const stopHadFocus = document.activeElement === this.#stop || document.activeElement === this.#pause;
    this.#stop.hidden = !running;
    this.#stop.disabled = false;
    this.#pause.hidden = !running;
    if (!running) this.#pause.setAttribute("aria-disabled", "false");
    this.#text.disabled = readOnly;
    this.#text.placeholder = readOnly ? "Another tab is writing" : "Write a message";
    this.#send.disabled = readOnly;
    this.#attachments.disabled = readOnly;
    if (stopHadFocus && !running) this.focus();
  }

  fill(text: string): void {
    this.#text.value = text;
    this.#changed();
    this.focus();
  }

  /** Attaches images to the next message. */
  attach(images: Blob[]): void {
    if (this.#text.disabled) return;
    this.#attachments.add(images);
    this.focus();
  }

  /** After a click into a closed dialog the field can have the focus but no caret; focusing it again brings one. */
  focus(): void {
    if (document.activeElement === this.#text) this.#text.blur();
    this.#text.focus();
  }

  async #submit(): Promise<void> {
    const text = this.#text.value.trim();
    if ((text === "" && this.#attachments.isEmpty) || this.#text.disabled) return;
    const name = this.#draftName;
    const images = this.#attachments.take();
    this.#text.value = "";
    this.#changed();
    if (await this.#actions.send(text, images)) return forgetDraft(name);
    // If storing fails, the text is restored.
    this.#attachments.add(images);
    if (this.#text.value === "") this.fill(text);
  }

  async #stopRun(): Promise<void> {
    this.#stop.disabled = true;
    announce("Stopping.");
    await this.#actions.stop();
  }

  /** A pause takes effect after the current step, so Stop stays visible. */
  async #pauseRun(): Promise<void> {
    if (this.#pause.getAttribute("aria-disabled") === "true") return;
    this.#pause.setAttribute("aria-disabled", "true");
    announce("Pausing after this step.");
    await this.#actions.pause();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === "Escape" && !this.#stop.hidden) return void this.#stopRun();
    // An Enter that ends a composition (Japanese, Chinese, …) belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || matchMedia("(pointer: coarse)").matches) return;
    event.preventDefault();
    void this.#submit();
  }

  #changed(): void {
    this.#resize();
    try {
      if (this.#text.value === "") sessionStorage.removeItem(DRAFTS + this.#draftName);
      else sessionStorage.setItem(DRAFTS + this.#draftName, this.#text.value);
    } catch {
      // Without storage there is no draft; the field still works.
    }
  }

  #resize(): void {
    this.#text.style.height = "auto";
    this.#text.style.height = `${this.#text.scrollHeight}px`;
  }
}

function readDraft(name: string): string {
  try {
    return sessionStorage.getItem(DRAFTS + name) ?? "";
  } catch {
    return "";
  }
}

function forgetDraft(name: string): void {
  try {
    sessionStorage.removeItem(DRAFTS + name);
  } catch {
    // See #changed.
  }
}
