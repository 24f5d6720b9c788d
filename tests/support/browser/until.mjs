// Waiting for what a test needs in one of its tabs.
import { patience } from "../until.mjs";

/**
 * Resolves to a handle on what `condition(...args)` gives in the page, or resolves to there, as soon as that is something true, which may be
 * after a reload. The error says `what` did not come to be, and what the page shows.
 */
export async function untilIn(page, what, condition, ...args) {
  try {
    // A tab in the background draws no frames, which is what would be waited for otherwise.
    return await page.waitForFunction(condition, { polling: 30, timeout: patience }, ...args);
  } catch (cause) {
    const text = await page.evaluate(shown).catch(() => "nothing");
    throw new Error(`waited in vain until ${what}; the page shows:\n${text}`, { cause });
  }
}

/** For a page: its text, and that of the elements of the library in it. */
function shown() {
  const elements = [...document.querySelectorAll("*")].filter(({ shadowRoot }) => shadowRoot);
  return [document.body.innerText, ...elements.map(({ shadowRoot }) => shadowRoot.textContent)].join("\n");
}
