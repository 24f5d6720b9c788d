// The tool `task`: gives a task to a sub-agent, which works in a conversation of its own. The SDK's is `tools/task/`.
//
// A task and its conversation are recorded in the parent's `agent_state` before anything runs, and the prompt names the
// call that sends it. So a call that is repeated after the page died finds its conversation, sends nothing again, and goes
// on with it; calls of the sub-agent that were under way are treated there as in every conversation.
import type { CoreTask } from "../../pkg/threadkeep.js";
import { Agent } from "../agent/agent.js";
import { limitsOf } from "../agent/limits.js";
import { newId } from "../input/arguments.js";
import { ThreadkeepError, ask, invalidOptions, optionsOf, textOf } from "../input/errors.js";
import type {
  ActionEvent,
  ConversationErrorEvent,
  ConversationEvent,
  ConversationState,
  LiveEvent,
  SubagentEvent,
} from "../events/events.js";
import type { LLM } from "../llm/llm.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput, Tool } from "../tool/types.js";
import { type PluginAgent, agentName, general, readDefinitions, withPluginAgents } from "./definitions.js";
import { messageOf, present } from "../tools/definition.js";
import { combined, stricter } from "./inheritance.js";
import type { AgentDefinition, Child, Parent, Tasks, TaskToolOptions } from "./types.js";

interface TaskArguments {
  description?: string;
  prompt: string;
  subagent_type?: string;
  resume?: string;
  /** Accepted and stored, but without effect, as in the SDK. */
  max_turns?: number;
}

const parameters = {
  type: "object",
  properties: {
    description: { type: "string", description: "A short description of the task, of 3 to 5 words." },
    prompt: { type: "string", description: "The task for the agent." },
    subagent_type: { type: "string", description: `The type of the agent; \`${general}\` by default.` },
    resume: { type: "string", description: "The id of an earlier task, to go on with it." },
  },
  required: ["prompt"],
} as const;

const description = (agents: string) => `Gives a task to a sub-agent, which works on it by itself and reports to you.

The types of agents, and their tools:
${agents}

A sub-agent does not know this conversation. Write into the prompt everything that it needs to know: the goal, names of files, error messages, and what it should report.
Use it for work of several steps that can be described completely. Do simple things yourself: reading a file, or one command.
The user does not see the report; tell the user what matters of it.
Several independent tasks can be given in one answer.
To ask the same sub-agent something more, pass the id of its task as \`resume\`.`;

/** @param more Definitions of plugins, for names that the host does not give. */
export function define(options: object, parent: Parent, more: readonly PluginAgent[] = []): BuiltInDefinition {
  const { agents: given, llms = {}, maxDepth = 2 } = optionsOf("taskTool()", options as TaskToolOptions, "agents llms maxDepth");
  if (!Number.isInteger(maxDepth) || maxDepth < 1) throw invalidOptions("maxDepth of taskTool() must be a whole number of at least 1");
  const definitions = withPluginAgents(readDefinitions(given), more);
  if (!definitions.has(general)) {
    const tools = parent.agent.tools.filter(({ name }) => name !== "task");
    definitions.set(general, { name: general, description: "For any task that no other agent is made for.", tools });
  }
  const named = (tool: string | Tool) => (typeof tool === "string" ? tool : tool.name);
  const agents = [...definitions.values()].map(
    ({ name, description = "", tools = [] }) =>
      `- **${name}**: ${description}${tools.length ? ` (tools: ${tools.map(named).join(", ")})` : ""}`,
  );
  const tasks = new RunningTasks(parent, definitions, llms, maxDepth);
  parent.tasks = tasks;
  return {
    description: description(agents.join("\n")),
    parameters,
    annotations: { title: "task", readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    replay: "safe",
    // A task does nothing by itself. The calls of the sub-agent are subject to the policy.
    needsApproval: () => false,
    changesFiles: false,
    className: "Task",
    action: ({ description, prompt, subagent_type = general, resume, max_turns }: TaskArguments) =>
      present({ description, prompt, subagent_type, resume, max_turns }),
    execute: (args: TaskArguments, context) => tasks.execute(args, context),
  };
}

class RunningTasks implements Tasks {
  readonly #parent: Parent;
  readonly #definitions: ReadonlyMap<string, AgentDefinition>;
  readonly #llms: Readonly<Record<string, LLM>>;
  readonly #maxDepth: number;
  /** Open conversations of sub-agents, by task id. */
  readonly #open = new Map<string, Promise<Child>>();
  risks: Tasks["risks"] = {};
  /** The actions of sub-agents that the user has approved, by the call that waits for them; `undefined` for all. */
  #approved = new Map<string, string[] | undefined>();
  /** The calls under way, by task id. */
  readonly #calls = new Map<string, Promise<unknown>>();

  constructor(parent: Parent, definitions: ReadonlyMap<string, AgentDefinition>, llms: Readonly<Record<string, LLM>>, maxDepth: number) {
    this.#parent = parent;
    this.#definitions = definitions;
    this.#llms = llms;
    this.#maxDepth = maxDepth;
  }

  async execute(args: TaskArguments, context: BuiltInContext): Promise<BuiltInOutput> {
    const subagent = args.subagent_type ?? general;
    try {
      const agent = this.#agent(subagent);
      const task = (await this.#find(context.idempotencyKey, args, newId()))!;
      const taskId = task.id;
      // A task works on one prompt after the other, also if an interrupted call has not ended yet.
      const before = this.#calls.get(taskId);
      const call = (async () => {
        await before;
        return this.#work(task, agent, subagent, args.prompt, context);
      })();
      this.#calls.set(
        taskId,
        call.catch(() => {}),
      );
      return await call;
    } catch (error) {
      context.signal.throwIfAborted();
      return {
        content: `Failed to execute task: ${messageOf(error)}`,
        isError: true,
        fields: present({ task_id: "unknown", subagent, status: "error" }),
      };
    }
  }

  /**
   * The task that this call starts or resumes, which is recorded before anything runs; without `starts` only one that is recorded.
   * @throws ThreadkeepError `not_found` also for a task whose conversation is not that of a sub-agent of this one
   */
  #find(action: string, { resume }: TaskArguments, starts?: string): Promise<CoreTask | undefined> {
    return this.#parent.load(() => ask(this.#parent.core, "subagentTask", { action, resume, starts }));
  }

  async #work(task: CoreTask, agent: Agent, subagent: string, prompt: string, context: BuiltInContext): Promise<BuiltInOutput> {
    const { signal, isDirect } = context;
    signal.throwIfAborted();
    const taskId = task.id;
    const child = await this.#child(task, agent, subagent);
    let keeps = false;
    try {
      let failure = await this.#run(child, prompt, context);
      if (failure === "waits" && isDirect) failure = await rejectWaiting(child, taskId);
      if (failure === "waits") {
        keeps = true;
        return { content: "", fields: {}, waits: true };
      }
      const response = await child.finalResponse();
      const fields = present({ task_id: taskId, subagent, status: failure === undefined ? "completed" : "error" });
      if (failure === undefined) return { content: response || "Task completed with no result.", fields };
      return { content: response ? `${failure}\nPartial result:\n${response}` : failure, isError: true, fields };
    } finally {
      // The costs since the beginning of the task replace those that were counted before.
      await ask(this.#parent.core, "note", `task:${taskId}`, JSON.stringify(combined(child.stats))).catch(() => {});
      if (!keeps) await this.#close(taskId);
    }
  }

  /**
   * Runs the sub-agent until it is done. Returns why it has failed, `"waits"` if it waits for the user or for the next run after a
   * pause, otherwise nothing.
   */
  async #run(child: Child, prompt: string, { idempotencyKey: action, signal, isDirect }: BuiltInContext): Promise<string | undefined> {
    // The user may have allowed a tool while the sub-agent waited.
    const allowed = this.#parent.state().agent_state?.allowed_tools ?? [];
    if (allowed.join() !== child.allowedTools.join()) await child.setAllowedTools(allowed);
    const isRepeated = await wasSent(child, action);
    if (!isRepeated) await child.sendMessage(prompt, { sender: action, pending: "reject" });
    // The user has approved the calls that wait now, not later ones.
    const isApproved = this.#approved.has(action);
    const approve = this.#approved.get(action);
    this.#approved.delete(action);
    for (let hasRun = false; ; hasRun = true) {
      const status = child.executionStatus;
      if (status === "finished") return undefined;
      if (!isDirect && this.#parent.core.executionStatus() === "paused") return "waits";
      // The death of a page is stored as a pause.
      if (status === "paused" && hasRun) return stopDetail(child);
      if ((status === "error" || status === "stuck") && (hasRun || isRepeated)) return stopDetail(child);
      const waits = status === "waiting_for_confirmation";
      if (waits && (hasRun || !isApproved)) return "waits";
      try {
        await child.run({ signal, ...(waits && approve && { approve }) });
      } catch (error) {
        signal.throwIfAborted();
        return messageOf(error);
      }
    }
  }

  /** Opens the conversation of a task, or creates it. It has the settings of the parent, and no looser ones. */
  #child(task: CoreTask, agent: Agent, subagent: string): Promise<Child> {
    const taskId = task.id;
    const open = this.#open.get(taskId) ?? this.#openChild(task, agent, this.#definition(subagent));
    this.#open.set(taskId, open);
    open.catch(() => this.#open.delete(taskId));
    return open;
  }

  async #openChild({ id: taskId, conversation: id }: CoreTask, agent: Agent, definition: AgentDefinition): Promise<Child> {
    const state = this.#parent.state();
    const onEvent = (event: ConversationEvent | LiveEvent) => {
      const inner: SubagentEvent =
        event.kind === "SubagentEvent" ? { ...event, path: [taskId, ...event.path] } : { kind: "SubagentEvent", path: [taskId], event };
      this.#parent.emit(inner);
    };
    const child = await this.#parent.openChild({
      agent,
      id,
      ancestors: ancestorsOf(state),
      confirmationPolicy: JSON.stringify(stricter(state.confirmation_policy, definition.permissionMode)),
      limits: limitsOf(definition),
      onEvent,
    });
    try {
      if (child.access !== "writer")
        throw new ThreadkeepError("locked_elsewhere", `the conversation of ${taskId} is open elsewhere; close it there`);
      return child;
    } catch (error) {
      await child.close();
      throw error;
    }
  }

  #definition(subagent: string): AgentDefinition {
    const definition = this.#definitions.get(agentName(subagent));
    if (definition) return definition;
    throw new ThreadkeepError(
      "not_found",
      `Unknown agent '${subagent}'. Available types: ${[...this.#definitions.keys()].sort().join(", ")}`,
    );
  }

  /** The agent of this definition. */
  #agent(subagent: string): Agent {
    const { name, systemPrompt, tools = [], skills = [], model = "inherit" } = this.#definition(subagent);
    const { agent, llm } = this.#parent;
    const ofParent = new Map(agent.tools.map((tool) => [tool.name, tool]));
    const isDeepest = ancestorsOf(this.#parent.state()).length >= this.#maxDepth;
    const found = tools.map((tool) => {
      const found = typeof tool === "string" ? ofParent.get(tool === "task_tool_set" ? "task" : tool) : tool;
      if (!found) throw new ThreadkeepError("not_found", `Tool '${textOf(tool)}' not registered but was given to agent ${name}.`);
      return found;
    });
    const known = agent.agentContext?.skills ?? [];
    const chosen = skills.map((skill) => {
      const found = known.find(({ name }) => name === skill);
      if (!found) throw new ThreadkeepError("not_found", `Skill '${skill}' not found but was given to agent '${name}'.`);
      return found;
    });
    const registered = agent.llmRegistry.listUsageIds();
    const llmOf = (model: string) => {
      if (Object.hasOwn(this.#llms, model)) return this.#llms[model]!;
      if (registered.includes(model)) return agent.llmRegistry.get(model);
      throw new ThreadkeepError(
        "not_found",
        `Profile ${model} not found in profile store.\nAvailable profiles: ${[...Object.keys(this.#llms), ...registered].join(", ")}`,
      );
    };
    const { systemPrompt: _, agentContext: __, critic: ___, finalAnswer: ____, ...inherited } = agent;
    return new Agent({
      ...inherited,
      llm: typeof model !== "string" ? model : model === "" || model === "inherit" ? llm : llmOf(model),
      tools: found.filter((tool) => tool.name !== "task" || !isDeepest),
      ...((systemPrompt || chosen.length > 0) && { agentContext: { skills: chosen, systemMessageSuffix: systemPrompt || null } }),
    });
  }

  async #close(taskId: string): Promise<void> {
    const child = this.#open.get(taskId);
    this.#open.delete(taskId);
    await child?.then(
      (child) => child.close(),
      () => {},
    );
  }

  async close(): Promise<void> {
    // Calls that were interrupted by closing the parent store what has happened and close their conversations.
    await Promise.all(this.#calls.values());
    await Promise.all([...this.#open.keys()].map((taskId) => this.#close(taskId)));
  }

  async pause(): Promise<void> {
    // One that cannot be paused any more has ended.
    await Promise.all([...this.#open.values()].map((child) => child.then((child) => child.pause()).catch(() => {})));
  }

  retryNow(): void {
    for (const child of this.#open.values())
      child.then(
        (child) => child.retryNow(),
        () => {},
      );
  }

  /** The sub-agents that wait for the user, with the calls that have started them. */
  async #waiting(pending: readonly ActionEvent[]): Promise<Array<{ action: ActionEvent; child: Child }>> {
    const { core } = this.#parent;
    const waiting: Array<{ action: ActionEvent; child: Child }> = [];
    if (core.access() !== "writer" || core.executionStatus() !== "waiting_for_confirmation") return waiting;
    for (const action of pending.filter(({ tool_name }) => tool_name === "task")) {
      const args = action.action as unknown as TaskArguments;
      const task = await this.#find(action.id, args).catch(unlessMissing);
      if (!task) continue;
      const subagent = args.subagent_type ?? general;
      const child = await this.#child(task, this.#agent(subagent), subagent);
      // A task that waits for its own approval has not sent its prompt.
      if (await wasSent(child, action.id)) waiting.push({ action, child });
    }
    return waiting;
  }

  async pending(actions: ActionEvent[], allowable: boolean): Promise<ActionEvent[]> {
    const waiting = await this.#waiting(actions);
    this.risks = Object.assign({}, ...waiting.map(({ child }) => child.securityRisks)) as Tasks["risks"];
    const shown = actions.map(
      async (action) => (await waiting.find(({ action: { id } }) => id === action.id)?.child.pendingActions({ allowable })) ?? [action],
    );
    return (await Promise.all(shown)).flat();
  }

  async approve(ids: string[] | undefined, pending: ActionEvent[]): Promise<string[] | undefined> {
    this.#approved = new Map();
    let own = ids;
    for (const { action, child } of await this.#waiting(pending)) {
      if (ids === undefined || ids.includes(action.id)) {
        this.#approved.set(action.id, undefined);
        continue;
      }
      const inner = new Set((await child.pendingActions()).map(({ id }) => id));
      const approved = ids.filter((id) => inner.has(id));
      if (approved.length === 0) continue;
      this.#approved.set(action.id, approved);
      own = [...own!.filter((id) => !inner.has(id)), action.id];
    }
    return own;
  }

  async reject(reason: string | undefined, ids: string[] | undefined, pending: ActionEvent[]): Promise<string[] | undefined> {
    const waiting = await this.#waiting(pending);
    if (waiting.length === 0) return ids;
    let own = ids ?? pending.map(({ id }) => id);
    for (const { action, child } of waiting) {
      const inner = (await child.pendingActions()).map(({ id }) => id);
      const isWhole = own.includes(action.id);
      const rejected = isWhole ? inner : inner.filter((id) => own.includes(id));
      if (rejected.length > 0) await child.rejectPendingActions(reason, { actionIds: rejected });
      own = own.filter((id) => id !== action.id && !inner.includes(id));
    }
    return own;
  }

  async edit(id: string, args: string, pending: ActionEvent[]): Promise<ActionEvent | undefined> {
    for (const { child } of await this.#waiting(pending)) {
      const inner = await child.pendingActions();
      if (inner.some((action) => action.id === id)) return child.editAction(id, JSON.parse(args));
    }
    return undefined;
  }
}

/** Rejects the calls of a sub-agent about which nobody can be asked. Returns why its task has failed. */
async function rejectWaiting(child: Child, taskId: string): Promise<string> {
  const names = new Set((await child.pendingActions()).map(({ tool_name }) => tool_name));
  await child.rejectPendingActions("There is nobody here who could approve this call.");
  return `The sub-agent needs approval for ${[...names].join(", ")}, and executeTool() does not wait for the user: the calls were rejected. Allow these tools (setAllowedTools()), or let the agent give the task in a run; then go on with resume "${taskId}".`;
}

/** A call whose task does not exist, or is not one of this conversation, waits for itself. */
function unlessMissing(error: unknown): undefined {
  if (error instanceof ThreadkeepError && error.code === "not_found") return undefined;
  throw error;
}

/** Whether the prompt of this call is in the log of the conversation. */
async function wasSent(child: Child, action: string): Promise<boolean> {
  const page = 100;
  for (let end = child.events.length; end > 0; end -= page) {
    const events = await child.events.slice(Math.max(0, end - page), end);
    if (events.some((event) => event.kind === "MessageEvent" && event.sender === action)) return true;
  }
  return false;
}

/** Why a sub-agent has stopped before it was done. */
async function stopDetail(child: Child): Promise<string> {
  const events = (await child.events.slice()).reverse();
  const error = events.find((event): event is ConversationErrorEvent => event.kind === "ConversationErrorEvent");
  return error?.detail ?? `Sub-agent stopped without finishing (status: ${child.executionStatus}).`;
}

/** The ids of the conversation and of those above it, the nearest first. */
function ancestorsOf({ id, persistence_dir }: ConversationState): string[] {
  const above = [...(persistence_dir ?? "").matchAll(/([0-9a-f]{32})[/\\]subagents(?=[/\\])/g)].map(([, hex]) => hex!);
  return [id, ...above.reverse()];
}
