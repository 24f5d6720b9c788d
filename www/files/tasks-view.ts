// The agent's list of tasks: in the results of its tool, and the newest one above the message field.

import { byId, el } from "../shell/dom.ts";
import type { StoredEvent } from "../thread/event-shapes.ts";
import type { Session } from "../thread/session.ts";

interface Task {
  title: string;
  notes: string;
  status: string;
}

const STATES: Record<string, string> = { todo: "to do", in_progress: "in progress", done: "done" };

/** The tasks of a result of the task list's tool; null for other results. */
export function tasksOf(observation: StoredEvent["observation"]): Task[] | null {
  if (observation?.kind !== "TaskTrackerObservation" || observation.is_error || !Array.isArray(observation["task_list"])) return null;
  return observation["task_list"].map(({ title, notes, status }: Record<string, unknown>) => ({ title: String(title ?? ""), notes: String(notes ?? ""), status: String(status ?? "todo") }));
}

export function tasksView(tasks: readonly Task[]): HTMLElement {
  if (tasks.length === 0) return el("p", { class: "quiet" }, "There are no tasks.");
  return el("ol", { class: "tasks", "aria-label": "Tasks" }, ...tasks.map(taskView));
}

function taskView({ title, notes, status }: Task): HTMLElement {
  const state = el("span", { class: "task-state" }, STATES[status] ?? status);
  return el("li", { "data-state": status }, el("span", { class: "task-title" }, title), state, notes !== "" && el("p", { class: "quiet" }, notes));
}

/** Shows the newest list above the message field, folded to one line. */
export function drawTasks(session: Session | null): void {
  const place = byId("task-list");
  const tasks = session?.events.map(({ observation }) => tasksOf(observation)).findLast((list) => list !== null) ?? [];
  const state = JSON.stringify(tasks);
  place.hidden = tasks.length === 0;
  if (state === place.dataset["tasks"]) return;
  place.dataset["tasks"] = state;
  const done = tasks.filter(({ status }) => status === "done").length;
  const current = tasks.find(({ status }) => status === "in_progress");
  const wasOpen = place.querySelector("details")?.open ?? false;
  const hadFocus = place.contains(document.activeElement);
  const summary = el("summary", {}, el("span", {}, `${done} of ${tasks.length === 1 ? "1 task" : `${tasks.length} tasks`} done`), current ? el("span", { class: "quiet" }, current.title) : null);
  place.replaceChildren(el("details", { open: wasOpen }, summary, tasksView(tasks)));
  if (hadFocus) summary.focus({ preventScroll: true });
}
