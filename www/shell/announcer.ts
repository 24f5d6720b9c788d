// Announcements for screen readers: one polite live region, one sentence at a time. A streaming answer is announced only
// when it is finished.

import { byId } from "./dom.ts";

const LONGEST = 600;
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Sentences of the same moment are read together; a repeated one is read again. */
export function announce(sentence: string): void {
  const text = sentence.replace(/\s+/g, " ").trim();
  if (text === "") return;
  waiting.push(text.length > LONGEST ? `${text.slice(0, LONGEST)}… The rest is in the messages.` : text);
  clearTimeout(timer);
  timer = setTimeout(() => {
    byId("announcements").textContent = waiting.join(" ");
    waiting = [];
    timer = setTimeout(() => (byId("announcements").textContent = ""), 8000);
  }, 150);
}
