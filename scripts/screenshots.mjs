// Updates the pictures of the demo in docs/: `node scripts/screenshots.mjs`, after `npm run build`. Needs Chromium.
import { mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { DemoPage, startDemo } from "../tests/demo/page.mjs";
import { launch } from "../tests/support/browser/driver.mjs";
import { main, root } from "./process.mjs";

const EARLIER = ["Remember that my bike is blue", "Show me what Markdown can do", "What is (12 + 30) * 2?"];

await main(async () => {
  mkdirSync(path.join(root, "docs"), { recursive: true });
  const demo = await startDemo({ delay: 0 });
  const browser = await launch("chromium");
  try {
    let demoPage;
    for (const message of EARLIER) {
      demoPage = await DemoPage.open(browser, `${demo.origin}/#/`);
      await demoPage.ask(message);
    }
    demoPage = await DemoPage.open(browser, `${demo.origin}/#/`);
    const { page } = demoPage;
    await page.setViewport({ width: 1200, height: 920, deviceScaleFactor: 1.25 });
    await demoPage.say("Roll three dice, tell me the time and work out 12 × 34");
    await demoPage.shows(/scripted answer/);
    await demoPage.idle();
    await demoPage.click(".steps");
    await (await page.$$(".call summary")).at(-1).click();
    // Hides the caret and the focus.
    await page.evaluate(() => document.activeElement.blur());
    await page.mouse.move(0, 0);
    for (const [scheme, name] of [
      ["light", "demo.png"],
      ["dark", "demo-dark.png"],
    ]) {
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await demoPage.still();
      const file = path.join(root, "docs", name);
      await page.screenshot({ path: file });
      console.log(`docs/${name}: ${Math.round(statSync(file).size / 1000)} kB`);
    }
  } finally {
    await browser.close();
    await demo.close();
  }
});
