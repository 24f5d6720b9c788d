// The page of ui/conversations/*.test.mjs: <threadkeep-conversations> beside <threadkeep-chat>, with the real library and a scripted
// model. The query may have `links`, for a page without a chat whose addresses name conversations, `german` and `keep`.
import { Agent, Conversation, LLM, indexedDBStore, updateConversations } from "/threadkeep/index.js";

const query = new URLSearchParams(location.search);
const list = document.createElement("threadkeep-conversations");
const chat = document.createElement("threadkeep-chat");
window.events = [];
for (const name of ["select", "import", "update", "delete"])
  list.addEventListener(`conversation-${name}`, ({ detail }) => window.events.push([name, detail]));
if (query.has("trash-days")) list.setAttribute("trash-days", query.get("trash-days"));
if (query.has("german")) list.labels = { locale: "de", begin: "Neues Gespräch", today: "Heute", justNow: "gerade eben" };
if (query.has("links")) {
  list.linkOf = (id, event) => `#${[id, event].filter(Boolean).join("/")}`;
  const mark = () => list.setAttribute("conversation-id", location.hash.slice(1).split("/")[0]);
  addEventListener("hashchange", mark);
  mark();
  document.querySelector("main").append(list);
} else {
  chat.options = { agent: new Agent({ llm: new LLM({ model: "openai/gpt-4o", baseUrl: "/v1", apiKey: "none" }) }) };
  list.chat = chat;
  document.querySelector("main").append(list, chat);
}
await import("/threadkeep/conversations.js");
await import("/threadkeep/chat.js");

/** The first element of the list that matches, and all. */
window.one = (selector) => list.shadowRoot.querySelector(selector);
window.all = (selector) => [...list.shadowRoot.querySelectorAll(selector)];
window.focused = () => list.shadowRoot.activeElement;
window.nameOf = (button) => button?.getAttribute("aria-label") ?? button?.textContent;
window.button = (name) => all("button").find((each) => each.checkVisibility() && nameOf(each) === name);
Object.assign(window, { list, chat, Conversation, updateConversations, store: indexedDBStore() });
