/** @jsxImportSource preact */
// Where the next conversation runs: in this browser, or on the agent server, if one is set up. The choice is remembered.

import { useSnapshot } from "threadkeep/preact";
import type { Thread } from "threadkeep/thread";
import { nameOf } from "../settings/agent-server.ts";
import { choosePlace, settings } from "../settings/settings.ts";

export function PlaceChoice({ thread }: { thread: Thread }) {
  const { agentServer, beginsOnServer } = settings();
  // It is decided with the first message.
  if (useSnapshot(thread).conversation !== null || agentServer === null) return null;
  return (
    <div class="place-choice">
      <label for="place">Runs</label>
      <select
        id="place"
        value={beginsOnServer ? "server" : "here"}
        onChange={({ currentTarget }) => choosePlace(currentTarget.value === "server")}
      >
        <option value="here">in this browser</option>
        <option value="server">on {nameOf(agentServer.host)}</option>
      </select>
      {beginsOnServer && <p class="quiet">With the server's terminal and files. It goes on while this page is closed.</p>}
    </div>
  );
}
