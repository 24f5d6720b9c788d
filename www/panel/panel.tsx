/** @jsxImportSource preact */
// The panel with what is about the conversation but not in it: beside the text on a wide screen, over it on others.

import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { FilesView } from "threadkeep/preact";
import type { Session } from "../conversation/session.ts";
import { Icon } from "../layout/icons.tsx";
import { nameOf } from "../server/agent-server.ts";
import { mediaValue, useValue, Value } from "../layout/value.ts";
import { ContextView } from "./context.tsx";
import { InspectorView } from "./inspector.tsx";

const parts = {
  files: { name: "Files", View: Files },
  context: { name: "Context", View: ContextView },
  /** Rarely used, so it is reached from the panel only. */
  inspector: { name: "Inspector", View: InspectorView },
} as const;
export type PanelPart = keyof typeof parts;
const names = Object.keys(parts) as PanelPart[];

const narrow = mediaValue("(max-width: 1099.98px)");

/** The part that is shown; `null` while the panel is closed. */
export const panel = new Value<PanelPart | null>(null);

/** A dialog that closes returns the focus. */
export function togglePanel(name: PanelPart): void {
  if (panel.get() === name) (document.getElementById("panel") as HTMLDialogElement).close();
  else panel.set(name);
}

export function Panel({ session }: { session: Session }) {
  const shown = useValue(panel);
  const isNarrow = useValue(narrow);
  // Another conversation begins without it.
  useLayoutEffect(() => () => panel.set(null), [session.id, isNarrow]);
  return shown && <PanelDialog session={session} shown={shown} />;
}

function PanelDialog({ session, shown }: { session: Session; shown: PanelPart }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (narrow.get()) dialog.current!.showModal();
    else dialog.current!.show();
    document.getElementById(`${shown}-tab`)!.focus();
  }, []);
  const { View } = parts[shown];
  return (
    // Only a modal dialog closes on Escape by itself.
    <dialog
      ref={dialog}
      class="panel"
      id="panel"
      aria-label="About this conversation"
      onKeyDown={({ key }) => key === "Escape" && dialog.current!.close()}
      onClose={() => panel.set(null)}
    >
      <div class="panel-head">
        <Tabs shown={shown} />
        <button type="button" class="icon-button" aria-label="Close the panel" onClick={() => dialog.current!.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="panel-parts" id="panel-parts" role="tabpanel" tabIndex={-1} aria-labelledby={`${shown}-tab`}>
        <View session={session} />
      </div>
    </dialog>
  );
}

function Files({ session: { conversation, server } }: { session: Session }) {
  const labels = useMemo(() => (server === null ? {} : { files: `Files on ${nameOf(server)}` }), [server]);
  return <FilesView conversation={conversation} labels={labels} />;
}

function Tabs({ shown }: { shown: PanelPart }) {
  const move = ({ key }: KeyboardEvent): void => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? names.length - 1 : 0;
    if (step === 0) return;
    const next = names[(names.indexOf(shown) + step) % names.length]!;
    panel.set(next);
    document.getElementById(`${next}-tab`)!.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the panel" onKeyDown={move}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${name}-tab`}
          aria-controls="panel-parts"
          aria-selected={name === shown}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => panel.set(name)}
        >
          {parts[name].name}
        </button>
      ))}
    </div>
  );
}
