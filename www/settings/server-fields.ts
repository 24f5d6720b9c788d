// The settings of MCP servers: their names, addresses and tokens, and their state in the open conversation.

import type { MCPServerState } from "threadkeep";
import { announce } from "../shell/announcer.ts";
import { append, el } from "../shell/dom.ts";
import { sentence } from "../shell/failures.ts";
import { field, help, textField } from "./fields.ts";
import { missingServers, type ServerAddress, tokenName, tokenOf } from "./mcp-servers.ts";
import { report } from "../shell/notices.ts";
import type { Session } from "../thread/session.ts";
import { testServer } from "./test-server.ts";
import { keyIsLockedFor, models, settings } from "./settings.ts";

const STATES: Record<MCPServerState["state"], string> = {
  connecting: "connecting…",
  connected: "connected",
  login: "asks for a token: remove it, and add it with one",
  failed: "not connected",
  closed: "not connected",
};

export function serverSettings(session: Session | null) {
  let servers: ServerAddress[] = [...settings().mcpServers];
  /** Tokens that were entered, by URL; an empty one removes what is stored. */
  const entered = new Map<string, string>();
  /** The outcome of trying out a server that was added here. */
  const tried = new Map<ServerAddress, string>();
  const list = el("ul", { class: "servers", "aria-label": "MCP servers" });
  const name = textField("server-name", { maxlength: 40, placeholder: "search" });
  const url = textField("server-url", { inputmode: "url", placeholder: "https://" });
  const token = el("input", { id: "server-token", type: "password", autocomplete: "off" });
  const problem = el("p", { role: "alert", id: "server-problem" });

  const draw = (): void => {
    const missing = missingServers(session?.conversation.state.agent?.["mcp_config"], servers);
    const views = [...servers.map(serverView), ...missing.map(missingView)];
    // Unfolded tools stay unfolded.
    const opened = [...list.querySelectorAll("details[open]")].map((details) => details.closest("li")!.dataset["name"]);
    list.replaceChildren(...views);
    for (const item of list.children as Iterable<HTMLElement>)
      if (opened.includes(item.dataset["name"])) item.querySelector("details")?.setAttribute("open", "");
    list.hidden = views.length === 0;
  };
  const serverView = (server: ServerAddress): HTMLElement => {
    const state = session?.conversation.mcp?.servers.find((each) => each.name === server.name);
    const view = el(
      "li",
      { "data-name": server.name, "data-state": state?.state ?? "unknown" },
      el("p", {}, el("strong", {}, server.name), " ", el("span", { class: "quiet" }, server.url)),
    );
    append(view, [
      el(
        "p",
        { class: "server-state" },
        keyIsLockedFor(new URL(server.url).href)
          ? "Its token is locked, so it is not asked."
          : state === undefined
            ? (tried.get(server) ?? "It is asked from the next answer on.")
            : STATES[state.state],
      ),
      state?.error !== undefined && el("p", { class: "server-error" }, sentence(state.error)),
      ...(state?.notes ?? []).map((note) => el("p", { class: "quiet" }, sentence(note))),
      state !== undefined && state.tools.length > 0 && toolsView(state),
      el(
        "div",
        { class: "buttons" },
        state?.state === "failed" &&
          el("button", { type: "button", class: "button small", onclick: () => void reconnect(server.name) }, "Connect again"),
        el(
          "button",
          { type: "button", class: "button small", "aria-label": `Remove ${server.name}`, onclick: () => remove(server) },
          "Remove",
        ),
      ),
    ]);
    return view;
  };
  const missingView = ({ name: missing, url: address }: { name: string; url: string | null }): HTMLElement =>
    el(
      "li",
      { "data-name": missing },
      el("p", {}, el("strong", {}, missing), " ", el("span", { class: "quiet" }, address ?? "")),
      el(
        "p",
        {},
        address === null
          ? "This conversation came with this server, which a page cannot reach: it is a program on the computer where it was used."
          : "This conversation came with this server. It gets nothing from here unless you add it.",
      ),
      address !== null &&
        el(
          "button",
          { type: "button", class: "button small", "aria-label": `Add ${missing}`, onclick: () => add({ name: missing, url: address }) },
          "Add",
        ),
    );
  const add = (server: ServerAddress): void => {
    servers = [...servers.filter((each) => each.name !== server.name), server];
    announce(`${server.name} is added when you save.`);
    void tryOut(server);
  };
  /** Says whether the server can be used before somebody relies on it. */
  const tryOut = async (server: ServerAddress): Promise<void> => {
    const say = (text: string): void => {
      tried.set(server, text);
      draw();
    };
    say("Asking the server…");
    const auth = entered.get(server.url) || tokenOf(server.url);
    try {
      const state = await testServer(server.name, { url: server.url, ...(auth !== "" && { auth: { token: auth } }) });
      if (state === null) say("It has not answered in 20 seconds.");
      else if (state.state === "connected")
        say(
          `It works, with ${state.tools.length === 1 ? "1 tool" : `${state.tools.length} tools`}. It is used from the next answer on, once you save.`,
        );
      else
        say(
          `It cannot be used yet: ${state.state === "login" ? "it asks for a token, or for another one" : (state.error ?? "it is not connected")}.`,
        );
    } catch (error) {
      say(sentence(String(error instanceof Error ? error.message : error)));
    }
  };
  const remove = (server: ServerAddress): void => {
    servers = servers.filter((each) => each !== server);
    entered.set(server.url, "");
    draw();
    announce(`${server.name} is removed when you save.`);
    name.focus();
  };
  const reconnect = async (which: string): Promise<void> => {
    try {
      await session?.conversation.mcp?.reconnect(which);
    } catch (error) {
      report(error, { title: `${which} could not be connected`, recoveries: [] });
    }
    draw();
  };
  const addEntered = (): void => {
    const server = { name: name.value.trim(), url: url.value.trim() };
    problem.textContent = problemOf(server, servers);
    if (problem.textContent !== "") return name.focus();
    if (token.value !== "") entered.set(server.url, token.value);
    add(server);
    for (const input of [name, url, token]) input.value = "";
    name.focus();
  };
  const button = el("button", { type: "button", class: "button", onclick: addEntered }, "Add the server");
  // Otherwise Enter would save all settings, without the server.
  for (const input of [name, url, token]) {
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      addEntered();
    });
  }
  draw();

  const element = el(
    "fieldset",
    {},
    el("legend", {}, "MCP servers"),
    list,
    el(
      "div",
      { class: "fields" },
      field("Name", name),
      field(
        "URL",
        url,
        help(
          "server-url-help",
          "Over streamable HTTP or SSE. The server has to allow requests from this page (CORS), and its tools reach beyond it, so their calls count as risky.",
        ),
      ),
      field(
        "Token",
        token,
        help(
          "server-token-help",
          "Sent to this server only. Kept like the keys of models: in memory, or stored and encrypted as chosen above.",
        ),
      ),
      problem,
      button,
    ),
  );
  const stop = session?.onChange(draw) ?? ((): void => undefined);
  const keepTokens = async (): Promise<void> => {
    for (const [address, value] of entered) if (value !== tokenOf(address)) await models.keys.set(tokenName(address), value);
  };
  return { element, read: () => ({ mcpServers: servers }), keepTokens, stop };
}

function toolsView({ tools }: MCPServerState): HTMLElement {
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return el(
    "details",
    {},
    el("summary", {}, count),
    el(
      "ul",
      {},
      ...tools.map(({ name, description }) => el("li", {}, el("code", {}, name), description === "" ? null : ` ${description}`)),
    ),
  );
}

/** A sentence about the first thing that is wrong; empty if nothing is. */
function problemOf({ name, url }: ServerAddress, servers: readonly ServerAddress[]): string {
  if (!/^[A-Za-z0-9_-]{1,40}$/.test(name)) return "The name has to be 1 to 40 letters, digits, underscores or dashes.";
  if (servers.some((each) => each.name === name)) return `There is a server ${name} already.`;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return "The URL has to be complete and to begin with https:// or http://.";
  const { username, password } = new URL(url);
  return username || password ? "The URL must not contain a user name or password: enter a token." : "";
}
