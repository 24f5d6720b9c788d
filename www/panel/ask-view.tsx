/** @jsxImportSource preact */
// A question about the conversation. Neither the question nor the answer becomes a part of it.

import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import { render } from "preact";
import { ChatProvider, Markdown } from "threadkeep/preact";
import { labels } from "../thread/chat.tsx";
import type { Part } from "./panel.ts";
import type { Session } from "../thread/session.ts";

export function askView(session: Session): Part {
  const field = el("textarea", { id: "question", rows: 2, required: true, "aria-describedby": "question-help" });
  const button = el("button", { class: "button" }, "Ask");
  const result = el("div", { class: "aside-answer", hidden: true });
  let asking: AbortController | null = null;

  const ask = async (): Promise<void> => {
    const question = field.value.trim();
    const stop = (asking = new AbortController());
    button.textContent = "Stop";
    result.hidden = false;
    result.replaceChildren(el("p", { class: "quiet" }, "Asking…"));
    try {
      const answer = await session.conversation.askAgent(question, { signal: stop.signal });
      const heading = el("h4", { class: "quiet" }, `Answer to “${question}”, not in the conversation`);
      const prose = el("div");
      render(
        <ChatProvider thread={session.thread} labels={labels}>
          <Markdown text={answer} />
        </ChatProvider>,
        prose,
      );
      result.replaceChildren(heading, prose);
      field.value = "";
      announce(`Answer, not in the conversation: ${answer}`);
    } catch (error) {
      const { title, text } = explain(error);
      result.replaceChildren(el("p", { class: "wrong", role: "alert" }, `${title}. ${text}`));
    } finally {
      asking = null;
      button.textContent = "Ask";
    }
  };
  const form = el(
    "form",
    {
      class: "panel-form",
      onsubmit: (event: Event) => {
        event.preventDefault();
        if (asking) asking.abort();
        else void ask();
      },
    },
    el("label", { for: field.id }, "Question about this conversation"),
    field,
    el(
      "p",
      { class: "quiet", id: "question-help" },
      "The agent sees the conversation, but keeps nothing of this. It can be asked while it works.",
    ),
    button,
  );
  const element = el("section", { "aria-labelledby": "ask-heading" }, el("h3", { id: "ask-heading" }, "Ask on the side"), form, result);
  return { element, draw: () => undefined };
}
