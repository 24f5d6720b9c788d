// The results of the library's tools as what they are: a file's changes, a list of tasks, the output of a terminal.

import { el } from "../shell/dom.ts";
import { changesOf } from "../files/changes.ts";
import { diffView } from "../files/diff-view.ts";
import { tasksOf, tasksView } from "../files/tasks-view.ts";
import { plainText } from "./plain-text.ts";
import { terminalText } from "./terminal-text.ts";
import type { Call } from "./timeline.ts";

/** A view for this result in place of the general one, or null. */
export function specialResult({ answer, result }: Call): HTMLElement | null {
  const observation = answer?.observation;
  if (observation?.kind === "TerminalObservation") return terminalView(observation, result);
  const tasks = tasksOf(observation);
  if (tasks !== null) return tasksView(tasks);
  const changes = changesOf(observation);
  if (changes.length === 0) return null;
  return el(
    "div",
    { class: "file-changes" },
    ...changes.flatMap(({ path, before, after }) => [el("p", { class: "quiet" }, before === null ? "New file " : after === null ? "Removed file " : "Changed file ", el("code", {}, path)), diffView(before, after)]),
  );
}

function terminalView({ command, exit_code: code, timeout, metadata }: Record<string, unknown>, output: string): HTMLElement {
  const { working_dir: directory } = (metadata ?? {}) as Record<string, unknown>;
  const text = terminalText(output);
  const screen = el("pre", { class: "terminal", tabindex: 0, role: "group", "aria-label": "Terminal" }, el("span", { class: "terminal-prompt" }, "$ "), el("span", { class: "terminal-command" }, String(command ?? "")), "\n");
  screen.append(plainText(text));
  const end = timeout === true ? "Stopped, because it took too long" : typeof code === "number" && code !== -1 ? `Exit code ${code}` : "";
  const place = typeof directory === "string" ? `in ${directory}` : "";
  const foot = [end, place].filter(Boolean).join(" · ");
  return el("div", { "data-code": String(code) }, screen, foot && el("p", { class: "quiet terminal-end" }, foot));
}
