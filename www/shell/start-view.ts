// The view without a conversation: an invitation, and some examples.

import { byId, el } from "./dom.ts";
import { isScripted } from "../settings/settings.ts";

const SUGGESTIONS: Array<[title: string, message: string]> = [
  ["Several tools at once", "Roll three dice, tell me the time and work out 12 × 34"],
  ["Be asked first", "Pay Ann 20 euros, roll two dice and tell me the time"],
  ["Use a secret", "Call the API"],
  ["Survive a crash", "Count slowly to 30"],
  ["Remember something", "Remember that my bike is blue"],
  ["See a well-set answer", "Show me what Markdown can do"],
  ["Go another way", "Roll a die"],
  ["Use a skill", "Write a haiku"],
];

const HINTS: Record<string, string> = {
  "Survive a crash": ", then reload in the middle",
  "Be asked first": ": the payment is risky, so all of it waits for you",
  "Go another way": ", then edit it, or ask for another answer",
  "Use a skill": ": the word adds one to the message",
  "Use a secret": ": add API_TOKEN under “Control” first",
};

export function showStart(choose: (message: string) => void): void {
  byId("column").replaceChildren(
    el(
      "section",
      { class: "start", "aria-labelledby": "start-heading" },
      el("h2", { id: "start-heading" }, "Pick up the thread whenever you like."),
      el(
        "p",
        { class: "start-text" },
        "This agent runs in your browser and stores each step on this device before it takes the next. Reload, crash, come back next week: the conversation continues where it stopped, here or in the OpenHands Python SDK.",
      ),
      isScripted()
        ? el("p", { class: "start-text" }, "No key is needed to look around. A ", el("strong", {}, "scripted stand-in"), " plays the model: it is not an AI, but it streams, calls tools, asks before risky ones and fails on request.")
        : null,
      el(
        "ul",
        { class: "suggestions", "aria-label": "Things to try" },
        ...SUGGESTIONS.map(([title, message]) =>
          el(
            "li",
            {},
            el(
              "button",
              { type: "button", class: "suggestion", onclick: () => choose(message) },
              el("span", { class: "suggestion-title" }, title),
              el("span", { class: "suggestion-text" }, `“${message}”${HINTS[title] ?? ""}`),
            ),
          ),
        ),
      ),
    ),
  );
}
