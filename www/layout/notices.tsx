/** @jsxImportSource preact */
// Notices about the page, above the conversation until they are dismissed. Of notices about the same thing only the newest is shown.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { explain, type Recovery, recoveryActs, recoveryNames } from "./failures.ts";
import { Icon } from "./icons.tsx";
import { useValue, Value } from "./value.ts";

export interface NoticeAction {
  name: string;
  /** The notice goes with the click, unless this returns false. */
  act: () => unknown;
}

interface Notice {
  kind: "news" | "offer" | "failure";
  title: string;
  text: string;
  actions: readonly NoticeAction[];
  /** The address of the conversation that it is about, and with which it goes; empty for none. */
  route: string;
}

/** How long news stay, in milliseconds. */
const life = 6000;

const notices = new Value<readonly Notice[]>([]);
const subjectOf = ({ kind, title, text }: Notice): string => (kind === "news" ? "news" : title || text);
const remove = (notice: Notice): void => notices.set(notices.get().filter((each) => each !== notice));

function show(notice: Notice): void {
  const others = notices.get().filter((each) => subjectOf(each) !== subjectOf(notice));
  notices.set([...others, notice]);
}

/** A success: disappears by itself. */
export const notify = (text: string): void => show({ kind: "news", title: "", text, actions: [], route: location.hash });

/** An offer: stays until it is accepted or dismissed. `isHere`: it is about the conversation that is open, and goes with it. */
export const offer = (text: string, action: NoticeAction, { isHere = false } = {}): void =>
  show({ kind: "offer", title: "", text, actions: [action], route: isHere ? location.hash : "" });

interface Reported {
  title?: string;
  isHere?: boolean;
  /** Replaces the actions of the failure itself. */
  recoveries?: readonly Recovery[];
  retry?: () => unknown;
  retryName?: string;
}

/** A failure: is announced at once, and stays, with the possible actions. */
export function report(error: unknown, { title, isHere = false, recoveries, retry, retryName = "Try again" }: Reported = {}): void {
  const failure = explain(error);
  const helps = (recoveries ?? failure.recoveries).map((each) => ({ name: recoveryNames[each], act: () => void recoveryActs[each]?.() }));
  const actions = [...(retry ? [{ name: retryName, act: retry }] : []), ...helps];
  show({ kind: "failure", title: title ?? failure.title, text: failure.text, actions, route: isHere ? location.hash : "" });
}

/** Removes the notice about this subject, which has become untrue. */
export const withdraw = (subject: string): void => notices.set(notices.get().filter((each) => subjectOf(each) !== subject));

/** What was told about one conversation is not about the next. */
export const forgetElsewhere = (): void => notices.set(notices.get().filter(({ route }) => route === "" || route === location.hash));

export function Notices() {
  return (
    <div class="notices" id="notices">
      {useValue(notices).map((notice) => (
        <NoticeView key={subjectOf(notice)} notice={notice} />
      ))}
    </div>
  );
}

function NoticeView({ notice }: { notice: Notice }) {
  const { kind, title, text, actions } = notice;
  const place = useRef<HTMLDivElement>(null);
  // Several notices may have a button “Try again”, so its name says what it is about.
  const about = (title || text).replace(/\.$/, "");
  // There may be more of them than their place shows.
  useLayoutEffect(() => place.current!.scrollIntoView({ block: "nearest" }), [notice]);
  useEffect(() => {
    if (kind !== "news") return;
    const timer = setInterval(() => place.current!.matches(":hover, :focus-within") || remove(notice), life);
    return () => clearInterval(timer);
  }, [notice]);
  return (
    <div ref={place} class={`notice notice-${kind}`} role={kind === "failure" ? "alert" : "status"}>
      <div class="notice-text">
        {title && <strong>{title}</strong>}
        <p>{text}</p>
      </div>
      {actions.map(({ name, act }) => (
        <button
          key={name}
          type="button"
          class="button small"
          aria-label={`${name}: ${about}`}
          onClick={() => act() !== false && remove(notice)}
        >
          {name}
        </button>
      ))}
      <button type="button" class="icon-button" aria-label={`Dismiss: ${about}`} onClick={() => remove(notice)}>
        <Icon name="close" />
      </button>
    </div>
  );
}
