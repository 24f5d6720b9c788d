// Takes a conversation to an agent server, and back. The order of the steps is that of `src/server/moving.rs`: one side alone writes
// the conversation at every moment, and a move that breaks off can be made again, or taken back.
import { CoreServerCopy, type CoreTold } from "../../../pkg/threadkeep.js";
import type { Agent } from "../../agent/agent.js";
import type { ConversationState } from "../../events/events.js";
import { importZip } from "../../formats/archive.js";
import { exported } from "../../formats/archive/zip-export.js";
import { checkId, isA, isFunction, newId } from "../../input/arguments.js";
import { invalidOptions, optionsOf, settle, textsOf, ThreadkeepError } from "../../input/errors.js";
import { expect, masked } from "../../server/answers.js";
import { requestsTo, type Requests, serverOptions } from "../../server/requests.js";
import { AgentServer, type AgentServerOptions } from "../../server/server.js";
import { announce } from "../../store/changes.js";
import { locking } from "../../store/locking.js";
import { coreStore, indexedDBStore, type Store } from "../../store/store.js";
import { load } from "../../wasm/wasm.js";
import type { BringHomeOptions, MoveToServerOptions } from "../types.js";
import { clientTools } from "./client-tools.js";
import { isKnown, pageFrom } from "./link.js";
import { isOutage } from "./outbox.js";
import { descriptionOf } from "./described.js";

/** How many files are sent at once. */
const filesAtOnce = 6;

/** A conversation that is moved. Its lock is held. */
interface Moved {
  id: string;
  store: Store;
  server: AgentServerOptions;
  requests: Requests;
  /** Calls a method of its copy. */
  call<T>(method: (copy: CoreServerCopy) => Promise<T>): Promise<T>;
}

/** See `moveToServer()` of the library. */
export async function moveToServer(conversationId: string, options: MoveToServerOptions): Promise<void> {
  const { agent, secrets, onProgress, ...given } = optionsOf("moveToServer()", options, "agent server store secrets onProgress");
  const texts = secrets && textsOf("secrets", secrets);
  if (onProgress !== undefined && !isFunction(onProgress)) throw invalidOptions("onProgress must be a function");
  await locked(conversationId, given, async (moved) => {
    const { id, store, requests, call } = moved;
    const stored = await store.load(id);
    if (!stored) throw new ThreadkeepError("not_found", `conversation ${id} is not stored`);
    const state = JSON.parse(stored.baseState) as ConversationState & { threadkeep_server?: object };
    await requests.greet();
    // After a move that was broken off, the server may have it already.
    if (!state.threadkeep_server || !(await isKnown(requests, id))) {
      await ensureTools(requests, agent, state);
      const ofPage = clientTools(agent).map(({ name }) => name);
      await call((copy) => copy.ensureDecided(ofPage));
      await send(moved, agent, await folderOn(moved, agent, state), (done, total) => onProgress?.({ done, total, unit: "files" }));
    }
    await call((copy) => copy.depart(stored.length));
    try {
      const described = await describe(moved, agent, state);
      await requests.send("POST", "", described);
      await ensureAll(moved, stored.length);
      // A server stores them with the next field that changes: with the model.
      if (texts) await requests.send("POST", `/${id}/secrets`, { secrets: texts });
      // The agent is the one of the directory, which has no key.
      await requests.send("POST", `/${id}/switch_llm`, { llm: described.agent.llm });
      await takeAll(moved);
    } catch (error) {
      // Without an answer the server may still be about to take it, so the next attempt asks, or the way back.
      if (!isOutage(error) && !(await isKnown(requests, id))) await call((copy) => copy.arrive());
      throw error;
    }
  });
}

/** See `bringHome()` of the library. */
export async function bringHome(conversationId: string, options: BringHomeOptions): Promise<void> {
  const { server, store = indexedDBStore() } = optionsOf("bringHome()", options, "server store");
  const zip = await locked(conversationId, { server, store }, async (moved) => {
    const { id, requests, call } = moved;
    await call((copy) => copy.open());
    await requests.greet();
    let zip: Uint8Array | undefined;
    if (await isKnown(requests, id)) {
      zip = await packed(moved);
      await takeAll(moved);
      await call((copy) => copy.ensureAtRest());
      await requests.request("DELETE", `/api/conversations/${id}`);
    }
    await call((copy) => copy.arrive());
    return zip;
  });
  // Its events are here already. The archive has the further files, such as those of tools.
  if (zip) await importZip(zip, store);
}

/** The conversation as the server packs it. Before 1.58 it fails if a file is there no longer that it has just listed. */
async function packed({ id, requests }: Moved): Promise<Uint8Array> {
  const ask = () => requests.request("GET", `/api/file/download-trajectory/${id}`);
  return ask().catch((error: unknown) => {
    if (!(error instanceof ThreadkeepError && error.status === 500)) throw error;
    return ask();
  });
}

/** Does something with a conversation that nobody has open for writing. */
async function locked<T>(
  conversationId: string,
  { server: given, store = indexedDBStore() }: BringHomeOptions,
  act: (moved: Moved) => Promise<T>,
): Promise<T> {
  const id = checkId(conversationId);
  if (!isA(given, AgentServer)) throw invalidOptions("server must be agentServer()");
  const server = serverOptions(given);
  try {
    return await locking(store, async (claim) => {
      await load();
      if (!(await claim(id))) throw new ThreadkeepError("locked_elsewhere", `conversation ${id} is open; close it before it is moved`);
      const copy = await settle(CoreServerCopy.of(await coreStore(store), id, server.host));
      const call: Moved["call"] = (method) =>
        settle(method(copy)).catch((error) => {
          throw masked(server, error);
        });
      return act({ id, store, server, requests: requestsTo(server), call });
    });
  } finally {
    announce(store, [id]);
  }
}

/** The conversation with the model of this agent. The stored one may be that of another page, or of Python. */
function describe({ id, server }: Moved, agent: Agent, state: ConversationState): ReturnType<typeof descriptionOf> {
  return descriptionOf({ id, server, session: { agent, llm: agent.llm, state: () => state } });
}

/** A conversation whose tools a server does not know fails there with its first message. */
async function ensureTools(requests: Requests, agent: Agent, state: ConversationState): Promise<void> {
  const known = [...(await requests.tools()), ...clientTools(agent).map(({ name }) => name)];
  const missing = (state.agent.tools ?? []).map(({ name }) => name).filter((name) => !known.includes(name));
  if (missing.length > 0) throw new ThreadkeepError("unsupported", `the agent server does not have the tools ${missing.join(", ")}`);
}

/** The folder in which the server keeps its conversations. It says so only of a conversation that it has. */
async function folderOn(moved: Moved, agent: Agent, state: ConversationState): Promise<string> {
  const { requests } = moved;
  const id = newId();
  const body = { ...(await describe(moved, agent, state)), conversation_id: id };
  const folder = await requests.ask("POST", "/api/conversations", { body }, (made: { persistence_dir?: unknown }) => made.persistence_dir);
  await requests.request("DELETE", `/api/conversations/${id}`);
  if (typeof folder !== "string" || !folder.startsWith("/"))
    throw new ThreadkeepError(
      "unsupported",
      "start the agent server with an absolute OH_CONVERSATIONS_PATH, so that files can be sent there",
    );
  return folder.slice(0, folder.lastIndexOf("/"));
}

/** Sends the directory of the conversation. As long as the server is not told of it, it takes no notice. */
async function send(
  { id, store, requests, call }: Moved,
  agent: Agent,
  folder: string,
  report: (done: number, total: number) => void,
): Promise<void> {
  let done = 0;
  let total = 0;
  const { files } = await exported(store, id, (_, all) => (total = all));
  const stateFor = (text: string) => call((copy) => copy.stateForServer(text));
  const sendSome = async () => {
    for await (const { name, content } of files) {
      if (name.endsWith("/")) continue;
      const isState = name.endsWith("/base_state.json");
      const sent = isState ? withClientTools(agent, await stateFor(new TextDecoder().decode(content))) : content;
      const body = new FormData();
      body.append("file", new Blob([sent]), "file");
      await requests.request("POST", `/api/file/upload?path=${encodeURIComponent(`${folder}/${name}`)}`, { body, reads: true });
      report(++done, total);
    }
  };
  await Promise.all(Array.from({ length: filesAtOnce }, sendSome));
}

/** The state for a server, whose agent has the tools of this page among its own. */
function withClientTools(agent: Agent, text: string): string {
  const own = clientTools(agent);
  if (own.length === 0) return text;
  const state = JSON.parse(text) as ConversationState;
  const others = (state.agent.tools ?? []).filter(({ name }) => !own.some((tool) => tool.name === name));
  const tools = [...others, ...own.map((spec) => ({ name: spec.name, params: { spec } }))];
  return JSON.stringify({ ...state, agent: { ...state.agent, tools } });
}

/** @throws ThreadkeepError `invalid_state` if the server cannot read all events; then it has forgotten the conversation */
async function ensureAll({ id, requests }: Moved, length: number): Promise<void> {
  const count = await requests.ask("GET", `/api/conversations/${id}/events/count`, {}, (count: unknown) => {
    expect(typeof count === "number");
    return count;
  });
  if (count >= length) return;
  await requests.request("DELETE", `/api/conversations/${id}`);
  throw new ThreadkeepError("invalid_state", `the agent server can read only ${count} of the ${length} events`);
}

/** Takes in everything that the server has. */
async function takeAll({ id, store, requests, call }: Moved): Promise<void> {
  const { length = 0 } = (await store.load(id)) ?? {};
  let told: CoreTold[] = [{ kind: "info", text: await requests.send("GET", `/${id}`), length }];
  for (let isBehind = true; isBehind; told = []) {
    const from = (await call((copy) => copy.last())) ?? "";
    const page: CoreTold = { kind: "page", text: await requests.send("GET", pageFrom(id, from)), from };
    const given = [...told, page];
    ({ isBehind } = await call((copy) => copy.take(given)));
  }
}
