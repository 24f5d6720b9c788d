// The description with which a conversation is made on an agent server, and what cannot be in one.
import type { Agent } from "../../agent/agent.js";
import type { Condenser, LLMSummarizingCondenser } from "../../agent/condenser/options.js";
import type { ConversationState } from "../../events/events.js";
import { ThreadkeepError } from "../../input/errors.js";
import type { LLM } from "../../llm/llm.js";
import { givenLLM } from "../../llm/registry.js";
import { profileOf } from "../../llm/profiles/index.js";
import type { AgentServerOptions } from "../../server/server.js";
import type { VersionedWorkspace } from "../../workspace/types.js";
import type { ActingSession } from "../types.js";
import { clientTools } from "./client-tools.js";

/** The error about something that no server does. */
export const unsupported = (message: string) => new ThreadkeepError("unsupported", message);

/**
 * `state` is that of a new conversation.
 * @throws ThreadkeepError `unsupported` for tools of this library that no server has, and a workspace that is not one of a server
 */
export function refuseWhatStaysHere(agent: Agent, state: ConversationState | undefined, workspace: VersionedWorkspace): void {
  const there = state && new Set(state.agent.tools?.map(({ name }) => name));
  const own = agent.tools.flatMap(({ name, builtIn }) => (builtIn && there?.has(name) === false ? [name] : []));
  if (own.length > 0) throw unsupported(`an agent server does not have these tools of threadkeep: ${own.join(", ")}`);
  if (!workspace.executeCommand)
    throw unsupported("an agent server works on its own files: leave the option workspace out, or give it a remoteWorkspace()");
}

/** A model as a server takes it, with its key. */
export async function modelOf({ options }: LLM): Promise<object> {
  const { apiKey, stream = true } = options;
  const key = typeof apiKey === "function" ? await apiKey() : apiKey;
  return { ...JSON.parse(profileOf(options)), api_key: key || null, stream };
}

/** A condenser as it is stored. */
interface StoredCondenser {
  llm?: { usage_id?: string };
  condensers?: StoredCondenser[];
}

/** The stored condenser with the models of this page, because the stored ones have no keys. */
async function condenserOf(stored: StoredCondenser, agent: Agent): Promise<StoredCondenser> {
  const given = summarizersIn(agent.condenser);
  const filled = async ({ llm, ...fields }: StoredCondenser) => {
    const named = given.shift()?.llm ?? agent.llm;
    const model = await modelOf(givenLLM(named, agent.llmRegistry, "llm of the condenser must be an LLM"));
    return { ...fields, llm: { ...model, usage_id: llm?.usage_id ?? "condenser" } };
  };
  return stored.condensers ? { ...stored, condensers: await Promise.all(stored.condensers.map(filled)) } : filled(stored);
}

/** The members of a condenser that ask a model. Only these are stored. */
function summarizersIn(condenser: Condenser | null | undefined): LLMSummarizingCondenser[] {
  if (condenser?.kind === "PipelineCondenser") return condenser.condensers.flatMap(summarizersIn);
  return condenser?.kind === "LLMSummarizingCondenser" ? [condenser] : [];
}

/** A conversation that is to be made on a server. */
export interface Described {
  readonly id: string;
  readonly server: AgentServerOptions;
  readonly session: Pick<ActingSession, "llm" | "state"> & { readonly agent: Agent };
}

/** The description with which a conversation is made on a server. Keys are in it, so it is made when it is sent. */
export async function descriptionOf({ id, session, server }: Described): Promise<{ agent: { llm: object }; [field: string]: unknown }> {
  const { agent: stored, confirmation_policy, security_analyzer, tags, max_iterations, stuck_detection } = session.state();
  const { system_prompt, condenser, ...agent } = stored as typeof stored & { system_prompt?: string; condenser?: StoredCondenser };
  const names = (agent.tools ?? []).map(({ name }) => name);
  return {
    conversation_id: id,
    agent: {
      ...agent,
      llm: await modelOf(session.llm),
      ...(condenser && { condenser: await condenserOf(condenser, session.agent) }),
      // The default one is about a page.
      ...(session.agent.systemPrompt !== undefined && { system_prompt }),
    },
    client_tools: clientTools(session.agent),
    workspace: { kind: "LocalWorkspace", working_dir: server.workingDir },
    confirmation_policy,
    ...(security_analyzer && { security_analyzer }),
    tags,
    max_iterations,
    stuck_detection,
    // It would ask the model on the user's account.
    autotitle: false,
    tool_module_qualnames: Object.fromEntries(names.map((name) => [name, `openhands.tools.${name}.definition`])),
  };
}
