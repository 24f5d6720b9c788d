// A React app with the hooks of `threadkeep/react`. It reports what each render has shown.
import { StrictMode, createElement as h, useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import { Agent, LLM, indexedDBStore, tool } from "threadkeep";
import { useApprovals, useConversation, useConversations } from "threadkeep/react";
import { until as untilIt } from "../../support/until.mjs";

const pay = {
  name: "pay",
  description: "Pays.",
  parameters: { type: "object" },
  annotations: { destructiveHint: true },
  execute: () => "paid",
};

/** Everything that was rendered, and the last result of each hook. */
export const rendered = { chats: [], lists: [] };

/** All options are made anew at every render. */
function Chat({ id }) {
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "/v1" }), tools: [tool(pay)] });
  const chat = useConversation({ agent, conversationId: id, store: indexedDBStore("hooks") });
  const approvals = useApprovals(chat);
  rendered.chats.push(chat);
  rendered.chat = chat;
  rendered.approvals = approvals;
  return h("p", null, `${chat.phase} ${chat.conversationId} ${chat.messages.length}`);
}

function List() {
  const list = useConversations({ store: indexedDBStore("hooks") });
  rendered.list = list;
  return h(
    "ul",
    null,
    list.conversations.map(({ id, title }) => h("li", { key: id }, title)),
  );
}

/** Sends once, in an effect that runs before those of the chat. */
function Eager({ say }) {
  const isSaid = useRef(false);
  useEffect(() => {
    if (say && !isSaid.current) rendered.chat.send(say);
    isSaid.current = true;
  }, [say]);
  return null;
}

const root = createRoot(document.body.appendChild(document.createElement("div")));

export function show({ chat = true, id = null, say }) {
  const view = chat && h(Chat, { id });
  root.render(h(StrictMode, null, h(Eager, { say }), view, h(List)));
}

/** Resolves as soon as what is rendered is as wanted. */
export const until = (isSo) => untilIt(() => isSo(rendered) && rendered, isSo);
