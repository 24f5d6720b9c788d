/** @jsxImportSource preact */
// The actions of a message: copy it, edit it, answer again, and the arrows between versions.
import { beginning } from "../beginning.js";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Thread, UIMessage } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { Icon } from "./icon.js";
import { MessageEditor } from "./message-editor.js";
import { textOf } from "./message-text.js";
import { type Parting, partingsAt, pressedOf } from "./versions.js";

export interface MessageActionsProps {
  thread: Thread;
  message: UIMessage;
  /** More buttons of the page. */
  children?: ComponentChildren;
}

export function MessageActions({ thread, message, children }: MessageActionsProps) {
  const { labels, announce, followEnd, focusField, giveBack, linkOf } = useChat();
  const { phase, messages, isRunning, approvals, continuations, status } = useSnapshot(thread);
  const partings = partingsAt(message, { messages, continuations });
  const [isEdited, edit] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const wasEdited = useRef(false);
  useLayoutEffect(() => {
    if (wasEdited.current) opener.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  const isUser = message.role === "user";
  const isLast = messages.at(-1)?.id === message.id;
  const text = textOf(message);
  const what = text === "" ? labels.withoutText : excerpt(text, message.role);
  // The last event of an answer is what it has led to.
  const linked = isUser ? message.id : message.eventIds.at(-1);
  const link = message.createdAt !== null && linked !== undefined && linkOf(linked);
  // While calls wait the library refuses other branches, and a message that is not part of the branch yet has no place there.
  const isQueued = message.state === "queued";
  const canBranch = !isQueued && !isRunning && phase === "open" && approvals.length === 0 && message.createdAt !== null;
  // The editor stays while the agent works, for nobody wants to write twice.
  if (isEdited && phase === "open")
    return <MessageEditor {...{ thread, message, canSend: isQueued || canBranch }} close={() => edit(false)} />;
  const takeBack = async (): Promise<void> => {
    await thread.removeMessage(message.id);
    announce(labels.removedQueued);
    giveBack(text);
  };
  return (
    <div class="message-actions" part="actions">
      <div class="verbs">
        {text !== "" && <CopyButton verb="copy" text={text} label={labels.copy} name={labels.copyMessage(what)} />}
        {link && <CopyButton verb="link" text={link} label={labels.copyLink} name={labels.copyLinkTo(what)} />}
        {isUser && (canBranch || isQueued) && (
          <VerbButton verb="edit" name={labels.editMessage(what)} text={labels.edit} onClick={() => edit(true)} button={opener} />
        )}
        {isQueued && (
          <VerbButton
            verb="remove"
            name={labels.removeQueuedName(what)}
            text={labels.removeQueued}
            onClick={() => void takeBack().catch(() => {})}
          />
        )}
        {/* After a failure the line of the state has a button for it. */}
        {!isUser && isLast && canBranch && status !== "error" && (
          <VerbButton
            verb="again"
            name={labels.answerAgainFor(what)}
            text={labels.answerAgain}
            onClick={() => {
              followEnd();
              focusField();
              thread.regenerate().catch(() => {});
            }}
          />
        )}
        {children}
      </div>
      {canBranch &&
        partings.map((parting) => (
          <PartingView key={parting.ids[0]} {...{ thread, parting }} what={parting.isEnd ? labels.whatFollows : what} />
        ))}
    </div>
  );
}

/** Such as “‹ 2 of 3 ›”. An arrow without a version behind it stays, so that the focus does too. */
function PartingView({ thread, parting, what }: { thread: Thread; parting: Parting; what: string }) {
  const { labels, announce, focusField } = useChat();
  const group = useRef<HTMLDivElement>(null);
  const { ids, index: at, count } = parting;
  const [first] = ids;
  useLayoutEffect(() => {
    const pressed = pressedOf.get(thread);
    if (!pressed || pressed.first !== first || pressed.at === at) return;
    pressedOf.delete(thread);
    const own = group.current!;
    own.querySelector<HTMLElement>(`[data-verb="${pressed.verb}"]`)!.focus({ preventScroll: true });
    own.closest(".scroller")?.scrollBy({ top: own.getBoundingClientRect().top - pressed.top, behavior: "instant" });
    announce(labels.version(at + 1, count));
  }, [first, at]);
  const arrow = (verb: "previous" | "next", step: 1 | -1) => {
    const id = ids[at + step];
    const name =
      id !== undefined
        ? labels.showVersion(at + step + 1, count, what)
        : verb === "previous"
          ? labels.noPrevious(what)
          : labels.noNext(what);
    const show = (): void => {
      if (id === undefined) return;
      pressedOf.set(thread, { first, at, verb, top: group.current!.getBoundingClientRect().top });
      focusField();
      thread.showVersion(id).catch(() => pressedOf.delete(thread));
    };
    return <VerbButton verb={verb} name={name} text="" onClick={show} isOff={id === undefined} />;
  };
  return (
    <div ref={group} class="parting verbs" role="group" aria-label={labels.versionsOf(what)}>
      {arrow("previous", -1)}
      <span>
        <span class="visually-hidden">{labels.version(at + 1, count)}</span>
        <span aria-hidden="true">{labels.versionShort(at + 1, count)}</span>
      </span>
      {arrow("next", 1)}
    </div>
  );
}

interface VerbButtonProps {
  verb: "edit" | "remove" | "again" | "previous" | "next" | "copy" | "link";
  name: string;
  text: string;
  onClick: () => void;
  isOff?: boolean;
  button?: { current: HTMLButtonElement | null } | null;
}

function VerbButton({ verb, name, text, onClick, isOff = false, button = null }: VerbButtonProps) {
  return (
    <button
      ref={button}
      type="button"
      class="button plain small"
      data-verb={verb}
      aria-label={name}
      title={text || name}
      aria-disabled={isOff}
      onClick={onClick}
    >
      <Icon name={verb} />
      {text}
    </button>
  );
}

/** In milliseconds. */
const saidFor = 1600;

interface CopyButtonProps {
  verb: "copy" | "link";
  /** The text to copy: of a message its Markdown, which programs without Markdown show as readable text. */
  text: string;
  label: string;
  name: string;
}

function CopyButton({ verb, text, label, name }: CopyButtonProps) {
  const { labels, announce } = useChat();
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    announce(said);
    const timer = setTimeout(() => say(""), saidFor);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      say(labels.copied);
    } catch {
      say(labels.copyNotAllowed);
    }
  };
  return <VerbButton verb={verb} name={name} text={said || label} onClick={() => void copy()} />;
}

const excerptLength = 40;

/** The beginning of a text, in quotes. Only the agent writes Markdown. */
export function excerpt(text: string, role: UIMessage["role"]): string {
  const line = (role === "assistant" ? text.replace(/[*_`#>~|]+/g, "") : text).replace(/\s+/g, " ").trim();
  return line.length <= excerptLength ? `“${line}”` : `“${beginning(line, excerptLength).replace(/\s+\S*$/, "")}…”`;
}
