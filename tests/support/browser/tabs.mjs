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

/** A picture of what is in the tab, for people: into the folder that THREADKEEP_SHOTS names, if it names one. */
export async function photograph({ page }, name) {
  if (process.env.THREADKEEP_SHOTS) await page.screenshot({ path: path.join(process.env.THREADKEEP_SHOTS, `${name}.png`) });
}

after(() => Promise.all([...started.values()].map(async (browser) => (await browser).close())));
