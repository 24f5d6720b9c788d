/** @jsxImportSource preact */
// The bar above the conversation: its title, and what can be seen beside it.

import { useLayoutEffect } from "preact/hooks";
import { visibleText } from "threadkeep/thread";
import type { Stage } from "../conversation/stage.ts";
import { panel, togglePanel } from "../panel/panel.tsx";
import { nameOf } from "../server/agent-server.ts";
import { explain } from "./failures.ts";
import { Icon, type IconName } from "./icons.tsx";
import { drawer, narrow } from "./sidebar.tsx";
import { exportInSomeForm } from "./transfer.tsx";
import { useValue } from "./value.ts";

export function Topbar({ stage }: { stage: Stage }) {
  const [title, subtitle] = titlesOf(stage);
  const isNarrow = useValue(narrow);
  const isDrawn = useValue(drawer);
  const shown = useValue(panel);
  useLayoutEffect(() => void (document.title = stage.session ? `${title} · threadkeep` : "threadkeep"));
  return (
    <header class="topbar">
      {isNarrow && <IconButton id="open-sidebar" icon="menu" label="Conversations" isOpen={isDrawn} onClick={() => drawer.set(true)} />}
      <div class="topbar-title">
        <h1 id="title" tabIndex={-1} aria-live="polite">
          {title}
        </h1>
        <p class="quiet" id="subtitle">
          {subtitle}
        </p>
      </div>
      {stage.session && (
        <>
          <IconButton id="files-button" icon="files" label="Files" isOpen={shown === "files"} onClick={() => togglePanel("files")} />
          <IconButton
            id="context-button"
            icon="context"
            label="Context"
            isOpen={shown === "context"}
            onClick={() => togglePanel("context")}
          />
          <IconButton id="export-button" icon="export" label="Export" onClick={() => void exportInSomeForm()} />
        </>
      )}
    </header>
  );
}

function titlesOf({ session, failure, route }: Stage): [title: string, subtitle: string] {
  if (session !== null) {
    const count = session.conversation.events.length;
    const place = session.server === null ? "stored on this device" : `on ${nameOf(session.server)}`;
    return [visibleText(session.title), `${count === 1 ? "1 event" : `${count} events`}, ${place}`];
  }
  return [failure ? explain(failure.error).title : route ? "Opening…" : "New conversation", ""];
}

interface IconButtonProps {
  id: string;
  icon: IconName;
  label: string;
  /** Of a button that shows and hides something. */
  isOpen?: boolean;
  onClick: () => void;
}

/** Its name is shown where there is room. */
const IconButton = ({ id, icon, label, isOpen, onClick }: IconButtonProps) => (
  <button type="button" class="icon-button" id={id} aria-label={label} aria-expanded={isOpen} onClick={onClick}>
    <Icon name={icon} />
    <span>{label}</span>
  </button>
);
