/** @jsxImportSource preact */
// One call that waits: its arguments, and the decision about it.
import { isOfComposition } from "../composition.js";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Approval, type Thread, visibleText } from "../../thread/index.js";
import { titleOf } from "../call-title.js";
import { useChat } from "../context.js";
import { keptArguments } from "./arguments/drafts.js";
import { EditForm } from "./arguments/edit-form.js";
import { ArgumentsView } from "./arguments-view.js";
import { notify } from "./notices.js";

/** Performs a decision. Rejects with its failure. */
export type Decide = (act: () => Promise<unknown>) => Promise<void>;

export interface ApprovalCardProps {
  thread: Thread;
  call: Approval;
  /** Tells it from the other calls. */
  name: string;
  isOnly: boolean;
  /** Whether it is decided about together with the others, as the calls of an answer are on a server. */
  isTogether: boolean;
  /** Allowing a tool concerns all of its calls, so it is offered once, and only where it has an effect. */
  isFirstOfTool: boolean;
  /** Whether its arguments have been in sight to their end. Until then it cannot be approved. */
  isSeen: boolean;
  /** Whether those of all waiting calls of this tool have. */
  isToolSeen: boolean;
  onSeen: () => void;
  decide: Decide;
}

export function ApprovalCard(props: ApprovalCardProps) {
  const { thread, call, name, isOnly, isTogether, isFirstOfTool, isSeen, isToolSeen, onSeen, decide } = props;
  const { labels, announce } = useChat();
  const { actionId, risk, why, args, action } = call;
  const toolName = visibleText(call.toolName);
  const wasKept = useMemo(() => keptArguments(thread.getSnapshot().conversationId, actionId) !== null, [actionId]);
  const [opened, open] = useState<"edit" | "reject" | "allow" | null>(wasKept && why === "approval" ? "edit" : null);
  /** Whether the user has opened the form, and not a reload that found something unsent. */
  const wasAsked = useRef(!wasKept);
  const card = useRef<HTMLElement>(null);
  const wasOpened = useRef(opened);
  // The button that has opened a form is back when the form is closed.
  useLayoutEffect(() => {
    if (opened === null && wasOpened.current !== null)
      card.current?.querySelector<HTMLElement>(`[data-opens="${wasOpened.current}"]`)?.focus();
    wasOpened.current = opened;
  }, [opened]);
  const id = useId();
  const mayHaveRun = why === "interrupted";
  const at = (act: () => Promise<unknown>) => () => void decide(act).catch(() => {});
  const allow = async (): Promise<void> => {
    // The promise lasts as long as the run.
    notify(thread, labels.allowed(toolName));
    await thread.alwaysAllow(call.toolName).catch((error: unknown) => {
      notify(thread, "");
      throw error;
    });
  };
  const close = (): void => {
    wasAsked.current = true;
    open(null);
  };
  const unread = isSeen ? null : `${id}-unread`;
  const opener = (form: "edit" | "reject", text: string, fullName: string) => (
    <button type="button" class="button" data-opens={form} aria-label={fullName} onClick={() => open(form)}>
      {text}
    </button>
  );
  return (
    <section
      ref={card}
      class="ask"
      role="group"
      aria-labelledby={id}
      data-risk={risk}
      data-why={why}
      data-tool={toolName}
      data-seen={isSeen}
    >
      <div class="ask-head">
        <h3 id={id}>{titleOf(call, labels)}</h3>
        <span class="risk" data-risk={risk}>
          {labels.risks[risk]}
        </span>
        <p class="quiet">
          {labels.tool} <code>{toolName}</code>
        </p>
      </div>
      {mayHaveRun && <p class="may-have-run">{labels.interrupted}</p>}
      {opened === "edit" ? null : <ArgumentsView args={args} raw={action.tool_call.arguments} name={name} onSeen={onSeen} />}
      {isSeen || opened === "edit" ? null : (
        <p class="quiet" id={`${id}-unread`}>
          {labels.readFirst}
        </p>
      )}
      {mayHaveRun ? (
        <div class="buttons">
          <NamedButton
            look={isOnly ? "primary" : ""}
            name={labels.runCallAgain(name)}
            waitsFor={unread}
            onClick={at(() => thread.approve([actionId]))}
          >
            {labels.runAgain}
          </NamedButton>
          <NamedButton look="" name={labels.tellCallFailed(name)} onClick={at(() => thread.reject(labels.failedReason, [actionId]))}>
            {labels.tellFailed}
          </NamedButton>
        </div>
      ) : isTogether ? null : opened === null ? (
        <div class="buttons">
          <NamedButton
            look={isOnly ? "primary" : ""}
            name={labels.approveCall(name)}
            waitsFor={unread}
            onClick={at(() => thread.approve([actionId]))}
          >
            {labels.approve}
          </NamedButton>
          {/* A server changes no call. */}
          {thread.getSnapshot().home !== "server" && opener("edit", labels.editOpen, labels.editCall(name))}
          {opener("reject", labels.rejectOpen, labels.rejectCallOpen(name))}
          {isFirstOfTool && (
            <NamedButton look="plain" opens="allow" waitsFor={isToolSeen ? null : `${id}-unread`} onClick={() => open("allow")}>
              {labels.alwaysAllow(toolName)}
            </NamedButton>
          )}
        </div>
      ) : opened === "edit" ? (
        <EditForm
          {...{ thread, call, name }}
          takesFocus={wasAsked.current}
          cancel={close}
          change={async (args) => {
            await decide(() => thread.editAction(actionId, args));
            announce(labels.changed(name));
          }}
        />
      ) : opened === "allow" ? (
        <AllowForm toolName={toolName} cancel={close} allow={at(allow)} />
      ) : (
        <RejectForm
          submit={labels.reject}
          submitName={labels.rejectCall(name)}
          cancel={close}
          reject={(reason) => decide(() => thread.reject(reason, [actionId]))}
        />
      )}
    </section>
  );
}

interface NamedButtonProps {
  look: "primary" | "plain" | "";
  /** Default: its text. */
  name?: string;
  /** The id of the element that says why it cannot be pressed yet. A button that waits takes the user to what is unread. */
  waitsFor?: string | null;
  onClick: () => void;
  children: ComponentChildren;
  /** The form that it opens. */
  opens?: string;
}

function NamedButton({ look, name, opens, waitsFor = null, onClick, children }: NamedButtonProps) {
  const press = (event: Event): void => (waitsFor === null ? onClick() : showUnread(event.currentTarget as HTMLElement));
  return (
    <button
      type="button"
      class={`button ${look}`}
      data-opens={opens}
      aria-label={name}
      aria-disabled={waitsFor !== null}
      aria-describedby={waitsFor ?? undefined}
      onClick={press}
    >
      {children}
    </button>
  );
}

/** Moves the focus to the first arguments that have not been read, where the arrow keys scroll. */
export function showUnread(from: HTMLElement): void {
  const here = from.closest('[data-seen="false"]') ?? from.closest(".approvals")!.querySelector('[data-seen="false"]');
  const box = here?.querySelector<HTMLElement>(".ask-arguments");
  box?.scrollIntoView({ block: "nearest" });
  box?.focus();
}

/** Says what it means to allow a tool for good. The harmless answer has the focus. */
function AllowForm({ toolName, cancel, allow }: { toolName: string; cancel: () => void; allow: () => void }) {
  const { labels } = useChat();
  const harmless = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => harmless.current?.focus(), []);
  return (
    <div class="decision" role="group" aria-labelledby={id} onKeyDown={(event) => closeOnEscape(event, cancel)}>
      <p id={id}>{labels.alwaysAllowMeans(toolName)}</p>
      <div class="buttons">
        <button type="button" class="button danger" onClick={allow}>
          {labels.alwaysAllowNow(toolName)}
        </button>
        <button ref={harmless} type="button" class="button" onClick={cancel}>
          {labels.cancel}
        </button>
      </div>
    </div>
  );
}

/** Asks for the reason of a rejection, which the agent reads. */
export function RejectForm({
  submit,
  submitName = submit,
  cancel,
  reject,
}: {
  submit: string;
  submitName?: string;
  cancel: () => void;
  reject: (reason: string) => Promise<void>;
}) {
  const { labels } = useChat();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  return (
    <form
      class="decision"
      onSubmit={(event) => {
        event.preventDefault();
        reject(field.current!.value.trim() || labels.reasonByDefault).catch(() => {});
      }}
      onKeyDown={(event) => closeOnEscape(event, cancel)}
    >
      <label for={id}>{labels.reason}</label>
      <input ref={field} id={id} class="reason-field" type="text" maxLength={500} autocomplete="off" aria-describedby={`${id}-help`} />
      <p class="quiet" id={`${id}-help`}>
        {labels.reasonHelp}
      </p>
      <div class="buttons">
        <button type="submit" class="button danger" aria-label={submitName}>
          {submit}
        </button>
        <button type="button" class="button" onClick={cancel}>
          {labels.cancel}
        </button>
      </div>
    </form>
  );
}

function closeOnEscape(event: KeyboardEvent, close: () => void): void {
  if (event.key !== "Escape" || isOfComposition(event)) return;
  event.stopPropagation();
  close();
}
