// The app of docs/react.md, as it is written there: its chat, its list, and the button that deletes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { createModel } from "../../support/model.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const [chat, agent, main, , , list, deleting] = blocks("docs/react.md");
/** The page with the list and the button around the chat. */
const whole = `
import { Chat as Messages } from "./Messages";
import { Delete } from "./Delete";
import { Sidebar } from "./Sidebar";
import { agent } from "./agent.js";
import { useConversation } from "threadkeep/react";
export function Chat({ conversationId }: { conversationId: string }) {
  const chat = useConversation({ agent, conversationId });
  return <><Sidebar /><Delete chat={chat} /><Messages conversationId={conversationId} /></>;
}`;

let server;
before(async () => {
  const files = {
    "main.tsx": main,
    "agent.ts": agent,
    "chat.tsx": whole,
    "Messages.tsx": chat,
    "Sidebar.tsx": list,
    "Delete.tsx": deleting,
  };
  const page = pageOf({ scripts: ["/files/main.js"], body: '<div id="root"></div><script>globalThis.confirm = () => true</script>' });
  server = await startServer({
    model: createModel(() => ({ text: "Hello to you." })),
    mounts: { "/files/": await appOf(files, ["main.tsx"]) },
    page,
  });
});
after(() => server.close());

for (const kind of availableBrowsers) {
  test(`${kind}: a second tab writes as well, and a deleted conversation leaves the list`, async () => {
    const browser = await tabs(kind);
    try {
      const tab = await browser.page(`${server.origin}/`);
      const shows = (page, text) => untilIn(page, `it shows “${text}”`, (wanted) => document.body.innerText.includes(wanted), text);
      await tab.waitForSelector("input");
      await tab.type("input", "Hello");
      await tab.keyboard.press("Enter");
      await shows(tab, "Hello to you.");
      const isEmpty = () => document.querySelector("input").value === "";
      await untilIn(tab, "a message that is stored leaves the field", isEmpty);

      const second = await browser.page(tab.url());
      await shows(second, "Hello to you.");
      await second.type("input", "Me too");
      await second.keyboard.press("Enter");
      const both = () => document.querySelectorAll("article").length === 4;
      await untilIn(second, "both messages are answered", both);
      await untilIn(second, "the message is stored", isEmpty);
      assert.ok(await second.$eval("button", ({ disabled }) => disabled));
      await second.close();

      await tab.bringToFront();
      await untilIn(tab, "both messages are answered", both);
      await untilIn(tab, "the conversation is listed", () => document.querySelectorAll("li").length === 1);
      const before = tab.url();
      await tab.click("button");
      await untilIn(tab, "it is at another address", (address) => location.href !== address, before);
      await untilIn(tab, "it is not listed", (id) => !document.querySelector(`a[href="#${id}"]`), before.split("#")[1]);
      assert.deepEqual(browser.problems, []);
    } finally {
      await browser.close();
    }
  });
}
