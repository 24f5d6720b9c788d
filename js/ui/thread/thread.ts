// `openThread()` and `threadOf()`.
import { type Content, type Conversation, type Image, indexedDBStore, type RunResult, ThreadkeepError } from "threadkeep";
import { nextFrame } from "./frames.js";
import { nothingRan } from "./runs.js";
import { Session } from "./session.js";
import { share } from "./shared.js";
import { ensureConversation, objectOf, textsOf } from "./given.js";
import type { Thread, ThreadOptions } from "./types.js";

const defaultPage = 200;

/**
 * Opens a conversation for a view, or begins a new one. Returns at once: the snapshot says when it is open, or why that failed. If
 * another thread of this page has the conversation open, both share it, with the options of the first, until both are closed.
 * @throws ThreadkeepError `invalid_options` without options, or if `pageSize` is not a number of events
 */
export function openThread(options: ThreadOptions): Thread {
  const { pageSize, resume = false, conversationId, ...rest } = objectOf("openThread()", "options", options);
  const id = conversationId ?? newId();
  const own = { pageSize: checked(pageSize), resume: resume === true, store: rest.store ?? indexedDBStore() ?? null };
  const given = { ...rest, conversationId: id, ...(typeof resume === "string" && { resume }) };
  const { session, release } = share(rest.store, id, () => Session.opening(given, own));
  return threadOn(session, release);
}

/** A thread of a conversation that is already open and belongs to somebody else: `close()` ends only the thread. */
export function threadOf(conversation: Conversation, options: { pageSize?: number | undefined } = {}): Thread {
  const { pageSize } = objectOf("threadOf()", "options", options);
  ensureConversation("threadOf()", conversation);
  const session = new Session(conversation.id, { pageSize: checked(pageSize), resume: false, store: null }, async () => conversation);
  return threadOn(session, () => session.end(false));
}

function threadOn(session: Session, release: () => Promise<void>): Thread {
  const listeners = new Set<() => void>();
  let cancel: (() => void) | null = null;
  let closed: { snapshot: Session["snapshot"]; done: Promise<void> } | null = null;
  const notify = () => {
    cancel = null;
    for (const listener of [...listeners]) listener();
  };
  const changed = () => void (cancel ??= nextFrame(notify));
  session.listeners.add(changed);

  const perform: Session["perform"] = (action, isReading) => {
    if (!closed) return session.perform(action, isReading);
    const refused = Promise.reject(new ThreadkeepError("invalid_state", "this thread is closed; open another one with openThread()"));
    refused.catch(() => {});
    return refused;
  };
  /** Runs these calls, and those that need no decision any more. */
  const runCalls = (ids: readonly string[]) =>
    session.start((conversation) => conversation.run({ approve: [...ids, ...session.view.ready] }));

  return {
    subscribe(listener) {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    getSnapshot: () => closed?.snapshot ?? session.snapshot,
    opened: () => session.opened.then((conversation) => (session.view, conversation)),
    send: (message, options = {}) =>
      perform(async ({ conversation }, isStopped) => {
        const event = session.sent(await conversation.sendMessage(message, options));
        // A run would approve the calls that wait.
        if (conversation.executionStatus !== "waiting_for_confirmation" && !isStopped()) session.runOn();
        return event;
      }),
    resume: () =>
      perform(async ({ conversation }): Promise<RunResult> => {
        if (conversation.executionStatus !== "waiting_for_confirmation") return session.run();
        return { status: conversation.executionStatus, finalResponse: await conversation.finalResponse(), ...nothingRan };
      }),
    stop: () => perform(() => session.stop("interrupt")),
    pause: () => perform(() => session.stop("pause")),
    retryNow: () => void perform(async ({ conversation }) => conversation.retryNow()),
    approve: (actionIds) =>
      perform((view) =>
        runCalls(actionIds === undefined ? view.approvals.map(({ actionId }) => actionId) : textsOf("approve()", actionIds)),
      ),
    reject: (reason, actionIds) =>
      perform(async (view, isStopped) => {
        await view.conversation.rejectPendingActions(reason, { actionIds });
        await view.readCalls();
        return view.approvals.length === 0 && !isStopped() ? session.run() : null;
      }),
    editAction: (actionId, args) =>
      perform(async (view) => {
        const action = await view.conversation.editAction(actionId, args);
        await view.readCalls();
        return action;
      }),
    alwaysAllow: (toolName) =>
      perform(async ({ conversation, approvals }, isStopped) => {
        const calls = approvals.filter((call) => call.toolName === toolName);
        const ids = calls.flatMap(({ canAlwaysAllow, actionId }) => (canAlwaysAllow ? [actionId] : []));
        if (ids.length === 0 && calls.length > 0) {
          throw new ThreadkeepError(
            "invalid_options",
            `each call of ${toolName} that waits needs a decision of its own: always allowing the tool would not let it run; approve or reject it`,
          );
        }
        await conversation.setAllowedTools([...new Set([...conversation.allowedTools, toolName])]);
        return ids.length === 0 || isStopped() ? null : runCalls(ids);
      }),
    regenerate: () => perform(() => session.start((conversation) => conversation.regenerate())),
    editMessage: (messageId, message) =>
      perform(async (view, isStopped) => {
        // A file is refused there.
        const queued = message as string | ReadonlyArray<Content | Image>;
        if (view.isQueued(messageId)) return session.sent(await view.conversation.queue.edit(messageId, queued), messageId);
        const event = await view.conversation.editMessage(messageId, message);
        if (!isStopped()) session.runOn();
        return event;
      }),
    removeMessage: (messageId) =>
      perform(async (view) => {
        await view.conversation.queue.remove(textsOf("removeMessage()", [messageId])[0]!);
        view.removeSent(messageId);
      }),
    branches: () => perform(({ conversation }) => conversation.branches(), true),
    navigateTo: (eventId) =>
      perform(async (view) => {
        await view.conversation.navigateTo(eventId);
        await view.readBranch(true);
      }),
    showVersion: (versionId) =>
      perform(async (view) => {
        const leaf = view.leafOf(textsOf("showVersion()", [versionId])[0]!);
        if (leaf === null) return;
        await view.conversation.navigateTo(leaf);
        await view.readBranch(true);
      }),
    loadEarlier: (options = {}) => perform((view) => view.loadEarlier(objectOf("loadEarlier()", "options", options).all === true), true),
    close() {
      closed ??= { snapshot: { ...session.snapshot, phase: "closed", isRunning: false }, done: release() };
      session.listeners.delete(changed);
      cancel?.();
      notify();
      return closed.done;
    },
  };
}

function checked(pageSize = defaultPage): number {
  if (Number.isInteger(pageSize) && pageSize > 0) return pageSize;
  throw new ThreadkeepError("invalid_options", "pageSize must be a number of events, at least 1");
}

/** A UUID of version 4; `crypto.randomUUID()` exists in secure contexts only. */
function newId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[Number.parseInt(hex[16]!, 16) % 4];
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20)].join("-");
}
