// Opening a conversation: makes the parts of a handle, and connects them with the conversation of the wasm.
import { CoreConversation } from "../../pkg/threadkeep.js";
import type { Agent } from "../agent/agent.js";
import { coreCondensing } from "../agent/condenser.js";
import { join, lockOfWriter, write } from "../store/changes.js";
import { Analyzers } from "../control/control.js";
import type { readOptions } from "./options.js";
import { coreCritic } from "../agent/critics.js";
import { ask, settle } from "../input/errors.js";
import type { ConversationEvent, ConversationState, LiveEvent, StreamingDeltaEvent } from "../events/events.js";
import { opened as noteOpened, record } from "../store/inventory.js";
import { coreLLM } from "../llm/llm.js";
import { listenersOf } from "./listeners.js";
import { openServers } from "../mcp/mcp.js";
import { Network, WAITED } from "../llm/network.js";
import { Secrets } from "../secrets/secrets.js";
import { coreContext } from "../agent/skills.js";
import type { CoreCondensing } from "../agent/types.js";
import { coreStore, spansConversations } from "../store/store.js";
import type { Parent } from "../subagents/types.js";
import { ToolCalls } from "../tool/calls.js";
import type { CoreTool } from "../tool/types.js";
import { loadChunk, part } from "../wasm/wasm.js";
import { LazyHome, workingDirOf } from "../workspace/workspace.js";
import type { ConversationWarning, HandleParts } from "./types.js";

/** Opens a conversation of the wasm and connects it with the functions of the host. @internal */
export async function openCore(given: ReturnType<typeof readOptions>, open: Parent["open"]): Promise<{ core: CoreConversation; parts: HandleParts; warnings: ConversationWarning[] }> {
  const { agent, id, store, policy, hooks, tags } = given;
  const analyzers = given.inherited?.analyzers ?? new Analyzers();
  const analyzer = given.securityAnalyzer === undefined ? undefined : await analyzers.take(given.securityAnalyzer);
  const { listeners, emit } = listenersOf(given);
  const secrets = await Secrets.read(given.secrets, given.cipher, agent.llm.options);
  const workingDir = await workingDirOf(agent.tools, given.workspace, store, id);
  const masked = (text: string): string => opened.masked(text);
  const network = new Network(
    given.id,
    given.waits,
    (event) => emit({ ...event, message: masked(event.message) }),
    (waiting) => void ask(opened, "note", WAITED, JSON.stringify(waiting)).catch(() => {}),
    masked,
  );
  const above = given.inherited?.owner;
  const home = new LazyHome(given.workspace, workingDir, () => opened, store, id, network, above?.home);
  const owner = given.inherited || !home.isTransactional || !spansConversations(store) ? above : { core: () => opened, home, tell: () => writing?.tell(false) };
  const parent: Parent = {
    given, core: () => opened, analyzers, secrets, workspace: home.workspace, ownsWorkspace: home.isTransactional || given.inherited?.ownsWorkspace === true, owner, emit, open, llm: agent.llm, load: (load) => network.load(load),
  };
  const tools = new ToolCalls(agent.tools, emit, secrets, home, parent);
  let writing: ReturnType<typeof write> | undefined;
  /** Whether lists show a commit of opening. */
  let isListed = false;
  /** Whether this handle writes a conversation of which nothing is stored yet. */
  let isNew = false;
  const toCore: typeof tools.toCore = (own) => tools.toCore(own);
  const mcp = await openServers({ agent, id, store, cipher: given.cipher, emit, core: () => opened, toCore });
  const [core, coreTools, condensing, context, critic, finalAnswer] = await Promise.all([
    coreStore(store), tools.toCore(), coreCondensing(agent, (llm) => coreLLM(llm, network, secrets.onKey)), coreContext(agent),
    agent.critic === undefined ? undefined : coreCritic(agent.critic),
    agent.finalAnswer === undefined ? undefined : part(import("../agent/final-answer.js")).then(({ coreAnswer }) => coreAnswer(agent.finalAnswer!)),
  ]);
  const openWith = (options: object) => (above ? above.core().openBelow(options, core) : CoreConversation.open(options, core));
  const opened: CoreConversation = (await settle(openWith(
    {
      conversationId: id,
      ...given.limits,
      ...(tags && { tags }),
      ...(policy && { confirmationPolicy: policy }),
      ...(analyzer && { securityAnalyzer: analyzer }),
      ...(hooks && { hooks }),
      ...given.inherited?.stored,
      agent: {
        ...coreAgent(agent, mcp ? coreTools.filter(({ name }) => mcp.has(name)) : coreTools, condensing, network, secrets),
        ...context, critic, finalAnswer, workingDir, mcp: await mcp?.coreSettings(),
      },
      onEvent: (json: string) => {
        const event = JSON.parse(json) as ConversationEvent;
        if (event.kind === "ObservationEvent") {
          home.committed(event.action_id);
          above?.tell();
        }
        emit(event);
        mcp?.committed();
      },
      load: (chunk: string) => network.load(() => loadChunk(chunk)),
      onDelta: (message_id: string, content?: string, reasoning_content?: string) => {
        const event: StreamingDeltaEvent = { kind: "StreamingDeltaEvent", message_id };
        if (content !== undefined) event.content = content;
        if (reasoning_content !== undefined) event.reasoning_content = reasoning_content;
        emit(event);
      },
      onCommit: (json: string) => {
        const live = JSON.parse(json) as LiveEvent[];
        live.forEach(emit);
        const isFirst = isNew && opened.isStored();
        if (isFirst) {
          isNew = false;
          record(store, { stored: [id] });
        }
        const isShown = isFirst || live.some((event) => event.kind === "ConversationStateUpdateEvent" && event.key !== "leaf_event_id");
        isListed ||= isShown;
        writing?.tell(isShown);
      },
      analyze: async (action: string) => analyzers.securityRisk(JSON.stringify(JSON.parse(opened.state()).security_analyzer), action),
    },
  ))) as CoreConversation;
  if (given.inherited) opened.hide(given.inherited.hidden);
  const warnings: ConversationWarning[] = [];
  const { options } = agent.llm;
  let leave: () => void;
  if (opened.access() === "writer") {
    isNew = !opened.isStored();
    writing = write(store, id);
  }
  try {
    const message = await secrets.open(opened, { ...options, fallbacks: [...(options.fallbacks ?? []), ...(condensing?.llms ?? [])] });
    const state = JSON.parse(opened.state()) as ConversationState;
    const lost = await noteOpened(store, id, given.isGiven, opened.found());
    if (lost) warnings.push({ code: "store_lost", message: lost });
    if (message) warnings.push({ code: "secrets_unavailable", message });
    const waited = state.agent_state?.[WAITED];
    if (waited) warnings.push({ code: "interrupted", message: `the run was waiting for the network when it ended (${waited.message}); call run() to continue` });
    const complaint = await analyzers.complaint(state.security_analyzer);
    if (complaint) warnings.push({ code: "settings_unavailable", message: complaint });
    if (writing) {
      leave = writing.leave;
      writing.tell(isListed);
    } else {
      const { follow } = await part(import("./following.js"));
      leave = await follow({ store, id, core: opened, home, emit, join, lock: lockOfWriter(store, id) });
    }
  } catch (error) {
    await ask(opened, "close");
    writing?.leave();
    throw error;
  }
  mcp?.begin(opened);
  // A failure is left to the one that needs the part.
  void part(import("./ahead.js")).then(({ loadAhead }) => loadAhead(given, JSON.parse(opened.state()))).catch(() => {});
  return { core: opened, parts: { listeners, leave, analyzers, tools, mcp, home, secrets, network, parent, deleteOnClose: given.deleteOnClose, agent }, warnings };
}

/** The agent in the form that the wasm takes. */
function coreAgent(agent: Agent, tools: CoreTool[], condensing: CoreCondensing | null | undefined, network: Network, { onKey, keyToken }: Secrets): object {
  const { llm, systemPrompt, toolConcurrencyLimit, filterToolsRegex } = agent;
  return {
    llm: coreLLM(llm, network, onKey, keyToken),
    ...(systemPrompt !== undefined && { systemPrompt }),
    toolConcurrencyLimit,
    filterToolsRegex,
    tools,
    condensing,
  };
}
