/** @jsxImportSource preact */
// The list of stored conversations, which is the library's; on a narrow screen it is a drawer over the conversation.

import { createRef } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type ConversationsHandle, ConversationsView, type ConversationsViewProps } from "threadkeep/preact";
import { currentSession, deleteConversation, stopRun } from "../conversation/stage.ts";
import { openSettings } from "../settings/dialog.tsx";
import { shortcuts } from "./chat.tsx";
import { Icon } from "./icons.tsx";
import { currentRoute, goTo, hrefOf } from "./router.ts";
import { mediaValue, useValue, Value } from "./value.ts";

export const narrow = mediaValue("(max-width: 820px)");
export const drawer = new Value(false);
const handle = createRef<ConversationsHandle>();

/** Moves the focus to the field in which titles are sought. */
export function searchConversations(): void {
  drawer.set(narrow.get());
  setTimeout(() => handle.current?.search());
}

export function Sidebar({ conversationId }: { conversationId: string | null }) {
  const isOpen = useValue(drawer);
  const isNarrow = useValue(narrow);
  const closer = useRef<HTMLButtonElement>(null);
  const list = useMemo(() => <ConversationsView {...{ ...listProps, conversationId }} />, [conversationId]);
  const close = (): void => {
    if (!drawer.get()) return;
    drawer.set(false);
    // At once, because a dialog that opens then returns the focus to where it was.
    document.getElementById("stage")!.inert = false;
    document.getElementById("open-sidebar")!.focus();
  };
  useLayoutEffect(() => void (isOpen && closer.current!.focus()), [isOpen]);
  useLayoutEffect(() => void (isNarrow || drawer.set(false)), [isNarrow]);
  return (
    <>
      <aside
        class={`sidebar ${isOpen ? "open" : ""}`}
        id="sidebar"
        aria-label="Conversations and settings"
        inert={isNarrow && !isOpen}
        onKeyDown={({ key }) => key === "Escape" && close()}
        // A link in it closes it, even to the page that is already shown; so does a button that opens a dialog.
        onClickCapture={({ target }) => (target as Element).closest("a, .sidebar-foot button") && close()}
      >
        <div class="sidebar-head">
          <a class="wordmark" href="#/" aria-label="threadkeep, start a conversation">
            <svg class="wordmark-mark" viewBox="0 0 28 24" aria-hidden="true">
              <path d="M2 18.500c6 0 9.500-3.500 12-8.500 2-4 5.500-5 7-3s.500 6-3 6-5.500-3-4.500-6" />
              <path d="M15.500 16c1.500 2 5 3 10.500 2.500" />
            </svg>
            threadkeep
          </a>
          {isNarrow && (
            <button ref={closer} type="button" class="icon-button" aria-label="Close the list of conversations" onClick={close}>
              <Icon name="close" />
            </button>
          )}
        </div>
        <div class="conversation-list" id="conversation-list">
          {list}
        </div>
        <div class="sidebar-foot">
          <button type="button" class="button plain" id="settings-button" onClick={() => openSettings()}>
            <Icon name="settings" />
            Settings
          </button>
          <button type="button" class="button plain" id="shortcuts-button" onClick={() => shortcuts.current?.open()}>
            Shortcuts
          </button>
        </div>
      </aside>
      <div class="scrim" hidden={!isOpen} onPointerDown={close} />
    </>
  );
}

/** What this page adds to the list: addresses, and sessions that are open. */
const listProps: ConversationsViewProps = {
  handle,
  trashDays: 30,
  linkOf: hrefOf,
  /** Another tab may show it, which only this page knows how to end. */
  async beforeDelete(conversationId) {
    await deleteConversation(conversationId);
    if (currentRoute()?.conversationId === conversationId) goTo(null);
  },
  onUpdate(ids, { trashed }) {
    if (trashed) for (const id of ids) stopRun(id);
  },
  onImport(imported) {
    const open = currentSession();
    const isContinued = imported.some(({ id, outcome }) => id === open?.id && /^(continued|merged)$/.test(outcome));
    if (isContinued) void open!.reopen();
    return !isContinued;
  },
};
