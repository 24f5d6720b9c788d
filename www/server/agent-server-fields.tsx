/** @jsxImportSource preact */
// The form of the agent server in the settings.

import { useRef, useState } from "preact/hooks";
import { Field } from "../layout/dialogs.tsx";
import { sentence } from "../layout/failures.ts";
import { changeSettings, keyIsLockedFor, models, useSettings } from "../settings/settings.ts";
import { addressOf, keyNameOf, nameOf } from "./agent-server.ts";

export function AgentServerFields() {
  const { agentServer } = useSettings();
  const form = useRef<HTMLFormElement>(null);
  const [said, setSaid] = useState("");
  const use = async (): Promise<void> => {
    const { host = "", apiKey = "", workingDir = "" } = Object.fromEntries(new FormData(form.current!)) as Record<string, string>;
    const address = addressOf(host.trim());
    const isLocked = keyIsLockedFor(keyNameOf(address));
    // One that is locked stays, unless another takes its place.
    if (apiKey.trim() !== "" || !isLocked) await models.keys.set(keyNameOf(address), apiKey.trim());
    await forget(address);
    changeSettings({ agentServer: { host: address, workingDir: workingDir.trim(), hadKey: apiKey.trim() !== "" || isLocked } });
    setSaid(`New conversations can run on ${nameOf(address)}: choose it above the message field.`);
  };
  /** Removes the key of the server that was set up before. */
  const forget = async (next: string | null): Promise<void> => {
    if (agentServer !== null && agentServer.host !== next) await models.keys.set(keyNameOf(agentServer.host), "");
  };
  const remove = async (): Promise<void> => {
    await forget(null);
    changeSettings({ agentServer: null, beginsOnServer: false });
    form.current!.reset();
    setSaid("It is removed.");
  };
  const attempt = (act: () => Promise<void>): void => void act().catch((error: Error) => setSaid(sentence(error.message)));
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        attempt(use);
      }}
    >
      <fieldset>
        <legend>Agent server</legend>
        <p class="quiet">
          A conversation can also run on an OpenHands agent server: with the terminal and the files of that machine, and while this page is
          closed. The model's key goes there then. MCP servers and the budget are for conversations in this browser only.
        </p>
        <Field
          id="agent-server-host"
          name="host"
          label="Address"
          help="The server has to allow this page: start it with this page's address in OH_ALLOW_CORS_ORIGINS."
          inputmode="url"
          placeholder="https://"
          required
          defaultValue={agentServer?.host}
          onInput={({ currentTarget }) => currentTarget.setCustomValidity(problemOf(currentTarget.value.trim()))}
        />
        <Field
          id="agent-server-key"
          name="apiKey"
          label="Key of the server"
          help="The one that it was started with. Sent to it and nowhere else, and kept like the keys of models."
          type="password"
          defaultValue={agentServer ? models.keys.get(keyNameOf(agentServer.host)) : ""}
        />
        <Field
          id="agent-server-directory"
          name="workingDir"
          label="Directory"
          help="On the server: new conversations work there. It is made if it is missing."
          placeholder="/workspace/project"
          required
          defaultValue={agentServer?.workingDir}
        />
        <div class="buttons">
          <button class="button">Use this server</button>
          {agentServer !== null && (
            <button type="button" class="button" onClick={() => attempt(remove)}>
              Remove it
            </button>
          )}
        </div>
        <p class="quiet" role="status" id="agent-server-said">
          {said}
        </p>
      </fieldset>
    </form>
  );
}

/** A sentence about the first thing that is wrong; empty if nothing is. */
function problemOf(host: string): string {
  if (!/^https?:\/\//.test(host) || !URL.canParse(host)) return "The address has to be complete and to begin with https:// or http://.";
  const { username, password, search, hash } = new URL(host);
  return username || password || search || hash ? "The address must not contain a key or a query: enter the key below." : "";
}
