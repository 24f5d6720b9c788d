// Notices about the page, shown above the conversation until they are dismissed. An error is announced at once. Of notices
// about the same thing only the newest is shown.

import { el, byId } from "./dom.ts";
import { explain, type Failure, type Recovery, RECOVERY_NAMES } from "./failures.ts";
import { icon } from "./icons.ts";
import { runRecovery } from "./recoveries.ts";

interface NoticeAction {
  name: string;
  /** The notice goes with the click, unless this returns false. */
  act: () => unknown;
}

const SHORT_LIFE = 6000;
/** Of news with an action, which somebody may want to think about. */
const LONGER_LIFE = 12_000;
const PATIENCE = 400;

/** A success, perhaps with an action: disappears by itself, and is replaced by the next one. */
export function notify(text: string, action?: NoticeAction): void {
  // An action in the list can be undone wherever one is.
  const notice = show({ title: "", text, kind: "news", subject: "news", actions: action ? [action] : [], isHere: !action });
  const end = (): void => {
    if (notice.matches(":hover, :focus-within")) setTimeout(end, SHORT_LIFE);
    else notice.remove();
  };
  setTimeout(end, action ? LONGER_LIFE : SHORT_LIFE);
}

/** What was told about one conversation is not about the next. */
export function forgetElsewhere(): void {
  for (const notice of byId("notices").querySelectorAll<HTMLElement>("[data-route]"))
    if (notice.dataset["route"] !== location.hash) notice.remove();
}

/**
 * An offer: stays until it is accepted or dismissed. `act` returns whether it was accepted. `isHere`: it is about the conversation that is
 * open, and goes with it. Returns its button.
 */
export function offer(text: string, name: string, act: () => boolean, { isHere = false } = {}): HTMLElement {
  return show({ title: "", text, kind: "offer", subject: text, actions: [{ name, act }], isHere }).querySelector("button")!;
}

export interface Work {
  onProgress: (progress: { done: number; total: number }) => void;
  /** Says which part of the work it is at, such as “3 of 20”. */
  tell: (place: string) => void;
  /** Returns whether the focus was in the notice, which is gone now. */
  end: () => boolean;
}

/** Long work: stays until `end`, and shows the progress. Short work ends before the notice appears. With `stop` it has a button. */
export function showWork(name: string, stop?: () => void): Work {
  const bar = el("progress", { "aria-label": name });
  const place = el("span", { class: "quiet" });
  const press = (): void => {
    // It stays where it is, because it has the focus.
    button.setAttribute("aria-disabled", "true");
    button.removeAttribute("aria-label");
    button.textContent = "Stopping…";
    stop?.();
  };
  const button = el("button", { type: "button", class: "button small", "aria-label": `Stop: ${name}`, onclick: press }, "Stop");
  const text = el("p", { class: "notice-text" }, name, " ", place);
  const notice = el("div", { class: "notice notice-work" }, text, bar, stop && button);
  const timer = setTimeout(() => byId("notices").append(notice), PATIENCE);
  return {
    onProgress: ({ done, total }) => void (bar.value = total === 0 ? 1 : done / total),
    tell: (words) => void (place.textContent = words),
    end: () => {
      clearTimeout(timer);
      const hadFocus = notice.contains(document.activeElement);
      notice.remove();
      return hadFocus;
    },
  };
}

interface Reported {
  title?: string;
  /** It is about the conversation that is open, and goes with it. */
  isHere?: boolean;
  /** Replaces the actions of the failure itself. */
  recoveries?: Recovery[];
  retry?: () => unknown;
  retryName?: string;
}

/** A failure: stays, with the possible actions. `retry` replaces the generic action of that name. */
export function report(error: unknown, { title, isHere = false, recoveries, retry, retryName = "Try again" }: Reported = {}): void {
  const failure = { ...explain(error), ...(recoveries && { recoveries }) };
  const heading = title ?? failure.title;
  show({
    title: heading,
    text: failure.text,
    kind: "failure",
    subject: heading,
    actions: actionsFor(failure, retry ? { name: retryName, act: retry } : null),
    isHere,
  });
}

/** Removes the notice about this subject, which has become untrue. */
export function withdraw(subject: string): void {
  for (const notice of byId("notices").querySelectorAll<HTMLElement>(".notice")) if (notice.dataset["subject"] === subject) notice.remove();
}

function actionsFor(failure: Failure, retry: NoticeAction | null): NoticeAction[] {
  const actions: NoticeAction[] = retry ? [retry] : [];
  for (const recovery of failure.recoveries)
    if (recovery !== "retry") actions.push({ name: RECOVERY_NAMES[recovery], act: () => runRecovery(recovery) });
  return actions;
}

interface Notice {
  title: string;
  text: string;
  kind: "news" | "offer" | "failure";
  /** It replaces the notice with the same subject. */
  subject: string;
  actions: NoticeAction[];
  isHere: boolean;
}

function show({ title, text, kind, subject, actions, isHere }: Notice): HTMLElement {
  // Several notices may have a button “Try again”, so its name says what it is about.
  const about = (title || text).replace(/\.$/, "");
  const button = ({ name, act }: NoticeAction): HTMLElement =>
    el(
      "button",
      { type: "button", class: "button small", "aria-label": `${name}: ${about}`, onclick: () => act() !== false && notice.remove() },
      name,
    );
  const notice: HTMLElement = el(
    "div",
    { class: `notice notice-${kind}`, role: kind === "failure" ? "alert" : "status", "data-subject": subject },
    el("div", { class: "notice-text" }, title ? el("strong", {}, title) : null, el("p", {}, text)),
    ...actions.map(button),
    el(
      "button",
      { type: "button", class: "icon-button", "aria-label": `Dismiss: ${about}`, onclick: () => notice.remove() },
      icon("close"),
    ),
  );
  if (isHere) notice.dataset["route"] = location.hash;
  withdraw(subject);
  byId("notices").append(notice);
  // There may be more of them than their place shows.
  notice.scrollIntoView({ block: "nearest" });
  return notice;
}
