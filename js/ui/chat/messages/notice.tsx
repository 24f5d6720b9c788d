/** @jsxImportSource preact */
// All that happened to the conversation, between its messages: failures and notes.
import type { ComponentChildren } from "preact";
import { type ErrorPart, type NoticePart, visibleText } from "../../thread/index.js";
import { useChat } from "../context.js";
import { sentence } from "../controls/failures.js";
import type { ChatLabels } from "../labels.js";
import { Markdown } from "../markdown/index.js";
import { Fold } from "./folds.js";
import { PlainText } from "./plain.js";
import { type Row, rowsOf } from "./rows.js";
import { Time } from "./time.js";

export function ErrorView({ part: { code, text } }: { part: ErrorPart }) {
  const { labels } = useChat();
  return (
    <div data-code={code}>
      <p class="error-title">{labels.failures[code] ?? labels.failure}</p>
      <p dir="auto">
        <PlainText text={sentence(text)} />
      </p>
    </div>
  );
}

interface NoticeProps {
  id: string;
  part: NoticePart;
  /** The view of a row of what a summary has replaced. */
  entry: (row: Row) => ComponentChildren;
}

export function NoticeView({ id, part, entry }: NoticeProps) {
  const { labels } = useChat();
  const { event, notice, text } = part;
  if (event.kind === "Condensation") {
    return (
      <section class="condensed" aria-label={labels.summary}>
        <p class="mark">
          {labels.condensed(event.forgotten_event_ids.length)}
          <Time date={timeOf(part)} />
        </p>
        {event.summary ? (
          <Markdown text={event.summary} class="prose summary" label={labels.summary} />
        ) : (
          <p class="quiet">{labels.noSummary}</p>
        )}
        {part.forgotten.length === 0 ? null : (
          <Fold id={`${id}/forgotten`} class="folded" summary={labels.forgotten}>
            {() => <div class="inner-items">{rowsOf(part.forgotten).map(entry)}</div>}
          </Fold>
        )}
      </section>
    );
  }
  if (notice === "server") {
    return (
      <p class="mark">
        <span dir="auto">{labels.serverDid(visibleText(text))}</span>
      </p>
    );
  }
  if (event.kind === "UnreadableEvent") return <Folded id={id} title={labels.unreadable} text={`${event.file}\n${event.why}`} />;
  if (event.kind === "MessageEvent") return <Folded id={id} title={labels.remark} text={text} />;
  if (notice === "other" || notice === "unreadable")
    return <Folded id={id} title={labels.unknown(event.kind)} text={JSON.stringify(event, null, 2)} />;
  return (
    <p class="mark">
      <span dir="auto">{wordsOf(part, labels)}</span>
      <Time date={timeOf(part)} />
    </p>
  );
}

/** The words of a line that nobody has written. */
export const wordsOf = ({ notice, text }: NoticePart, labels: ChatLabels): string =>
  notice === "pause" ? labels.paused : notice === "interrupt" ? labels.stopped : text;

function Folded({ id, title, text }: { id: string; title: string; text: string }) {
  return (
    <Fold id={id} class="folded" summary={title}>
      {() => (
        <pre tabIndex={0}>
          <PlainText text={text} />
        </pre>
      )}
    </Fold>
  );
}

const timeOf = ({ event: { timestamp } }: NoticePart): Date | null => (timestamp === undefined ? null : new Date(timestamp));
