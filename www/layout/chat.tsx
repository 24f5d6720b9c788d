/** @jsxImportSource preact */
// The chat of the page: the library's components for messages, decisions and writing, with this page's labels and icons.

import { createRef } from "preact";
import { useCallback, useLayoutEffect, useRef } from "preact/hooks";
import {
  Approvals,
  type ChatLabels,
  ChatProvider,
  Composer,
  type ComposerHandle,
  defaultLabels,
  MessageList,
  type Shortcut,
  Shortcuts,
  type ShortcutsHandle,
  StatusLine,
  useSnapshot,
} from "threadkeep/preact";
import type { Thread } from "threadkeep/thread";
import { pageTools } from "../agent/tools.ts";
import { nameOf } from "../server/agent-server.ts";
import { changeSettings, isScripted, useSettings } from "../settings/settings.ts";
import { recoveriesFor } from "./failures.ts";
import { toolIcon } from "./icons.tsx";
import { currentRoute, goTo, hrefOf } from "./router.ts";
import { searchConversations } from "./sidebar.tsx";

export const labels: ChatLabels = {
  ...defaultLabels,
  refusedByServer: (name) => `${defaultLabels.refusedByServer(name)} Add it under “Files”.`,
  toolTitle: (name) => pageTools.find((tool) => tool.name === name)?.annotations.title ?? defaultLabels.toolTitle(name),
};

const handle = createRef<ComposerHandle>();

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
  { key: "O", name: "New conversation", act: () => (currentRoute() === null ? composer.focus() : goTo(null)) },
  { key: "k", name: "Search the conversations", act: searchConversations },
];

interface ChatProps {
  thread: Thread;
  /** The event that the address names. */
  eventId: string | null;
  /** Called if no message shows it. */
  onMissing: (eventId: string) => void;
}

export function Chat({ thread, eventId, onMissing }: ChatProps) {
  const linkOf = useCallback((event: string) => new URL(hrefOf(thread.getSnapshot().conversationId, event), location.href).href, [thread]);
  return (
    <ChatProvider thread={thread} labels={labels} toolIcon={toolIcon} linkOf={linkOf}>
      <MessageList thread={thread} empty={<Start />} eventId={eventId} onMissing={onMissing}>
        <StatusLine thread={thread} recoveriesFor={recoveriesFor} />
        <Approvals thread={thread} />
      </MessageList>
      <Place thread={thread} />
      <Composer thread={thread} handle={handle} />
      <Shortcuts more={pageShortcuts} handle={shortcuts} />
    </ChatProvider>
  );
}

/** An invitation, and some examples. They are in index.html, so that they are painted first, and are only moved here. */
const start = document.getElementById("start")!;
start.addEventListener("click", ({ target }) => {
  const message = (target as Element).closest(".suggestion")?.querySelector("q")?.textContent;
  if (message) composer.fill(message);
});

function Start() {
  const place = useRef<HTMLDivElement>(null);
  useSettings();
  useLayoutEffect(() => place.current!.replaceChildren(start), []);
  useLayoutEffect(() => void (document.getElementById("start-scripted")!.hidden = !isScripted()));
  return <div ref={place} />;
}

/** Where the next conversation runs: in this browser, or on the agent server, if one is set up. The choice is remembered. */
function Place({ thread }: { thread: Thread }) {
  const { agentServer, beginsOnServer } = useSettings();
  // It is decided with the first message.
  if (useSnapshot(thread).conversation !== null || agentServer === null) return null;
  return (
    <div class="place-choice">
      <label for="place">Runs</label>
      <select
        id="place"
        value={beginsOnServer ? "server" : "here"}
        onChange={({ currentTarget }) => changeSettings({ beginsOnServer: currentTarget.value === "server" })}
      >
        <option value="here">in this browser</option>
        <option value="server">on {nameOf(agentServer.host)}</option>
      </select>
      {beginsOnServer && <p class="quiet">With the server's terminal and files. It goes on while this page is closed.</p>}
    </div>
  );
}
