// A chat whose agent runs in a shared worker: an answer goes on when its tab is closed, as long as another tab of the app is open.
import "threadkeep/chat";
import { agent } from "./agent.js";

const chat = document.querySelector("threadkeep-chat")!;
// The address names the conversation: a reload opens it again, and so does another tab.
if (location.hash) chat.setAttribute("conversation-id", location.hash.slice(1));
chat.addEventListener("conversation-open", () => (location.hash = chat.getAttribute("conversation-id")!));

// Chrome on Android has no shared workers. There the agent runs in the tab.
const home = "SharedWorker" in globalThis ? new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module" }) : undefined;

// The page has the same agent, for the tools that need a page.
chat.options = { agent, home };
