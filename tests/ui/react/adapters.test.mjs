// The hooks on a server, where nothing is opened; and the lines of docs/thread.md for other frameworks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { createElement as h } from "react";
import { renderToString } from "react-dom/server";
import { root } from "../../../scripts/process.mjs";
import { Agent, LLM, memoryStore } from "../../../dist/slim.js";
import { useApprovals, useConversation, useConversations } from "../../../dist/react.js";
import { openThread, openingSnapshot } from "../../../dist/thread.js";

const agent = new Agent({ llm: new LLM({ model: "openai/m" }) });

test("on a server everything is still opening", () => {
  function Chat() {
    const chat = useConversation({ agent, conversationId: null });
    const { phase } = useConversations();
    return h("p", null, `${chat.phase}, ${useApprovals(chat).length} calls, ${phase}`);
  }
  assert.equal(renderToString(h(Chat)), "<p>opening, 0 calls, loading</p>");
});

test("useConversation() has every function of a thread but those that its component calls itself, and the fields of a snapshot", async () => {
  const thread = openThread({ agent, store: memoryStore() });
  const own = ["opened", "close"];
  const expected = [...Object.keys(thread).filter((name) => !own.includes(name)), ...Object.keys(thread.getSnapshot())];
  let chat;
  const Chat = () => void (chat = useConversation({ agent }));
  renderToString(h(Chat));
  assert.deepEqual(Object.keys(chat).sort(), expected.sort());
  assert.equal(typeof chat.removeMessage, "function");
  await thread.close();
});

test("a thread that is being opened shows what a page shows that has not opened one", async () => {
  const thread = openThread({ agent, store: memoryStore() });
  const { conversationId, ...others } = thread.getSnapshot();
  assert.deepEqual({ ...others, conversationId: null }, openingSnapshot);
  await thread.close();
});

test("the hooks are for clients", () => {
  assert.match(readFileSync(path.join(root, "dist/react.js"), "utf8"), /^"use client";/);
});

const docs = readFileSync(path.join(root, "docs/thread.md"), "utf8");

/** The line of the docs for a framework, with what it imports from there in place of the framework. */
function lineFor(framework, thread, imports) {
  const [, code] = new RegExp(`// ${framework}.*\\n([^]*?)\`\`\``).exec(docs);
  return new Function("thread", ...Object.keys(imports), `${code}; return snapshot;`)(thread, ...Object.values(imports));
}

/** In each framework a reactive value is read in another way; the contracts here are those of their documentation. */
const frameworks = {
  Vue: (thread) => {
    const ends = [];
    const snapshot = lineFor("Vue", thread, { shallowRef: (value) => ({ value }), onScopeDispose: (end) => ends.push(end) });
    return { read: () => snapshot.value, end: () => ends.forEach((end) => end()) };
  },
  Svelte: (thread) => {
    // A store calls its subscriber at once, and the function that `readable` gets returns one that ends it.
    let now;
    const snapshot = lineFor("Svelte", thread, { readable: (value, start) => ({ value, end: start((next) => (now = next)) }) });
    now ??= snapshot.value;
    return { read: () => now, end: snapshot.end };
  },
  Solid: (thread) => {
    // A function that a setter gets is called with the value before.
    let now;
    const snapshot = lineFor("Solid", thread, {
      from: (start) => ({ end: start((next) => (now = typeof next === "function" ? next(now) : next)) }),
    });
    return { read: () => now, end: snapshot.end };
  },
};

for (const [name, use] of Object.entries(frameworks)) {
  test(`the line for ${name}: the current snapshot, until the component is gone`, async () => {
    const thread = openThread({ agent, store: memoryStore() });
    const { read, end } = use(thread);
    assert.equal(read().phase, "opening");
    await thread.opened();
    await new Promise((resolve) => thread.subscribe(resolve));
    assert.equal(read(), thread.getSnapshot());
    assert.equal(read().phase, "open");
    end();
    await thread.close();
    assert.equal(read().phase, "open", "nothing is heard any more");
  });
}
