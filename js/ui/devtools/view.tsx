/** @jsxImportSource preact */
// The views of the inspector.
import type { ComponentChildren, JSX, TargetedKeyboardEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Conversation } from "threadkeep";
import { count, milliseconds, pretty, time } from "./format.js";
import type { InspectedEvent, InspectedRequest, Inspector, InspectorSnapshot } from "./inspector.js";

interface Shown {
  snapshot: InspectorSnapshot;
  conversation: Conversation | null;
}

const tabs: Record<string, (shown: Shown) => JSX.Element> = { Requests, Events, State, Storage };
const names = Object.keys(tabs);

export function InspectorView({ inspector, conversation }: { inspector: Inspector; conversation: Conversation | null }): JSX.Element {
  const snapshot = useSnapshot(inspector);
  const [shown, show] = useState(names[0]!);
  const Tab = tabs[shown]!;
  const move = ({ key, currentTarget }: TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? names.length - 1 : 0;
    if (step === 0) return;
    const next = names[(names.indexOf(shown) + step) % names.length]!;
    show(next);
    currentTarget.querySelector<HTMLElement>(`[data-tab=${next}]`)?.focus();
  };
  return (
    <section aria-label="Inspector">
      <header>
        <div role="tablist" aria-label="Views of the inspector" onKeyDown={move}>
          {names.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              data-tab={name}
              aria-selected={name === shown}
              aria-controls="view"
              tabIndex={name === shown ? 0 : -1}
              onClick={() => show(name)}
            >
              {name}
            </button>
          ))}
        </div>
        <button type="button" onClick={() => inspector.clear()}>
          Clear
        </button>
        <button type="button" onClick={() => download(inspector.export())}>
          Export
        </button>
      </header>
      <div id="view" role="tabpanel" aria-labelledby={`tab-${shown}`} tabIndex={0}>
        <Tab snapshot={snapshot} conversation={conversation} />
      </div>
    </section>
  );
}

function useSnapshot(inspector: Inspector): InspectorSnapshot {
  const [, redraw] = useState({});
  useEffect(() => inspector.subscribe(() => redraw({})), [inspector]);
  return inspector.getSnapshot();
}

function Requests({ snapshot: { requests } }: Shown): JSX.Element {
  if (requests.length === 0) return <p>No request to a model yet. Requests are recorded while the inspector is open.</p>;
  return (
    <ul>
      {requests.map((request) => (
        <li key={request.number}>
          <Fold summary={<RequestLine request={request} />}>{() => <RequestDetails request={request} />}</Fold>
        </li>
      ))}
    </ul>
  );
}

function RequestLine({ request: { number, url, status, state, startedAt, duration } }: { request: InspectedRequest }): JSX.Element {
  const outcome = state === "waiting" ? "waiting" : state === "answering" ? "answering" : status === null ? "no answer" : String(status);
  return (
    <>
      <span>{number}</span> <time>{time(startedAt)}</time> <code>{url}</code> <strong class={state}>{outcome}</strong>{" "}
      {duration !== null && <span>{milliseconds(duration)}</span>}
    </>
  );
}

function RequestDetails({ request: { body, answer, firstBytesAfter, duration } }: { request: InspectedRequest }): JSX.Element {
  return (
    <>
      <dl>
        <dt>First bytes after</dt>
        <dd>{firstBytesAfter === null ? "–" : milliseconds(firstBytesAfter)}</dd>
        <dt>Duration</dt>
        <dd>{duration === null ? "–" : milliseconds(duration)}</dd>
        <dt>Sent</dt>
        <dd>{count(body.length, "character")}</dd>
        <dt>Received</dt>
        <dd>{count(answer.length, "character")}</dd>
      </dl>
      <h2>Request</h2>
      <pre tabIndex={0}>{pretty(body)}</pre>
      <h2>Answer</h2>
      <pre tabIndex={0}>{pretty(answer)}</pre>
    </>
  );
}

function Events({ snapshot: { events }, conversation }: Shown): JSX.Element {
  if (!conversation) return <p>No conversation is open.</p>;
  if (events.length === 0) return <p>No event yet. Events are recorded while the inspector is open.</p>;
  return (
    <ul>
      {events.map((inspected) => (
        <li key={inspected.number}>
          <Fold summary={<EventLine {...inspected} />}>{() => <pre tabIndex={0}>{JSON.stringify(inspected.event, null, 2)}</pre>}</Fold>
        </li>
      ))}
    </ul>
  );
}

function EventLine({ at, event }: InspectedEvent): JSX.Element {
  const isStored = "id" in event;
  return (
    <>
      <time>{time(at)}</time> <code>{event.kind}</code> {!isStored && <em>live</em>}
      {"tool_name" in event && <span> {event.tool_name}</span>}
    </>
  );
}

function State({ snapshot: { statuses }, conversation }: Shown): JSX.Element {
  if (!conversation) return <p>No conversation is open.</p>;
  const { usage_to_metrics: usages } = conversation.stats;
  return (
    <>
      <dl>
        <dt>Status</dt>
        <dd>{conversation.executionStatus}</dd>
        <dt>Access</dt>
        <dd>{conversation.access}</dd>
        <dt>Waits for</dt>
        <dd>{conversation.waiting ? `${conversation.waiting.message} (attempt ${conversation.waiting.attempt})` : "nothing"}</dd>
      </dl>
      <h2>Statuses</h2>
      <ol>
        {statuses.map(({ status, at }, place) => {
          const next = statuses[place + 1];
          return (
            <li key={place}>
              <time>{time(at)}</time> <code>{status}</code> {next && milliseconds(next.at - at)}
            </li>
          );
        })}
      </ol>
      <h2>Usage</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Usage</th>
            <th scope="col">Model</th>
            <th scope="col">Input</th>
            <th scope="col">Output</th>
            <th scope="col">US dollars</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(usages).map(([id, { model_name, accumulated_cost, accumulated_token_usage: tokens }]) => (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{model_name}</td>
              <td>{tokens?.prompt_tokens ?? 0}</td>
              <td>{tokens?.completion_tokens ?? 0}</td>
              <td>{accumulated_cost.toFixed(4)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>State</h2>
      <pre tabIndex={0}>{JSON.stringify(conversation.state, null, 2)}</pre>
    </>
  );
}

/** The origin's storage, and the conversation's part of it that can be counted without reading it. */
interface Stored {
  usage?: number | undefined;
  quota?: number | undefined;
  isKept?: boolean | undefined;
}

function Storage({ conversation }: Shown): JSX.Element {
  const [stored, set] = useState<Stored>({});
  const length = conversation?.events.length;
  useEffect(() => {
    let isShown = true;
    void measure().then((measured) => isShown && set(measured));
    return () => void (isShown = false);
  }, [length]);
  return (
    <dl>
      <dt>Used by this origin</dt>
      <dd>{stored.usage === undefined ? "unknown" : `${megabytes(stored.usage)} of ${megabytes(stored.quota ?? 0)}`}</dd>
      <dt>Kept by the browser</dt>
      <dd>{stored.isKept === undefined ? "unknown" : stored.isKept ? "yes" : "until it needs the space"}</dd>
      {conversation && (
        <>
          <dt>Events of the conversation</dt>
          <dd>{length}</dd>
          <dt>Its base state</dt>
          <dd>{count(JSON.stringify(conversation.state).length, "character")}</dd>
        </>
      )}
    </dl>
  );
}

async function measure(): Promise<Stored> {
  try {
    const [{ usage, quota }, isKept] = await Promise.all([navigator.storage.estimate(), navigator.storage.persisted()]);
    return { usage, quota, isKept };
  } catch {
    // A page that is no secure context.
    return {};
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Its content is made only while it is open: a record has megabytes of text. */
function Fold({ summary, children }: { summary: ComponentChildren; children: () => ComponentChildren }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}

function download(json: string): void {
  const url = URL.createObjectURL(new Blob([json], { type: "application/json" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: "threadkeep-inspector.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
