// <threadkeep-chat> with 10,000 messages: the first screen, the way to the top, and the frames while scrolling.
import { fakeThread } from "/pages/fake-thread.mjs";
import { many } from "/pages/chat-fixtures.mjs";

export const title = "A chat of 10,000 messages, milliseconds";

const FRAMES = 240;
/** Of scrolling per frame, in pixels: a fast wheel. */
const STEP = 150;

export async function* run({ rounds = 5 }) {
  await import("/threadkeep/chat.js");
  document.documentElement.style.height = document.body.style.height = "100%";
  const screens = [];
  const tops = [];
  const frames = [];
  for (let round = 0; round < rounds; round++) {
    const messages = many(10_000, 0);
    const chat = document.createElement("threadkeep-chat");
    chat.style.height = "800px";
    let started = performance.now();
    chat.thread = fakeThread(messages);
    document.body.replaceChildren(chat);
    const rows = () => [...chat.shadowRoot.querySelectorAll(".row")];
    while (!rows().at(-1)?.textContent.includes("number 9999")) await frame();
    screens.push(performance.now() - started);
    const scroller = chat.shadowRoot.querySelector(".scroller");
    for (let count = 0; count < 20; count++) await frame();
    const times = [];
    for (let count = 0, before = await frame(); count < FRAMES; count++) {
      scroller.scrollTop -= STEP;
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    frames.push(...times);
    started = performance.now();
    scroller.dispatchEvent(new KeyboardEvent("keydown", { key: "Home", bubbles: true }));
    while (scroller.scrollTop !== 0 || !rows()[0]?.textContent.includes("number 0 ")) await frame();
    tops.push(performance.now() - started);
  }
  yield {
    label: "first screen",
    columns: { median: shown(quantile(screens, 0.5)), worst: shown(Math.max(...screens)) },
    ratio: quantile(screens, 0.5),
    goal: { chromium: 200, firefox: 200 },
  };
  yield {
    label: "a frame while scrolling",
    columns: {
      median: shown(quantile(frames, 0.5)),
      "95 %": shown(quantile(frames, 0.95)),
      worst: shown(Math.max(...frames)),
      "frames a second": shown(1000 / mean(frames)),
    },
    ratio: mean(frames),
    goal: { chromium: 20, firefox: 20 },
  };
  yield {
    label: "to the top",
    columns: { median: shown(quantile(tops, 0.5)), worst: shown(Math.max(...tops)) },
    ratio: quantile(tops, 0.5),
    goal: { chromium: 200, firefox: 200 },
  };
}

const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));
const quantile = (numbers, part) => [...numbers].sort((one, other) => one - other)[Math.floor((numbers.length - 1) * part)];
const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
const shown = (number) => number.toFixed(1);
