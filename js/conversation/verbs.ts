// The methods of a conversation that only its writer can carry out. Another handle passes them on to it by their names.
import { limitNames, limitsOf, type RunLimits } from "../agent/limits.js";
import { storedPolicy } from "../control/control.js";
import type { ConfirmationPolicy, SecurityAnalyzer } from "../control/types.js";
import type { ActionEvent, MessageEvent } from "../events/events.js";
import type { Content, JSONObject, JSONValue, Observation } from "../events/types.js";
import { arrayOf, jsonOf, signalOf } from "../input/arguments.js";
import { ask, optionsOf, textOf, textsOf } from "../input/errors.js";
import { contentOf, type Image } from "../llm/images.js";
import type { LLM } from "../llm/llm.js";
import { givenLLM } from "../llm/registry.js";
import type { SecretValue } from "../secrets/source.js";
import { regenerate, run, stop } from "./run.js";
import { editMessage, sendMessage } from "./send.js";
import { askAgent, generateTitle } from "./side-calls.js";
import type { Acting, TagChanges } from "./types.js";
import { editAction, rejectActions, shownActions } from "./waiting-calls.js";

/** Their documentation is that of the class. @internal */
export const verbs = {
  sendMessage,
  editMessage,
  run,
  regenerate,
  editAction,
  rejectPendingActions: rejectActions,
  askAgent,
  generateTitle,

  async pendingActions({ core, session }: Acting, options: { allowable?: boolean | undefined }): Promise<ActionEvent[]> {
    return shownActions(core, session, options);
  },

  /** `queue.list()` */
  async queued({ core }: Acting): Promise<MessageEvent[]> {
    return (await ask(core, "queuedMessages")).map((json) => JSON.parse(json));
  },

  /** `queue.edit()` */
  async editQueued({ core, session }: Acting, id: string, message: string | ReadonlyArray<Content | Image>): Promise<MessageEvent> {
    return JSON.parse(await ask(core, "editQueuedMessage", textOf(id), await contentOf(message, session.llm)));
  },

  /** `queue.remove()` */
  async removeQueued({ core }: Acting, id: string): Promise<void> {
    await ask(core, "removeQueuedMessage", textOf(id));
  },

  async navigateTo({ core }: Acting, eventId: string | null): Promise<void> {
    await ask(core, "navigateTo", eventId === null ? undefined : textOf(eventId));
  },

  async pause(on: Acting): Promise<void> {
    const { session } = on;
    await stop(on, "pause");
    session.network.stop();
    await session.tasks?.pause();
  },

  interrupt: (on: Acting): Promise<void> => stop(on, "interrupt"),

  async retryNow({ session }: Acting): Promise<void> {
    session.network.retry();
    session.tasks?.retryNow();
  },

  async condense({ core }: Acting): Promise<void> {
    await ask(core, "condense");
  },

  async setLimits({ core, session }: Acting, limits: RunLimits): Promise<void> {
    await ask(core, "setLimits", limitsOf(optionsOf("setLimits()", limits, limitNames)));
    // Not all of them are in a commit.
    session.tell(false);
  },

  async setAllowedTools({ core }: Acting, names: readonly string[]): Promise<void> {
    await ask(
      core,
      "setAllowedTools",
      arrayOf("allowedTools", "names of tools", names, (name) => typeof name === "string"),
    );
  },

  async setConfirmationPolicy({ core }: Acting, policy: ConfirmationPolicy): Promise<void> {
    await ask(core, "setConfirmationPolicy", storedPolicy(policy));
  },

  async setSecurityAnalyzer({ core, session }: Acting, analyzer: SecurityAnalyzer | null): Promise<void> {
    await ask(core, "setSecurityAnalyzer", await session.analyzers.take(analyzer));
  },

  async setAgentState({ core }: Acting, values: { [name: string]: JSONValue | JSONObject }): Promise<void> {
    await ask(core, "setAgentState", jsonOf("agentState", values));
  },

  async setTags({ core }: Acting, tags: Record<string, string>): Promise<void> {
    await ask(core, "setTags", jsonOf("tags", textsOf("tags", tags)));
  },

  /** `updateConversations()` */
  async changeTags({ core }: Acting, changes: TagChanges): Promise<void> {
    await ask(core, "changeTags", JSON.stringify(changes));
  },

  async executeTool(
    { core, session }: Acting,
    name: string,
    args: JSONValue | JSONObject,
    options: { signal?: AbortSignal | undefined },
  ): Promise<Observation> {
    const call = { name: textOf(name), arguments: jsonOf("the arguments", args) };
    const signal = signalOf(optionsOf("executeTool()", options, "signal").signal);
    return JSON.parse(await session.tools.withSignal(signal, (id) => ask(core, "executeTool", { ...call, toolCallId: id })));
  },

  async switchLLM({ core, session }: Acting, llm: LLM | string): Promise<void> {
    const next = givenLLM(llm, session.agent.llmRegistry, "switchLLM() takes an LLM");
    await session.secrets.switchLLM(core, next, session.network);
    session.llm = next;
  },

  async updateSecrets({ core, session }: Acting, secrets: Record<string, SecretValue | null>): Promise<void> {
    await session.secrets.update(core, secrets);
  },

  async allowSecrets({ core, session }: Acting): Promise<void> {
    await session.secrets.allow(core);
  },
};

/** @internal */
export type Verbs = typeof verbs;
/** @internal */
export type Verb = keyof Verbs;
/** @internal */
export type ArgumentsOf<V extends Verb> = Parameters<Verbs[V]> extends [Acting, ...infer Rest] ? Rest : never;
