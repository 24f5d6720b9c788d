/** @jsxImportSource preact */
// The list of messages. Only the rows that can be seen are in the document, so that a conversation of any length is quick.
import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { type Activity, activityOf } from "./activity.js";
import { useAnnouncements } from "./announcements.js";
import { Entry } from "./entry.js";
import { Folds } from "./folds.js";
import { Follow } from "./follow.js";
import { queuedIn, type Row } from "./rows.js";
import { useSought } from "./sought.js";
import { rowsWithSteps, shownRows, toggleSteps } from "./steps.js";
import { StepsLine } from "./steps-line.js";
import { noteThinking } from "./thinking.js";
import { useVirtualRows } from "./virtual-rows.js";

export interface MessageListProps {
  thread: Thread;
  /** The event to show first, such as that of a link: its message is scrolled to and marked. Another one is shown when it is set. */
  eventId?: string | null | undefined;
  /** Called with `eventId` if no message here shows it: it may be on another branch. */
  onMissing?: ((eventId: string) => void) | undefined;
  /** Shown in place of messages while there are none. */
  empty?: ComponentChildren;
  /** Shown after the messages, and scrolled with them: `<StatusLine>`, and `<Approvals>`, which shows the calls that wait in their place. */
  children?: ComponentChildren;
}

/** The messages, of which only those in sight are in the document. It fills its container and scrolls. */
export function MessageList({ thread, eventId, onMissing, empty, children }: MessageListProps) {
  const chat = useChat();
  const { labels, visualizer } = chat;
  const snapshot = useSnapshot(thread);
  const { phase, hasEarlier, isRunning, approvals } = snapshot;
  const scroller = useRef<HTMLDivElement>(null);
  const items = useRef<HTMLDivElement>(null);
  const follow = useRef<Follow | null>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [isLoading, setLoading] = useState(false);
  // The height of a row changes with a rendering only, after which the end is kept.
  const [, render] = useReducer<number, void>((count) => count + 1, 0);
  const folds = useMemo(() => new Set<string>(), [thread]);

  const focused = useRef<string | null>(null);
  const [toggled, refold] = useReducer<number, void>((count) => count + 1, 0);

  const all = useMemo(() => {
    noteThinking(snapshot.messages);
    return visualizer === null ? [] : rowsWithSteps(snapshot.messages, visualizer);
  }, [snapshot.messages, visualizer]);
  const rows = useMemo(() => shownRows(all, folds, focused.current), [all, folds, toggled]);
  const virtual = useVirtualRows({ rows, scroller, items, onWrite: () => follow.current?.wrote() });
  useAnnouncements(snapshot, chat);
  const marked = useSought({
    eventId,
    onMissing,
    snapshot,
    rows: all,
    isLoading,
    loadAll: () => void loadEarlier(true),
    unfold(row) {
      if (row.line === null || folds.has(row.line)) return false;
      folds.add(row.line);
      refold();
      return true;
    },
    show(row) {
      follow.current?.leave();
      virtual.show(rows.indexOf(row));
    },
  });

  useLayoutEffect(() => {
    const element = scroller.current!;
    follow.current = new Follow(element, setAtEnd);
    chat.list.current = { followEnd: toEnd, focus, grown: render };
    // Text rewraps, a font loads, details unfold: the end stays in sight. The height of the rows changes with a rendering only,
    // after which the end is kept anyway; to observe it would be to hear of it once more, and too late for this frame.
    const resized = new ResizeObserver(() => {
      virtual.resized();
      keepEnd();
    });
    for (const observed of [element, ...element.firstElementChild!.children]) if (observed !== items.current) resized.observe(observed);
    return () => resized.disconnect();
  }, [thread, chat]);
  useLayoutEffect(keepEnd);
  // All of what was unfolded may be in sight.
  useLayoutEffect(() => follow.current?.scrolled(), [toggled]);

  /** Nobody has pressed Tab to come here, so no frame is drawn around all messages before the next key. */
  function focus(): void {
    const element = scroller.current!;
    element.dataset["focus"] = "moved";
    element.focus({ preventScroll: true });
  }

  function showFocus(): void {
    delete scroller.current?.dataset["focus"];
  }

  /** The row with the focus stays in the document. */
  function keep(index: number | null): void {
    focused.current = index === null ? null : rows[index]!.key;
    virtual.keep(index);
  }

  function keepEnd(): void {
    // The view in place of messages is read from its beginning.
    if (items.current!.childElementCount > 0 && follow.current?.keep()) virtual.moved();
  }

  /** What is unfolded begins where it was, and is not scrolled away by the end of the list. */
  function toggle(line: Row): void {
    toggleSteps(line, all, folds);
    if (folds.has(line.key)) follow.current?.leave();
    refold();
  }

  function toEnd(): void {
    follow.current?.toEnd();
    virtual.moved();
  }

  async function loadEarlier(all = false): Promise<void> {
    if (!hasEarlier || isLoading) return;
    setLoading(true);
    try {
      await thread.loadEarlier({ all });
    } catch {
      // The failure is in the snapshot, which another part of the chat shows.
    } finally {
      setLoading(false);
    }
  }

  async function toBeginning(): Promise<void> {
    follow.current?.leave();
    await loadEarlier(true);
    if (scroller.current === null) return;
    scroller.current.scrollTop = 0;
    follow.current?.wrote();
    virtual.moved();
    chat.focusMessages();
  }

  function onScroll(): void {
    // The event of the last scroll comes after the list is gone.
    if (scroller.current === null) return;
    follow.current?.scrolled();
    const { scrollTop, clientHeight } = scroller.current;
    // The next page is there before the reader is.
    if (follow.current?.isAtEnd !== false || scrollTop >= clientHeight || !hasEarlier || isLoading) return;
    // Its own listener has not heard of this position, which has to stay.
    virtual.moved();
    void loadEarlier();
  }

  function onKeyDown(event: TargetedKeyboardEvent<HTMLElement>): void {
    if (event.target === event.currentTarget) showFocus();
    if (event.target !== event.currentTarget || event.altKey || event.shiftKey) return;
    if (event.key === "Home" || (event.key === "ArrowUp" && event.metaKey)) void toBeginning();
    else if (event.key === "End" || (event.key === "ArrowDown" && event.metaKey)) toEnd();
    else return;
    event.preventDefault();
  }

  // The agent has not read the messages behind this one.
  const queued = queuedIn(snapshot.messages);
  // The thread goes on after the last row.
  const continues = isRunning || approvals.length > 0;
  const activity = activityOf(snapshot, labels);
  const working = <div class="live">{activity && <ActivityLine {...activity} />}</div>;
  const rowView = (row: Row) =>
    row.steps === null ? (
      <Entry row={row} visualizer={visualizer!} isAsked={isAbout(row, asked)} hasActions />
    ) : (
      <StepsLine steps={row.steps} isOpen={folds.has(row.key)} toggle={() => toggle(row)} />
    );
  const asked = new Set(isRunning ? [] : approvals.map(({ actionId }) => actionId));
  return (
    <div class="main">
      <div
        class="scroller"
        part="scroller"
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={labels.messages}
        aria-busy={phase === "opening"}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
        onBlur={showFocus}
      >
        <div class="column">
          <div class="earlier" hidden={!hasEarlier}>
            <button type="button" class="button" disabled={isLoading} onClick={() => void loadEarlier()}>
              {labels.loadEarlier}
            </button>
            <button type="button" class="button plain" disabled={isLoading} onClick={() => void toBeginning()}>
              {labels.toBeginning}
            </button>
          </div>
          {rows.length === 0 && visualizer !== null ? (
            <div class="empty">
              {phase === "opening" ? <p class="quiet">{labels.opening}</p> : (empty ?? <p class="quiet">{labels.empty}</p>)}
            </div>
          ) : null}
          <Folds.Provider value={folds}>
            <div
              class={continues ? "items continues" : "items"}
              ref={items}
              style={{ height: `${virtual.height}px` }}
              onFocusIn={(event) => keep(indexOf(event.target))}
              onFocusOut={() => keep(null)}
            >
              {virtual.drawn.map(({ key, index, start }) => (
                <div
                  key={key}
                  class={`row${rows[index]!.line === null ? "" : " step"}${index === 0 ? " first" : ""}${index === rows.length - 1 ? " last" : ""}${key === marked ? " marked" : ""}`}
                  data-index={index}
                  ref={virtual.measure}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {queued > 0 && index === rows.length - queued && working}
                  {rowView(rows[index]!)}
                </div>
              ))}
            </div>
          </Folds.Provider>
          {queued === 0 && working}
          <div class="next">{children}</div>
        </div>
      </div>
      <button class="button jump" part="jump" type="button" hidden={isAtEnd} onClick={() => (toEnd(), chat.focusMessages())}>
        {labels.jump}
      </button>
    </div>
  );
}

/** Whether a row is a call that the user decides about. */
const isAbout = ({ part }: Row, asked: ReadonlySet<string>): boolean =>
  part?.type === "tool" && part.actionId !== null && asked.has(part.actionId);

/** The number of the row that an element is in. */
function indexOf(target: EventTarget | null): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row === null ? null : Number(row.dataset["index"]);
}

function ActivityLine({ words, isWaiting }: Activity) {
  return (
    <div class="entry entry-activity">
      <p class={isWaiting ? "activity waiting" : "activity"}>
        {isWaiting && (
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
        )}
        <span class="activity-words" dir="auto">
          {words}
        </span>
      </p>
    </div>
  );
}
