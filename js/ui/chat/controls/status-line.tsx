/** @jsxImportSource preact */
// The end of the messages: what the conversation waits for or why it stopped, with the next step, and notices.
import type { ComponentChildren } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import type { ThreadkeepError } from "threadkeep";
import { canGoOn } from "../../thread/fields.js";
import type { Thread, ThreadSnapshot } from "../../thread/index.js";
import { titleOf } from "../call-title.js";
import { useChat, useSnapshot } from "../context.js";
import type { ChatLabels } from "../labels.js";
import { explain, isShownInPlace, sentence } from "./failures.js";
import { Icon } from "./icon.js";
import { useNotice } from "./notices.js";
import { WaitingView } from "./waiting.js";

/** Something else that helps against a failure, such as the settings of the page. */
export interface Recovery {
  name: string;
  act: () => unknown;
}

export interface StatusLineProps {
  thread: Thread;
  /** The offers of this page against a failure, beside trying again; `null` is the failure of an earlier page. */
  recoveriesFor?: (error: ThreadkeepError | null) => readonly Recovery[];
}

/** The reason why the conversation waits or has stopped, with the next step. */
export function StatusLine(props: StatusLineProps) {
  return (
    <>
      <Warnings thread={props.thread} />
      <NextStep {...props} />
      <Notice thread={props.thread} />
    </>
  );
}

function NextStep({ thread, recoveriesFor = () => [] }: StatusLineProps) {
  const { labels } = useChat();
  const snapshot = useSnapshot(thread);
  const [dismissed, dismiss] = useState<ThreadkeepError | null>(null);
  const { error, waiting } = snapshot;
  const step = stepOf(snapshot, dismissed, labels);
  switch (step.kind) {
    case "nothing":
      return null;
    case "waiting":
      return <WaitingView thread={thread} waiting={waiting!} />;
    case "failed": {
      // The message above may say why already.
      const { title, text, helps } = step.isToldAbove ? { title: "", text: "", helps: "retry" } : explain(error!, snapshot.home, labels);
      return (
        <Panel title={title} text={text} isFailure={title !== ""}>
          {helps === "retry" && step.canRun && <GoOn thread={thread} name={labels.tryAgain} />}
          {recoveriesFor(error).map(({ name, act }) => (
            <button key={name} type="button" class="button" onClick={() => void act()}>
              {name}
            </button>
          ))}
          {helps === "reload" && (
            <button type="button" class="button" onClick={() => location.reload()}>
              {labels.reload}
            </button>
          )}
          {error !== null && snapshot.phase === "open" && !step.isToldAbove && (
            <button type="button" class="button plain" onClick={() => dismiss(error)}>
              {labels.dismiss}
            </button>
          )}
        </Panel>
      );
    }
    case "pausing":
      return <Panel title="" text={labels.pausesSoon} />;
    case "stopped":
      return (
        <Panel title={step.title} text={step.text}>
          <GoOn thread={thread} name={labels.continue} />
        </Panel>
      );
  }
}

type Step =
  | { kind: "nothing" | "waiting" | "pausing" }
  | { kind: "failed"; isToldAbove: boolean; canRun: boolean }
  | { kind: "stopped"; title: string; text: string };

const nothing: Step = { kind: "nothing" };

function stepOf(snapshot: ThreadSnapshot, dismissed: ThreadkeepError | null, labels: ChatLabels): Step {
  const { phase, status, isRunning, waiting, error, messages, approvals } = snapshot;
  if (phase === "failed") return { kind: "failed", isToldAbove: false, canRun: false };
  if (phase !== "open") return nothing;
  if (waiting !== null && waiting.seconds > 0) return { kind: "waiting" };
  const last = messages.at(-1);
  const lastPart = last?.parts.at(-1);
  const isToldAbove = lastPart?.type === "error" && status === "error";
  const canRun = !isRunning && status !== "finished" && approvals.length === 0;
  if (error !== null && error !== dismissed && error.code !== "aborted" && !isShownInPlace(error)) {
    return { kind: "failed", isToldAbove: isToldAbove && lastPart.text.includes(error.message), canRun };
  }
  if (isRunning) return status === "paused" ? { kind: "pausing" } : nothing;
  if (approvals.length > 0 || last === undefined) return nothing;
  // Its mark says why.
  if (status === "finished")
    return lastPart?.type === "text" && canGoOn(lastPart.reason) ? { kind: "stopped", title: "", text: "" } : nothing;
  if (status === "error") return { kind: "failed", isToldAbove: true, canRun };
  if (status === "stuck") return { kind: "stopped", title: labels.stuck, text: labels.stuckText };
  // The line above says that.
  if (lastPart?.type === "notice" && (lastPart.notice === "pause" || lastPart.notice === "interrupt"))
    return { kind: "stopped", title: "", text: labels.pausedText };
  const calls = last.parts.filter((part) => part.type === "tool");
  const namesOf = (state: string): string[] => calls.filter((call) => call.state === state).map((call) => titleOf(call, labels));
  const [interrupted, ready] = [namesOf("interrupted"), namesOf("ready")];
  if (interrupted.length > 0) return { kind: "stopped", title: labels.brokeOff, text: labels.brokeOffDuring(interrupted) };
  if (ready.length > 0) return { kind: "stopped", title: labels.brokeOff, text: labels.brokeOffBefore(ready) };
  if (status === "paused") return { kind: "stopped", title: labels.brokeOff, text: labels.brokeOffText };
  return last.role === "user" ? { kind: "stopped", title: "", text: labels.unanswered } : nothing;
}

function Panel({
  title,
  text,
  isFailure = false,
  children,
}: {
  title: string;
  text: string;
  isFailure?: boolean;
  children?: ComponentChildren;
}) {
  const { labels } = useChat();
  const id = useId();
  return (
    <section
      class={`entry entry-next next-step${isFailure ? " failure" : ""}`}
      part="status"
      role={isFailure ? "alert" : "group"}
      aria-labelledby={title ? id : undefined}
      aria-label={title ? undefined : labels.howToGoOn}
    >
      {title && (
        <h2 class="next-title" id={id}>
          {title}
        </h2>
      )}
      {text && <p>{text}</p>}
      {children && <div class="buttons">{children}</div>}
    </section>
  );
}

/** Lets the agent continue. The button goes away with the run, and the focus moves to the field. */
function GoOn({ thread, name }: { thread: Thread; name: string }) {
  const { focusField } = useChat();
  return (
    <button
      type="button"
      class="button primary"
      onClick={() => {
        thread.resume().catch(() => {});
        focusField();
      }}
    >
      {name}
    </button>
  );
}

/** The region is always there, because screen readers miss one that comes with its text. */
function Notice({ thread }: { thread: Thread }) {
  const text = useNotice(thread);
  return (
    <div class="notice-place" role="status">
      {text && <p class="notice notice-news">{text}</p>}
    </div>
  );
}

/** Faults of the stored conversation, each until it is dismissed. */
function Warnings({ thread }: { thread: Thread }) {
  const { labels, focusField } = useChat();
  const { warnings } = useSnapshot(thread);
  const [dismissed, setDismissed] = useState<readonly string[]>([]);
  useEffect(() => setDismissed([]), [thread]);
  // How to go on after an interruption is asked below.
  const shown = warnings.filter(({ code, message }) => code !== "interrupted" && !dismissed.includes(message));
  if (shown.length === 0) return null;
  return (
    <ul class="warnings" aria-label={labels.warnings}>
      {shown.map(({ code, message }) => (
        <li key={message} class="notice" data-code={code}>
          <span class="notice-text">{sentence(message)}</span>
          <button
            type="button"
            class="icon-button"
            aria-label={`${labels.dismiss}: ${message}`}
            onClick={() => {
              setDismissed([...dismissed, message]);
              focusField();
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
