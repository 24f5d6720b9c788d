/** @jsxImportSource preact */
// The MCP servers of the settings: their names, addresses and tokens, and their state in the open conversation.

import { useRef, useState } from "preact/hooks";
import type { MCPServerState } from "threadkeep";
import type { Session } from "../conversation/session.ts";
import { stage } from "../conversation/stage.ts";
import { Field } from "../layout/dialogs.tsx";
import { sentence } from "../layout/failures.ts";
import { useValue } from "../layout/value.ts";
import { changeSettings, keyIsLockedFor, models, type Settings, tokenNameOf, useSettings } from "../settings/settings.ts";

type Server = Settings["mcpServers"][number];

export function McpServers() {
  const { mcpServers } = useSettings();
  const { session } = useValue(stage);
  const form = useRef<HTMLFormElement>(null);
  const [said, setSaid] = useState("");
  const attempt = (act: () => Promise<unknown>): void => {
    setSaid("");
    act().catch((error: Error) => setSaid(sentence(error.message)));
  };
  const add = async (): Promise<void> => {
    const { name = "", url = "", token = "" } = Object.fromEntries(new FormData(form.current!)) as Record<string, string>;
    const server = { name: name.trim(), url: url.trim() };
    const problem = problemOf(server, mcpServers);
    if (problem !== "") return setSaid(problem);
    if (token !== "") await models.keys.set(tokenNameOf(server.url), token);
    changeSettings({ mcpServers: [...mcpServers, server] });
    form.current!.reset();
    form.current!.querySelector("input")!.focus();
  };
  const remove = async (server: Server): Promise<void> => {
    form.current!.querySelector("input")!.focus();
    await models.keys.set(tokenNameOf(server.url), "");
    changeSettings({ mcpServers: mcpServers.filter((each) => each !== server) });
  };
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        attempt(add);
      }}
    >
      <fieldset>
        <legend>MCP servers</legend>
        <ul class="servers" aria-label="MCP servers" hidden={mcpServers.length === 0}>
          {mcpServers.map((server) => (
            <ServerView key={server.name} {...{ server, session, attempt }} remove={() => attempt(() => remove(server))} />
          ))}
        </ul>
        <Field id="server-name" name="name" label="Name" maxLength={40} placeholder="search" />
        <Field
          id="server-url"
          name="url"
          label="URL"
          help="Over streamable HTTP or SSE. The server has to allow requests from this page (CORS), and its tools reach beyond it, so their calls count as risky."
          inputmode="url"
          placeholder="https://"
        />
        <Field
          id="server-token"
          name="token"
          label="Token"
          help="Sent to this server only, and kept like the keys of models."
          type="password"
        />
        <p class="wrong" role="alert" id="server-problem">
          {said}
        </p>
        <div class="buttons">
          <button class="button">Add the server</button>
        </div>
      </fieldset>
    </form>
  );
}

interface ServerProps {
  server: Server;
  session: Session | null;
  attempt: (act: () => Promise<unknown>) => void;
  remove: () => void;
}

function ServerView({ server: { name, url }, session, attempt, remove }: ServerProps) {
  const mcp = session?.conversation.mcp;
  const found = mcp?.servers.find((each) => each.name === name);
  const isLocked = keyIsLockedFor(tokenNameOf(url));
  const about = isLocked ? "Its token is locked, so it is not asked." : found ? stateOf(found) : "It is asked from the next answer on.";
  return (
    <li data-state={found?.state}>
      <p>
        <strong>{name}</strong> <span class="quiet">{url}</span>
      </p>
      <p class="server-state">{about}</p>
      {found?.error !== undefined && <p class="server-error">{sentence(found.error)}</p>}
      <div class="buttons">
        {found?.state === "failed" && (
          <button type="button" class="button small" onClick={() => attempt(() => mcp!.reconnect(name))}>
            Connect again
          </button>
        )}
        <button type="button" class="button small" aria-label={`Remove ${name}`} onClick={remove}>
          Remove
        </button>
      </div>
    </li>
  );
}

function stateOf({ state, tools }: MCPServerState): string {
  if (state === "connected") return `Connected, with ${tools.length === 1 ? "1 tool" : `${tools.length} tools`}.`;
  if (state === "login") return "It asks for a token: remove it, and add it with one.";
  return state === "connecting" ? "Connecting…" : "Not connected.";
}

/** A sentence about the first thing that is wrong; empty if nothing is. */
function problemOf({ name, url }: Server, servers: readonly Server[]): string {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) return "The name has to be 1 to 40 letters, digits, underscores or dashes.";
  if (servers.some((each) => each.name === name)) return `There is a server ${name} already.`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "The URL has to be complete and to begin with https:// or http://.";
  const { username, password } = new URL(url);
  return username || password ? "The URL must not contain a user name or password: enter a token." : "";
}
