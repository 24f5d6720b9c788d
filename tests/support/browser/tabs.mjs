// A browser takes seconds to start: tests that neither kill one nor start it again share one of each kind per process,
// each with tabs of its own. What their pages store is apart, because each test file has a server, and so an origin, of its own.
import path from "node:path";
import { after } from "node:test";
import { launch } from "./driver.mjs";

const started = new Map();

/** Tabs in the browser of this kind, to be closed when they are done with. */
export async function tabs(kind) {
  if (!started.has(kind)) started.set(kind, launch(kind));
  return (await started.get(kind)).more();
}

/**
 * How to check things in pages of their own, each of which begins as `blank()` opens one: `check(name, body, options)`.
 */
export function checksIn(context, browser, url) {
  const blank = () => browser.page(url);
  const check = (name, body, options = {}) =>
    context.test(name, options, async () => {
      const page = await blank();
      try {
        await body(page);
      } finally {
        await page.close();
      }
    });
  return { blank, check };
}

/** A picture of what is in the tab, for people: into the folder that THREADKEEP_SHOTS names, if it names one. */
export async function photograph({ page }, name) {
  if (process.env.THREADKEEP_SHOTS) await page.screenshot({ path: path.join(process.env.THREADKEEP_SHOTS, `${name}.png`) });
}

after(() => Promise.all([...started.values()].map(async (browser) => (await browser).close())));
