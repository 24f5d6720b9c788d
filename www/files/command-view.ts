// A line for commands of the user in the directory on an agent server, and what the last one has written. The agent does not see it.

import { ThreadkeepError } from "threadkeep";
import { plainView } from "./content.tsx";
import { announce } from "../shell/announcer.ts";
import { el } from "../shell/dom.ts";
import { explain } from "../shell/failures.ts";
import type { Part } from "../panel/panel.ts";
import type { Session } from "../thread/session.ts";

/** In seconds: who waits for longer uses a shell of the server itself. */
const LONGEST = 120;

/** `onEnd` is called when a command has ended, which may have changed files. */
export function commandView(session: Session, onEnd: () => void): Part {
  const field = el("input", {
    id: "command",
    class: "command-field",
    type: "text",
    required: true,
    spellcheck: "false",
    autocomplete: "off",
    autocapitalize: "off",
    placeholder: "git status",
    "aria-describedby": "command-help",
  });
  const button = el("button", { class: "button" }, "Run");
  const state = el("p", { class: "quiet", role: "status" });
  const output = el("div", { class: "command-output" });
  let running: AbortController | null = null;

  const run = async (): Promise<void> => {
    const command = field.value.trim();
    const stop = (running = new AbortController());
    button.textContent = "Stop";
    output.replaceChildren();
    state.textContent = `Running ${command}`;
    try {
      const { workspace } = session.conversation;
      const { exitCode, stdout, stderr, timeoutOccurred } = await workspace.executeCommand!(command, {
        timeout: LONGEST,
        signal: stop.signal,
      });
      const text = [stdout, stderr].filter(Boolean).join("\n");
      if (text !== "") output.replaceChildren(plainView(text, `Output of ${command}`));
      state.textContent = timeoutOccurred
        ? `Ended after ${LONGEST} seconds: ${command}`
        : `${command}: ${exitCode === 0 ? "done" : `exit code ${exitCode}`}`;
      announce(state.textContent);
      field.select();
    } catch (error) {
      const isStopped = error instanceof ThreadkeepError && error.code === "aborted";
      state.textContent = isStopped ? `Stopped: ${command}` : explain(error).text;
    }
    running = null;
    button.textContent = "Run";
    onEnd();
  };
  const form = el(
    "form",
    {
      class: "panel-form",
      onsubmit: (event: Event) => {
        event.preventDefault();
        if (running) running.abort();
        else void run();
      },
    },
    el("label", { for: field.id }, "Command"),
    field,
    el(
      "p",
      { class: "quiet", id: "command-help" },
      "It runs on the server, in the directory of the conversation, with all rights of the server. The agent does not see it.",
    ),
    button,
  );
  const element = el(
    "section",
    { "aria-labelledby": "command-heading" },
    el("h3", { id: "command-heading" }, "Terminal"),
    form,
    state,
    output,
  );
  return { element, draw: () => undefined, close: () => running?.abort() };
}
