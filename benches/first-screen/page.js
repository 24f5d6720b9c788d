// What both pages do with their messages: draw each as a paragraph, and keep when the first were drawn.

/** The longest task of the page until its first screen, in milliseconds; 0 if none was longer than 50. */
let longest = 0;
globalThis.PerformanceObserver &&
  new PerformanceObserver((tasks) => {
    for (const { startTime, duration } of tasks.getEntries())
      if (startTime < (globalThis.shown?.at ?? Infinity)) longest = Math.max(longest, duration);
    if (globalThis.shown) globalThis.shown.longest = longest;
  }).observe({ type: "longtask", buffered: true });

export const count = 50;
export const isFilling = location.hash === "#fill";

/** The function of the page that sends a message and waits until it is answered; the bench calls it. */
export function answersWith(ask) {
  globalThis.askedAndAnswered = async () => {
    const begun = performance.now();
    await ask("And now?");
    return performance.now() - begun;
  };
}

export function draw(texts) {
  if (texts.length === 0) return;
  document.body.replaceChildren(
    ...texts.map((text) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = text;
      return paragraph;
    }),
  );
  globalThis.shown ??= { at: performance.now(), messages: texts.length, longest };
}

export const textOf = ({ parts }) => parts.map(({ text = "" }) => text).join("");
