/** @jsxImportSource preact */
// The agent's newest list of tasks, above the message field and folded to one line.

import { TaskList, tasksOf, useSnapshot } from "threadkeep/preact";
import { type Thread, visibleText } from "threadkeep/thread";

export function Tasks({ thread }: { thread: Thread }) {
  const parts = useSnapshot(thread).messages.flatMap((message) => message.parts);
  const tasks = parts
    .map((part) => (part.type === "tool" && part.state === "done" ? tasksOf(part) : null))
    .findLast((list) => list !== null);
  if (!tasks || tasks.length === 0) return null;
  const done = tasks.filter(({ status }) => status === "done").length;
  const current = tasks.find(({ status }) => status === "in_progress");
  return (
    <div class="task-list" id="task-list">
      <details>
        <summary>
          <span>{`${done} of ${tasks.length === 1 ? "1 task" : `${tasks.length} tasks`} done`}</span>
          {current ? <span class="quiet">{visibleText(String(current.title ?? ""))}</span> : null}
        </summary>
        <TaskList tasks={tasks} />
      </details>
    </div>
  );
}
