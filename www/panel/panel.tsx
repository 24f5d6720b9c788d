/** @jsxImportSource preact */
// The panel with what is about the conversation but not in it: beside the text on a wide screen, over it on others.

import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { byId } from "../shell/dom.ts";
import type { Session } from "../thread/session.ts";
import { ContextView } from "./context.tsx";
import { FilesView } from "./files.tsx";
import { Icon } from "./icon.tsx";
import { InspectorView, startRecording } from "./inspector.tsx";

const VIEWS = {
  files: { name: "Files", icon: "folder", View: FilesView },
  context: { name: "Context", icon: "panel", View: ContextView },
  inspector: { name: "Inspector", icon: "search", View: InspectorView },
} as const;
type ViewName = keyof typeof VIEWS;
const NAMES = Object.keys(VIEWS) as ViewName[];

/** The buttons in the bar. The inspector is rarely used, so it is reached from the panel only. */
const OPENERS = { files: byId("files-button"), context: byId("panel-button") };
const narrow = matchMedia("(max-width: 1099.98px)");

let session: Session | null = null;
/** The view that is shown; `null` while the panel is closed. */
let shown: ViewName | null = null;

export function startPanel(): void {
  startRecording();
  for (const name of ["files", "context"] as const) {
    render(<Opener name={name} />, OPENERS[name]);
    OPENERS[name].addEventListener("click", () => (shown === name ? byId<HTMLDialogElement>("panel").close() : show(name)));
  }
  narrow.addEventListener("change", () => show(null));
}

const Opener = ({ name }: { name: ViewName }) => (
  <>
    <Icon name={VIEWS[name].icon} />
    <span class="only-wide">{VIEWS[name].name}</span>
  </>
);

/** Called after each change of the open conversation; `null` if there is none. */
export function drawPanel(open: Session | null): void {
  session = open;
  show(open === null ? null : shown);
}

function show(name: ViewName | null): void {
  shown = name;
  for (const each of ["files", "context"] as const) OPENERS[each].setAttribute("aria-expanded", String(each === shown));
  document.body.classList.toggle("with-panel", shown !== null);
  render(session !== null && shown !== null ? <Panel session={session} shown={shown} /> : null, byId("panel-place"));
}

function Panel({ session, shown }: { session: Session; shown: ViewName }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    if (narrow.matches) dialog.current!.showModal();
    else dialog.current!.show();
    byId(`${shown}-tab`).focus();
  }, []);
  const { View } = VIEWS[shown];
  return (
    // Only a modal dialog closes on Escape by itself.
    <dialog
      ref={dialog}
      class="panel"
      id="panel"
      aria-label="About this conversation"
      onKeyDown={({ key }) => key === "Escape" && dialog.current!.close()}
      onClose={() => show(null)}
    >
      <div class="panel-head">
        <Tabs shown={shown} />
        <button type="button" class="icon-button" aria-label="Close the panel" onClick={() => dialog.current!.close()}>
          <Icon name="close" />
        </button>
      </div>
      <div class="panel-parts" id="panel-parts" role="tabpanel" tabIndex={-1} aria-labelledby={`${shown}-tab`}>
        <View key={session.id} session={session} />
      </div>
    </dialog>
  );
}

function Tabs({ shown }: { shown: ViewName }) {
  const move = ({ key }: KeyboardEvent): void => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? NAMES.length - 1 : 0;
    if (step === 0) return;
    const next = NAMES[(NAMES.indexOf(shown) + step) % NAMES.length]!;
    show(next);
    byId(`${next}-tab`).focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the panel" onKeyDown={move}>
      {NAMES.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${name}-tab`}
          aria-controls="panel-parts"
          aria-selected={name === shown}
          tabIndex={name === shown ? 0 : -1}
          onClick={() => show(name)}
        >
          {VIEWS[name].name}
        </button>
      ))}
    </div>
  );
}
