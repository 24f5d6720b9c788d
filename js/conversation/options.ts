// The options of `Conversation.open()`, and how they are checked.
import { Agent } from "../agent/agent.js";
import { arrayOf, checkId, isA, isFunction, newId } from "../input/arguments.js";
import { storedPolicy } from "../control/control.js";
import { invalidOptions, optionsOf, textOf, textsOf, ThreadkeepError } from "../input/errors.js";
import { coreHooks } from "../control/hooks.js";
import { limitNames, limitsOf } from "../agent/limits.js";
import { offlineOf } from "../llm/network.js";
import { indexedDBStore } from "../store/store.js";
import { checkedWorkspace } from "../workspace/workspace.js";
import { AgentServer } from "../server/server.js";
import { part } from "../wasm/wasm.js";
import type { ConversationOptions, ForkOptions } from "./types.js";

/** The checked options of `fork()`. @internal */
export function readFork(options: ForkOptions, own: Agent) {
  const {
    fromEventId,
    title,
    tags = {},
    resetMetrics = true,
    agent = own,
  } = optionsOf("fork()", options, "fromEventId title tags resetMetrics agent");
  if (typeof resetMetrics !== "boolean") throw invalidOptions("resetMetrics must be true or false");
  const given = textsOf("tags", tags);
  return {
    fromEventId: fromEventId === undefined ? undefined : textOf(fromEventId),
    tags: title === undefined ? given : { ...given, title: textOf(title) },
    resetMetrics,
    agent,
  };
}

const names =
  `agent conversationId store callbacks tokenCallbacks confirmationPolicy securityAnalyzer offline resume takeOver home deleteOnClose hooks plugins allowPlugins onMissing tags secrets cipher workspace attachments ${limitNames}` as const;

/** The checked and copied options, in the form that the wasm takes. @internal */
export function readOptions(options: ConversationOptions) {
  const given = optionsOf("Conversation.open()", options, names);
  const {
    agent,
    conversationId,
    store = indexedDBStore(),
    callbacks = [],
    tokenCallbacks = [],
    confirmationPolicy,
    resume = "again",
    takeOver = "auto",
    home,
    deleteOnClose = false,
    hooks,
    plugins,
    allowPlugins,
    onMissing,
    tags,
    securityAnalyzer,
    secrets,
    cipher,
    workspace,
    attachments,
  } = given;
  if (!isA(agent, Agent)) throw invalidOptions("agent must be an Agent: Conversation.open({ agent: new Agent({ … }) })");
  if (resume !== "again" && resume !== "keep") throw invalidOptions('resume must be "again" or "keep"');
  if (takeOver !== "auto" && takeOver !== "never") throw invalidOptions('takeOver must be "auto" or "never"');
  if (typeof deleteOnClose !== "boolean") throw invalidOptions("deleteOnClose must be true or false");
  if (hooks !== undefined && isA(home, AgentServer))
    throw new ThreadkeepError(
      "unsupported",
      "hooks are of this page, and an agent server does not ask them: open the conversation without",
    );
  return {
    agent,
    id: conversationId === undefined || conversationId === null ? newId() : checkId(conversationId),
    /** Whether the conversation may already exist. */
    isGiven: conversationId !== undefined && conversationId !== null,
    store,
    callbacks: arrayOf("callbacks", "functions", callbacks, isFunction),
    tokenCallbacks: arrayOf("tokenCallbacks", "functions", tokenCallbacks, isFunction),
    limits: limitsOf(given),
    waits: offlineOf(given.offline) === "wait",
    policy: confirmationPolicy === undefined ? undefined : storedPolicy(confirmationPolicy),
    hooks: hooks === undefined ? undefined : coreHooks(hooks),
    /** They are checked where plugins are loaded. */
    ofPlugins: (plugins ?? allowPlugins ?? onMissing) ? { plugins, allowPlugins, onMissing } : undefined,
    resume,
    takesOver: takeOver === "auto",
    server: isA(home, AgentServer) ? home : undefined,
    /** It is checked when it is used. */
    at: isA(home, AgentServer) ? undefined : home,
    deleteOnClose,
    tags: tags === undefined ? undefined : textsOf("tags", tags),
    securityAnalyzer,
    secrets,
    cipher,
    workspace: workspace === undefined ? undefined : checkedWorkspace(workspace),
    attachments,
  };
}

type Checked = ReturnType<typeof readOptions>;

/** Opens a conversation with what its plugins add to its options: at once, if it has none. @internal */
export function withPlugins<Opened>(given: Checked, open: (given: Checked) => Promise<Opened>): Promise<Opened> {
  if (given.ofPlugins === undefined) return open(given);
  return part(import("../plugins/plugins/open.js")).then(async ({ withPlugins }) => open(await withPlugins(given)));
}
