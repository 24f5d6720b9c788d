/** @jsxImportSource preact */
// The settings: the model with its key, which has a button to save it, and this page's own, which apply at once.

import { useLayoutEffect, useRef } from "preact/hooks";
import { ModelView } from "threadkeep/preact";
import { Check, Dialog, Field, isDialogOpen, showDialog } from "../layout/dialogs.tsx";
import { AgentServerFields } from "../server/agent-server-fields.tsx";
import { McpServers } from "../server/mcp-servers.tsx";
import { Storage } from "../storage/storage.tsx";
import { changeSettings, models, providers, useSettings } from "./settings.ts";

export const openSettings = (): void => show(false);
/** At what takes up room. */
export const openStorage = (): void => show(true);

function show(isStorage: boolean): void {
  if (!isDialogOpen()) void showDialog(<SettingsDialog isStorage={isStorage} />);
}

function SettingsDialog({ isStorage }: { isStorage: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // Once the dialog is there.
    if (isStorage) setTimeout(() => place.current!.querySelector<HTMLElement>(".storage")!.focus());
  }, []);
  return (
    <Dialog heading="Settings" class="settings" close="Close the settings">
      <div ref={place} class="sections">
        <fieldset>
          <legend>Model</legend>
          <ModelView store={models} providers={providers} labels={{ save: "Use this model" }} />
        </fieldset>
        <AgentFields />
        <McpServers />
        <AgentServerFields />
        <fieldset>
          <legend>Storage</legend>
          <Storage />
        </fieldset>
      </div>
    </Dialog>
  );
}

/** What the agent has and may do. */
function AgentFields() {
  const now = useSettings();
  const box = (name: "files" | "terminal" | "subagents", label: string, help: string) => (
    <Check
      id={`agent-${name}`}
      {...{ label, help }}
      checked={now[name]}
      onChange={({ currentTarget }) => changeSettings({ [name]: currentTarget.checked })}
    />
  );
  return (
    <fieldset>
      <legend>Agent</legend>
      {box("files", "It works on files", "It edits and searches the files of the conversation, and keeps a list of tasks.")}
      {box("terminal", "It uses a terminal", "A shell inside this page, with the same files, no other programs and no network.")}
      {box(
        "subagents",
        "It may start sub-agents",
        "Each works on a task in a conversation of its own, and asks the model by itself, which costs.",
      )}
      <Field
        id="budget"
        label="Budget of a run, in dollars"
        help="The step that reaches it is the last of its run. Empty: no limit. The stand-in and models on this computer cost nothing."
        type="number"
        inputmode="decimal"
        min="0.0001"
        step="any"
        defaultValue={String(now.budget ?? "")}
        onChange={({ currentTarget }) => currentTarget.reportValidity() && changeSettings({ budget: currentTarget.valueAsNumber || null })}
      />
    </fieldset>
  );
}
