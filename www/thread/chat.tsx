/** @jsxImportSource preact */
// The chat of the page: the library's components for messages, decisions and writing, with this page's labels and buttons.

import { type ComponentChildren, createRef, render } from "preact";
import { useCallback, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import {
  Approvals,
  type ChatLabels,
  ChatProvider,
  Composer,
  type ComposerHandle,
  defaultLabels,
  MessageList,
  type Recovery,
  type Shortcut,
  Shortcuts,
  type ShortcutsHandle,
  StatusLine,
  useChat,
  useSnapshot,
} from "threadkeep/preact";
import type { Thread, UIMessage } from "threadkeep/thread";
import { pageTools } from "../agent/tools.ts";
import { Drawing, Icon } from "../panel/icon.tsx";
import { searchConversations } from "../shell/conversation-list.ts";
import { byId } from "../shell/dom.ts";
import { recoveriesFor } from "../shell/failures.ts";
import { toolPath } from "../shell/icons.ts";
import { runRecovery } from "../shell/recoveries.ts";
import { currentRoute, goHome, hrefOf } from "../shell/router.ts";
import { PlaceChoice } from "./place.tsx";
import { Tasks } from "./tasks.tsx";

export const labels: ChatLabels = {
  ...defaultLabels,
  refusedByServer: (name) => `${defaultLabels.refusedByServer(name)} Add it under “Files”.`,
  toolTitle: (name) => pageTools.find((tool) => tool.name === name)?.annotations.title ?? defaultLabels.toolTitle(name),
};

const place = byId("chat");
const handle = createRef<ComposerHandle>();
let shown: Thread | null = null;
let shownEvent: string | null = null;
/** Another one for each thread, so that nothing of the last one's view is left. */
let key = 0;

/** The message field. After a click into a closed dialog it can have the focus but no caret; focusing it again brings one. */
export const composer: ComposerHandle = {
  focus: () => {
    if (document.activeElement?.matches(".composer-text")) (document.activeElement as HTMLElement).blur();
    handle.current?.focus();
  },
  fill: (text) => handle.current?.fill(text),
  attach: (files) => handle.current?.attach(files),
};

/** The list of shortcuts, while there is a chat. */
export const shortcuts = createRef<ShortcutsHandle>();

const pageShortcuts: readonly Shortcut[] = [
  { key: "O", name: "New conversation", act: () => (currentRoute() === null ? composer.focus() : goHome()) },
  { key: "k", name: "Search the conversations", act: searchConversations },
];

interface Page {
  /** In place of messages while there are none. */
  start: HTMLElement;
  /** Continues in a copy of the conversation, which ends at this event. */
  fork: (eventId: string) => void;
  /** The event that the address names. */
  eventId: string | null;
  /** Called if no message shows it. */
  onMissing: (eventId: string) => void;
}

/** Shows a thread; does nothing if it is shown already, with this event. */
export function showThread(thread: Thread, page: Page): void {
  if (thread === shown && page.eventId === shownEvent) return;
  if (thread !== shown) key += 1;
  shown = thread;
  shownEvent = page.eventId;
  render(<Chat key={key} thread={thread} {...page} />, place);
}

/** Shows this element in place of a chat. */
export function showInstead(element: HTMLElement): void {
  shown = null;
  render(
    <div class="main">
      <div class="scroller" tabIndex={0} role="region" aria-label={labels.messages}>
        <div class="column">
          <Element of={element} />
        </div>
      </div>
    </div>,
    place,
  );
}

function Chat({ thread, start, fork, eventId, onMissing }: Page & { thread: Thread }) {
  const messageActions = useMemo(() => forkButton(fork), [fork]);
  const linkOf = useCallback((event: string) => new URL(hrefOf(thread.getSnapshot().conversationId, event), location.href).href, [thread]);
  return (
    <ChatProvider thread={thread} labels={labels} messageActions={messageActions} toolIcon={toolIcon} linkOf={linkOf}>
      <MessageList thread={thread} empty={<Element of={start} />} eventId={eventId} onMissing={onMissing}>
        <StatusLine thread={thread} recoveriesFor={recoveries} />
        <Approvals thread={thread} />
      </MessageList>
      <Tasks thread={thread} />
      <PlaceChoice thread={thread} />
      <Composer thread={thread} handle={handle} />
      <Shortcuts more={pageShortcuts} handle={shortcuts} />
    </ChatProvider>
  );
}

const toolIcon = (toolName: string): ComponentChildren => {
  const path = toolPath(toolName);
  return path && <Drawing path={path} />;
};

const forkButton =
  (fork: Page["fork"]) =>
  (message: UIMessage): ComponentChildren =>
    message.role === "assistant" && message.eventIds.length > 0 ? <ForkButton message={message} fork={fork} /> : null;

/** Not in the middle of a run, as the other ways to begin another version. */
function ForkButton({ message, fork }: { message: UIMessage; fork: Page["fork"] }) {
  if (useSnapshot(useChat().thread).isRunning) return null;
  const name = `Fork after ${beginningOf(message)}`;
  return (
    <button
      type="button"
      class="button plain small"
      data-verb="fork"
      aria-label={name}
      title="Fork"
      onClick={() => fork(message.eventIds.at(-1)!)}
    >
      <Icon name="fork" />
      <span class="only-wide">Fork</span>
    </button>
  );
}

/** The first words, in quotes, without the signs of Markdown. */
function beginningOf({ parts }: UIMessage): string {
  const words = parts.flatMap((part) =>
    part.type === "text"
      ? part.text
          .replace(/[*_`#>~|]+/g, "")
          .trim()
          .split(/\s+/)
      : [],
  );
  return words.length === 0 ? labels.withoutText : `“${words.slice(0, 8).join(" ")}${words.length > 8 ? "…" : ""}”`;
}

const recoveries: (error: Parameters<typeof recoveriesFor>[0]) => Recovery[] = (error) =>
  recoveriesFor(error).map(({ name, recovery }) => ({ name, act: () => runRecovery(recovery) }));

/** An element that other code has made. */
function Element({ of }: { of: HTMLElement }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => frame.current!.replaceChildren(of), [of]);
  return <div ref={frame} />;
}
