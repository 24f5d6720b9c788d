// Every view of the demo page passes axe: in both themes, and on a wide, a middle and a narrow screen.
import { demoTest } from "./page.mjs";
import { photograph } from "../support/browser/tabs.mjs";

const widths = [1280, 768, 390];

demoTest("every view of the demo passes axe in both themes and three widths", { expected: /status of 401/ }, async ({ kind, step }) => {
  for (const theme of ["light", "dark"]) {
    await step(`every view, ${theme}`, async (page) => {
      const passes = async (name, width) => {
        await page.still();
        await page.isAccessible(`${name}, ${theme}, ${width} pixels`);
        await photograph(page, `${name}-${theme}-${width}-${kind}`);
      };
      const resize = (width) => page.page.setViewport({ width, height: 844 });
      const inDialog = async (opener, name, width, prepare) => {
        await page.press(opener);
        await page.until("it is open", () => document.querySelector("dialog[open]"));
        await prepare?.();
        await passes(name, width);
        await page.page.keyboard.press("Escape");
        await page.until("it is closed", () => !document.querySelector("dialog"));
      };

      if (!(await page.inTheme(theme))) return;
      for (const width of widths) {
        await resize(width);
        await passes("start", width);
      }
      await resize(widths[0]);
      await page.ask("Show me Markdown");
      await page.say("fail 401");
      await page.shows(/The model did not accept the key/);
      await page.idle();
      await page.ask("Roll two dice and tell me the time");
      await page.say("Pay Ann 20 euros, roll two dice and tell me the time");
      await page.waits(/3 calls wait for you/);
      await page.page.$$eval("details", (all) => all.forEach((details) => (details.open = true)));
      await page.page.evaluate(() => dispatchEvent(new ErrorEvent("error", { error: new Error("this is a test") })));
      await page.shows(/This is a test/, "#notices");
      for (const width of widths) {
        await resize(width);
        await passes("conversation", width);
        await inDialog("Files", "files", width);
        await inDialog("Context", "context", width);
        await inDialog("Files", "inspector", width, async () => {
          await page.click("#inspector-tab");
          await page.until("it is loaded", () => document.querySelector("threadkeep-inspector")?.shadowRoot?.textContent);
        });
        await inDialog("Control", "control", width);
        await inDialog("Export", "export", width);
        if (width < 820) {
          await page.press("Conversations");
          await passes("drawer", width);
        }
        await inDialog("Settings", "settings", width, async () => {
          await page.choose("[name=provider]", "openai");
          await page.click(".more summary");
        });
      }
    });
  }
});
