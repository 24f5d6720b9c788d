/** @jsxImportSource preact */
// The results of the library's tools as what they are: the changes of a file, a list of tasks, the output of a terminal.
import { type ToolPart, visibleText } from "../../thread/index.js";
import { useLabels } from "../context.js";
import type { ChatLabels } from "../labels.js";
import { Diff } from "./diff.js";
import { PlainText } from "./plain.js";
import { terminalText } from "./terminal-text.js";

type Fields = Readonly<Record<string, unknown>>;

/** The text of a result. */
export const textOf = ({ output }: ToolPart): string =>
  (output ?? []).flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n");

export const imagesOf = ({ output }: ToolPart): string[] =>
  (output ?? []).flatMap((item) => (item.type === "image" ? item.image_urls : []));

/** A view for this result in place of the general one, or null. */
export function SpecialResult({ part, labels }: { part: ToolPart; labels: ChatLabels }) {
  const result: Fields = part.result ?? {};
  if (result["kind"] === "TerminalObservation") return <Terminal result={result} output={textOf(part)} labels={labels} />;
  const tasks = tasksOf(part);
  if (tasks !== null) return <TaskList tasks={tasks} />;
  const changes = changesOf(result);
  if (changes.length === 0) return null;
  return (
    <div class="file-changes">
      {changes.map(({ path, before, after }) => (
        <div key={path}>
          <p class="quiet">
            {before === null ? labels.newFile : after === null ? labels.removedFile : labels.changedFile} <code>{visibleText(path)}</code>
          </p>
          <Diff before={before} after={after} />
        </div>
      ))}
    </div>
  );
}

function Terminal({ result, output, labels }: { result: Fields; output: string; labels: ChatLabels }) {
  const { command, exit_code: code, timeout, metadata } = result;
  const { working_dir: directory } = (metadata ?? {}) as Fields;
  const end = timeout === true ? labels.tookTooLong : typeof code === "number" && code !== -1 ? labels.exitCode(code) : "";
  const foot = [end, typeof directory === "string" ? labels.inDirectory(visibleText(directory)) : ""].filter(Boolean).join(" · ");
  return (
    <div data-code={String(code)}>
      <pre class="terminal" tabIndex={0} role="group" aria-label={labels.terminal} dir="ltr">
        <span class="terminal-prompt">$ </span>
        <span class="terminal-command">{visibleText(String(command ?? ""))}</span>
        {"\n"}
        <PlainText text={terminalText(output)} />
      </pre>
      {foot === "" ? null : <p class="quiet terminal-end">{foot}</p>}
    </div>
  );
}

/** A task as its result has it. A model has written it, so that no field is certain. */
export interface Task {
  readonly title?: unknown;
  readonly notes?: unknown;
  /** `"todo"`, `"in_progress"` or `"done"`. */
  readonly status?: unknown;
}

/** The tasks of a result of the task list's tool; `null` for other results. */
export function tasksOf({ result }: ToolPart): readonly Task[] | null {
  const list = result?.["kind"] === "TaskTrackerObservation" ? result["task_list"] : null;
  return Array.isArray(list) ? (list as Task[]) : null;
}

/** A list of tasks. */
export function TaskList({ tasks }: { tasks: readonly Task[] }) {
  const labels = useLabels();
  if (tasks.length === 0) return <p class="quiet">{labels.noTasks}</p>;
  return (
    <ol class="tasks" aria-label={labels.tasks}>
      {tasks.map(({ title, notes, status }, index) => (
        <li key={index} data-state={String(status ?? "todo")}>
          <span class="task-title" dir="auto">
            {visibleText(String(title ?? ""))}
          </span>
          <span class="task-state">{labels.taskStates[String(status ?? "todo")] ?? String(status)}</span>
          {notes ? (
            <p class="quiet" dir="auto">
              {visibleText(String(notes))}
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

/** A change of a file. The contents are null where the file does not exist. */
export interface Change {
  path: string;
  before: string | null;
  after: string | null;
}

/** The changes of a result (`ToolPart.result`); none if its tool only reads. */
export function changesOf(result: Fields): Change[] {
  if (result["kind"] === "FileEditorObservation") return editorChanges(result);
  if (result["kind"] === "ApplyPatchObservation") return patchChanges(result["commit"]);
  return [];
}

function editorChanges({ path, prev_exist, old_content, new_content }: Fields): Change[] {
  if (typeof path !== "string" || typeof new_content !== "string") return [];
  return [{ path, before: textOrNull(old_content) ?? (prev_exist === true ? "" : null), after: new_content }];
}

function patchChanges(commit: unknown): Change[] {
  const changes = Object.entries((commit as { changes?: Record<string, Fields> } | undefined)?.changes ?? {});
  return changes.flatMap(([path, { old_content, new_content, move_path }]) => {
    const [before, after] = [textOrNull(old_content), textOrNull(new_content)];
    if (typeof move_path !== "string" || move_path === "") return [{ path, before, after }];
    return [
      { path, before, after: null },
      { path: move_path, before: null, after },
    ];
  });
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
