// The likeliest first failure of somebody who tries the library is a key that the model's server refuses: every app of the
// documentation and of examples/, as it is written there, shows what the server says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { appOf, blocks, pageOf } from "../../support/documented.mjs";
import { example } from "../../support/example.mjs";
import { startServer } from "../../support/server.mjs";
import { availableBrowsers } from "../../support/browser/driver.mjs";
import { tabs } from "../../support/browser/tabs.mjs";
import { untilIn } from "../../support/browser/until.mjs";

const refusal = "Incorrect API key provided: sk-mis****ped";
const model = {
  handle: (_request, response) =>
    response
      .writeHead(401, { "content-type": "application/json" })
      .end(JSON.stringify({ error: { message: refusal, type: "invalid_request_error", code: "invalid_api_key" } })),
};

const [element, first, agent, chat] = blocks("docs/get-started.md");
const [reactChat, reactAgent, reactMain] = blocks("docs/react.md");
const [store, worker, workerPage] = ["opfs-store.js", "worker.js", "page.js"].map((name) =>
  readFileSync(new URL(`../../../examples/own-store/${name}`, import.meta.url), "utf8"),
);
const root = '<div id="root"></div>';
/** Shows a component of the documentation, as the framework around it would. */
const shown = (component) => `
import { createRoot } from "react-dom/client";
createRoot(document.querySelector("#root")!).render(${component});`;

/** The files of each app, the first of which the page loads; `field` is where a message is written, if it needs one. */
const documented = {
  "README.md": { files: { "main.js": blocks("README.md")[0] } },
  "get-started.md, the element": { files: { "main.js": first }, body: element, field: "threadkeep-chat >>> textarea" },
  "get-started.md": { files: { "main.js": chat, "agent.js": agent }, field: "form input" },
  "react.md": { files: { "main.tsx": reactMain, "chat.tsx": reactChat, "agent.ts": reactAgent }, field: "input" },
  "react.md, Next.js": {
    files: {
      "main.tsx": `import Chat from "./page";${shown("<Chat conversationId={crypto.randomUUID()} />")}`,
      "page.tsx": blocks("docs/react.md").at(-1),
    },
    field: "input",
  },
  "ai-sdk.md": { files: { "main.tsx": `${blocks("docs/ai-sdk.md")[0]}${shown("page")}` }, field: "input" },
  "assistant-ui.md": {
    files: { "main.tsx": `import { Chat } from "./Chat";${shown("<Chat />")}`, "Chat.tsx": blocks("docs/assistant-ui.md")[0] },
    field: "textarea",
  },
  "chat.md": {
    files: { "main.js": blocks("docs/chat.md")[1] },
    body: blocks("docs/chat.md")[0].replace(/<script.*<\/script>/, ""),
    field: "threadkeep-chat >>> textarea",
  },
  "thread.md": { files: { "main.js": blocks("docs/thread.md")[0] } },
  "examples/own-store": { files: { "main.js": workerPage, "worker.js": worker, "opfs-store.js": store } },
};

async function siteOf({ files, body = root }) {
  const entries = Object.keys(files).filter((name) => /^(main|worker)\./.test(name));
  const [script] = entries.map((name) => `/files/${name.replace(/tsx$/, "js")}`);
  return {
    mounts: { "/files/": await appOf(files, entries), "/api/model/": model.handle },
    page: pageOf({ scripts: [script], body, typed: "sk-mistyped" }),
  };
}

const apps = [
  ...(await Promise.all(Object.entries(documented).map(async ([name, app]) => ({ name, field: app.field, site: await siteOf(app) })))),
  { name: "examples/react-chat", field: "input", site: { page: await example("react-chat") } },
  {
    name: "examples/worker-chat",
    field: "threadkeep-chat >>> textarea",
    site: { page: await example("worker-chat", { "/app.js": "app.ts", "/worker.ts": "worker.ts" }) },
  },
  { name: "examples/ai-sdk-chat", field: "input", site: { page: await example("ai-sdk-chat") } },
  { name: "examples/assistant-ui-chat", field: "textarea", site: { page: await example("assistant-ui-chat") } },
  {
    name: "examples/element",
    field: "threadkeep-chat >>> textarea",
    site: { page: "examples/element", mounts: { "/node_modules/threadkeep/dist/": "dist" } },
  },
];

for (const kind of availableBrowsers) {
  for (const { name, field, site } of apps) {
    test(`${kind}: ${name} shows that the model's server refuses the key`, async () => {
      const server = await startServer({ model, ...site });
      const browser = await tabs(kind);
      try {
        const tab = await browser.page(`${server.origin}/`);
        if (field !== undefined) {
          const input = await tab.waitForSelector(field);
          await input.type("Hello");
          await input.press("Enter");
        }
        await untilIn(tab, `it shows “${refusal}”`, showsText, refusal);
        assert.deepEqual(
          browser.problems.filter((problem) => problem.startsWith("uncaught")),
          [],
        );
      } finally {
        await browser.close();
        await server.close();
      }
    });
  }
}

/** Whether the page shows the text, also within elements with a tree of their own. */
function showsText(text) {
  const trees = [...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? []);
  return document.body.innerText.includes(text) || trees.some(({ textContent }) => textContent.includes(text));
}
