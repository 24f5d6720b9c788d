/** @jsxImportSource preact */
// A request that failed and is made again: why, when, and how to do it at once.
import { useEffect, useId, useState } from "preact/hooks";
import type { WaitingEvent } from "threadkeep";
import type { Thread } from "../../thread/index.js";
import { useChat } from "../context.js";
import { sentence, titleOfFailure } from "./failures.js";

/** When each wait ends: a view that is shown later goes on counting. In milliseconds since 1970, for a sleeping device. */
const ends = new WeakMap<WaitingEvent, number>();

function endOf(waiting: WaitingEvent): number {
  const end = ends.get(waiting) ?? Date.now() + waiting.seconds * 1000;
  ends.set(waiting, end);
  return end;
}

export function WaitingView({ thread, waiting }: { thread: Thread; waiting: WaitingEvent }) {
  const { labels, announce, focusField } = useChat();
  const { attempt, why, message } = waiting;
  const [, tick] = useState(0);
  const id = useId();
  const title = titleOfFailure(why, thread.getSnapshot().home, labels);
  useEffect(() => announce(`${title}. ${labels.retryIn(secondsLeft(waiting))}`), [waiting]);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 250);
    return () => clearInterval(timer);
  }, []);
  const left = secondsLeft(waiting);
  return (
    <section
      class="entry entry-next next-step waiting-view"
      part="status"
      role="group"
      aria-labelledby={id}
      data-why={why}
      data-attempt={attempt}
    >
      <h2 class="next-title" id={id}>
        {title}
      </h2>
      <p class="quiet">{why === "offline" ? labels.offline : sentence(message)}</p>
      <p class="countdown">
        {why !== "offline" && `${labels.attempt(attempt)} `}
        {left === 0 ? labels.retrying : why === "offline" ? labels.retryShort(left) : labels.retryIn(left)}
      </p>
      <div class="buttons">
        <button
          type="button"
          class="button small"
          onClick={() => {
            thread.retryNow();
            focusField();
          }}
        >
          {labels.retryNow}
        </button>
      </div>
    </section>
  );
}

const secondsLeft = (waiting: WaitingEvent): number => Math.max(0, Math.ceil((endOf(waiting) - Date.now()) / 1000));
