/** @jsxImportSource preact */
// The notices of the list, below it.
import { useEffect, useRef } from "preact/hooks";
import { useListContext } from "./context.js";
import { focusedIn } from "./focus.js";
import { Icon } from "./icons.js";
import type { Notice, Notices } from "./notices.js";

/** How many milliseconds news stay, and news with an action, which somebody may want to think about. */
const shortLife = 6000;
const longerLife = 12_000;

interface NoticeListProps {
  notices: Notices;
  /** Moves the focus elsewhere, because a notice that has it goes. */
  leave: () => void;
}

export function NoticeList({ notices, leave }: NoticeListProps) {
  if (notices.list.length === 0) return null;
  return (
    <div class="conversations-notices">
      {notices.list.map((notice) => (
        <NoticeView key={notice.subject} notice={notice} notices={notices} leave={leave} />
      ))}
    </div>
  );
}

function NoticeView({ notice, notices, leave }: NoticeListProps & { notice: Notice }) {
  const { labels } = useListContext();
  const { subject, kind, title = "", text, actions, done } = notice;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (kind !== "news") return;
    let timer: ReturnType<typeof setTimeout>;
    const end = (): void => {
      if (element.current?.matches(":hover, :focus-within")) timer = setTimeout(end, shortLife);
      else notices.remove(subject);
    };
    timer = setTimeout(end, actions.length > 0 ? longerLife : shortLife);
    return () => clearTimeout(timer);
  }, [notice]);
  const about = (title || text).replace(/\.$/, "");
  const press = (act: () => unknown): void => {
    if (element.current?.contains(focusedIn(element.current)) && kind !== "work") leave();
    if (act() !== false) notices.remove(subject);
  };
  return (
    <div ref={element} class="conversations-notice" data-kind={kind} role={kind === "failure" ? "alert" : "status"}>
      <div class="conversations-notice-text">
        {title && <strong>{title}</strong>}
        {text && <p class={kind === "work" ? "quiet" : undefined}>{text}</p>}
      </div>
      {done !== undefined && <progress aria-label={title} value={done} />}
      {/* By their places: a button that changes its name keeps the focus. */}
      {actions.map(({ name, act }, at) => (
        <button key={at} type="button" class="button small" aria-label={labels.buttonOf(name, about)} onClick={() => press(act)}>
          {name}
        </button>
      ))}
      {kind !== "work" && (
        <button type="button" class="icon-button" aria-label={labels.buttonOf(labels.dismiss, about)} onClick={() => press(() => true)}>
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
