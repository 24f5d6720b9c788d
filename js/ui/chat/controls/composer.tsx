/** @jsxImportSource preact */
// The field in which the user writes: it grows with its text, keeps an unsent draft over a reload, takes files, sends and stops.
import { isOfComposition } from "../composition.js";
import type { RefObject } from "preact";
import { useEffect, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Content, FileContent, Image } from "threadkeep";
import type { Approval, Thread } from "../../thread/index.js";
import { useChat, useSnapshot } from "../context.js";
import { AttachmentList, useAttachments } from "./attachment-list.js";
import { readDraft, writeDraft } from "./drafts.js";
import { sentence } from "./failures.js";
import { useFileDrop } from "./file-drop.js";
import { HomeLine } from "./home-line.js";
import { OfflineLine } from "./offline-line.js";
import { Icon } from "./icon.js";
import { type ChatModel, ModelMenu } from "./model-menu.js";
import { notify } from "./notices.js";
import { Spent } from "./spent.js";

/** The composer, for the page around it. */
export interface ComposerHandle {
  focus(): void;
  /** Replaces the text, and moves the focus there. */
  fill(text: string): void;
  attach(files: readonly Blob[]): void;
}

export interface ComposerProps {
  thread: Thread;
  /** The models to choose from. With fewer than two there is no menu. */
  models?: readonly ChatModel[] | undefined;
  /** Called with the name of a model that was chosen, when the conversation has it. */
  onModelChange?: ((name: string) => void) | undefined;
  handle?: RefObject<ComposerHandle | null> | undefined;
}

/** How many calls a message must not decide about. */
const undecidedIn = (approvals: readonly Approval[]): number => approvals.filter(({ why }) => why === "approval").length;

/** A text of so many characters is pasted as a file, because nobody can read it in the field. */
const longText = 100_000;

/** The field to write in. */
export function Composer({ thread, handle, models = [], onModelChange }: ComposerProps) {
  const { labels, announce, followEnd, field: registered } = useChat();
  const { phase, isRunning, approvals, conversationId, home } = useSnapshot(thread);
  const field = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const chooser = useRef<HTMLInputElement>(null);
  const id = useId();
  const { text, setText, settle } = useDraft(conversationId);
  const attachments = useAttachments(conversationId);
  const [wrong, setWrong] = useState("");
  const [asks, setAsks] = useState(false);

  const isOver = phase === "failed" || phase === "closed";
  /** Why nothing can be sent. */
  const reason = isOver ? labels.notOpen : null;
  const undecided = isRunning ? 0 : undecidedIn(approvals);

  const focus = (): void => field.current?.focus();
  const attach = async (files: readonly Blob[]): Promise<void> => {
    if (reason !== null || files.length === 0) return;
    setWrong("");
    focus();
    setWrong(await attachments.add(files, thread.getSnapshot().home === "server", labels, announce));
  };
  useFileDrop(form, (files) => void attach(files));
  useImperativeHandle(handle ?? null, () => ({
    focus,
    attach: (files) => void attach(files),
    fill: (text: string) => (setText(text), focus()),
  }));
  useLayoutEffect(() => {
    registered.current = { focus, giveBack: (given) => (setText([given, text].filter(Boolean).join("\n")), focus()) };
  });
  useGrowing(field, text);
  // The calls that the question was about are decided.
  if (asks && undecided === 0) setAsks(false);

  const submit = async (chosen?: "reject" | "keep"): Promise<void> => {
    const words = text.trim();
    if (reason !== null) return announce(reason);
    if (words === "" && attachments.list.length === 0) return;
    // Calls may have come since this was drawn.
    const now = thread.getSnapshot();
    const asked = undecidedIn(now.approvals);
    if (asked > 0 && !now.isRunning && chosen === undefined) return setAsks(true);
    // While some of the calls run, nobody can reject the others, and a message waits in any case.
    const pending = chosen ?? (asked > 0 && now.home !== "server" ? "keep" : undefined);
    const taken = attachments.take();
    const parts: Array<Content | Image | FileContent> = [
      ...(words === "" ? [] : [{ type: "text" as const, text: words }]),
      ...taken.map(({ part }) => part),
    ];
    setAsks(false);
    setWrong("");
    setText("", { isSent: true });
    focus();
    followEnd();
    try {
      await thread.send(taken.length === 0 ? words : parts, pending ? { pending } : {});
      settle(conversationId, "");
      if (pending === "keep") notify(thread, labels.kept);
    } catch (error) {
      settle(conversationId, text);
      attachments.giveBack(conversationId, taken);
      setWrong(sentence((error as Error).message));
    }
  };

  return (
    <div class="dock">
      <form
        ref={form}
        class="composer"
        part="composer"
        aria-label={labels.composer}
        onSubmit={(event) => (event.preventDefault(), void submit())}
      >
        <AttachmentList list={attachments.list} onRemove={(each) => (attachments.remove(each), focus())} />
        {reason !== null && (text !== "" || attachments.list.length > 0) && <p class="quiet composer-wrong">{reason}</p>}
        {wrong && (
          <p class="wrong composer-wrong" role="alert">
            {wrong}
          </p>
        )}
        {asks && (
          <Undecided
            count={undecided}
            isOnServer={home === "server"}
            choose={(pending) => void submit(pending)}
            cancel={() => (setAsks(false), focus())}
          />
        )}
        <button
          type="button"
          class="icon-button attach"
          aria-label={labels.attach}
          title={labels.attach}
          disabled={reason !== null}
          onClick={() => chooser.current?.click()}
        >
          <Icon name="attach" />
        </button>
        <input
          ref={chooser}
          class="attach-file"
          type="file"
          multiple
          hidden
          aria-label={labels.filesToAttach}
          onChange={({ currentTarget }) => {
            void attach([...(currentTarget.files ?? [])]);
            // Otherwise choosing the same file again would be no change.
            currentTarget.value = "";
          }}
        />
        <textarea
          ref={field}
          class="composer-text"
          rows={1}
          enterkeyhint="send"
          aria-label={labels.message}
          aria-describedby={`${id}-hint`}
          placeholder={reason ?? labels.composer}
          disabled={isOver}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onPaste={(event) => {
            const text = event.clipboardData?.getData("text/plain") ?? "";
            // A server takes no files from here.
            const isFile = text.length >= longText && home !== "server";
            // Programs such as word processors copy a picture of a text beside it.
            if (!isFile && (text !== "" || !event.clipboardData?.files.length)) return;
            event.preventDefault();
            void attach(isFile ? [new File([text], labels.pastedText, { type: "text/plain" })] : [...event.clipboardData!.files]);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape" && asks) return setAsks(false);
            // An Enter that ends a composition (Japanese, Chinese, …) belongs to the input method; Safari reports it by this code.
            if (event.key !== "Enter" || event.shiftKey || isOfComposition(event) || matchMedia("(pointer: coarse)").matches) return;
            event.preventDefault();
            void submit();
          }}
        />
        <div class="composer-buttons">
          {isRunning && <RunButtons thread={thread} focus={focus} />}
          <button class="button primary send" type="submit" disabled={reason !== null}>
            {labels.send}
          </button>
        </div>
      </form>
      <div class="dock-foot">
        <p class="visually-hidden" id={`${id}-hint`}>
          {reason ?? labels.composerHint}
        </p>
        <HomeLine thread={thread} focus={focus} />
        <OfflineLine />
        <ModelMenu thread={thread} models={models} onChange={onModelChange} />
        <Spent thread={thread} />
      </div>
    </div>
  );
}

/** Stop and Pause. Escape stops, too. A pause takes effect after the current step, so Stop stays visible. */
function RunButtons({ thread, focus }: { thread: Thread; focus: () => void }) {
  const { labels, announce } = useChat();
  const isPausing = useSnapshot(thread).status === "paused";
  const buttons = useRef<HTMLSpanElement>(null);
  const [asked, setAsked] = useState<"stop" | "pause" | null>(null);
  const act = (what: "stop" | "pause"): void => {
    if (asked === what || asked === "stop") return;
    setAsked(what);
    announce(what === "stop" ? labels.stopping : labels.pausing);
    thread[what]().catch(() => setAsked(null));
  };
  useEffect(() => {
    // From anywhere in the chat, unless something else there takes the key.
    const chat = buttons.current!.closest(".dock")!.parentNode!;
    const onKey = (event: Event): void => {
      const { key } = event as KeyboardEvent;
      const isTaken = event.composedPath().some((each) => each instanceof HTMLDialogElement || each instanceof HTMLSelectElement);
      if (key === "Escape" && !event.defaultPrevented && !isOfComposition(event as KeyboardEvent) && !isTaken) act("stop");
    };
    chat.addEventListener("keydown", onKey);
    return () => chat.removeEventListener("keydown", onKey);
  });
  // The button with the focus goes away with the run.
  useLayoutEffect(() => {
    const own = buttons.current!;
    return () => void (own.contains((own.getRootNode() as Document | ShadowRoot).activeElement) && focus());
  }, []);
  return (
    <span ref={buttons} class="run-buttons">
      <button type="button" class="button pause" aria-disabled={asked !== null || isPausing} onClick={() => isPausing || act("pause")}>
        {labels.pause}
      </button>
      <button type="button" class="button stop" aria-disabled={asked === "stop"} onClick={() => act("stop")}>
        {labels.stop}
      </button>
    </span>
  );
}

interface UndecidedProps {
  count: number;
  /** Then no message can wait. */
  isOnServer: boolean;
  choose: (pending: "reject" | "keep") => void;
  cancel: () => void;
}

/** Asks what happens to the calls that wait when the user sends a message. */
function Undecided({ count, isOnServer, choose, cancel }: UndecidedProps) {
  const { labels } = useChat();
  const first = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => first.current?.focus(), []);
  return (
    <div class="undecided" role="group" aria-labelledby={id} onKeyDown={(event) => event.key === "Escape" && cancel()}>
      <p id={id}>{isOnServer ? labels.undecidedOnServer(count) : labels.undecided(count)}</p>
      <div class="buttons">
        {!isOnServer && (
          <button ref={first} type="button" class="button small primary" onClick={() => choose("keep")}>
            {labels.keepUntilDecided}
          </button>
        )}
        <button ref={isOnServer ? first : null} type="button" class="button small" onClick={() => choose("reject")}>
          {labels.rejectAndSend(count)}
        </button>
        <button type="button" class="button small plain" onClick={cancel}>
          {labels.cancel}
        </button>
      </div>
    </div>
  );
}

interface Draft {
  text: string;
  /** `isSent`: the stored draft stays until the message is stored in its place. */
  setText(text: string, options?: { isSent: boolean }): void;
  /** After a message was stored, or not: `unsent` is given back, before what was written meanwhile. */
  settle(conversationId: string | null, unsent: string): void;
}

/** The text of the field, which is stored as the draft of its conversation. */
function useDraft(conversationId: string | null): Draft {
  const [text, show] = useState("");
  const current = useRef({ text, of: null as string | null });
  const setText: Draft["setText"] = (next, { isSent } = { isSent: false }) => {
    const { of } = current.current;
    current.current.text = next;
    if (!isSent && of !== null) writeDraft(of, next);
    show(next);
  };
  const settle: Draft["settle"] = (of, unsent) => {
    if (of === current.current.of) setText([unsent, current.current.text].filter(Boolean).join("\n"));
    else if (of !== null) writeDraft(of, unsent);
  };
  useLayoutEffect(() => {
    const { of } = current.current;
    if (conversationId === null || conversationId === of) return;
    // Text that was typed while the first conversation was opened belongs to it.
    const typed = of === null ? current.current.text : "";
    current.current.of = conversationId;
    setText(typed || readDraft(conversationId));
  }, [conversationId]);
  return { text, setText, settle };
}

/** Makes the field as high as its text; the style sheet limits it. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    const { style, offsetHeight } = current.parentElement!;
    // The messages above would be higher while the field is measured, and lose their place.
    style.minHeight = `${offsetHeight}px`;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
    style.minHeight = "";
  }, [text]);
}
