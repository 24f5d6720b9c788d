// Uses of the built package's types that TypeScript must accept or refuse. Compiled, never run.
import {
  Agent,
  Conversation,
  LLM,
  ThreadkeepError,
  agentServer,
  bringHome,
  folderWorkspace,
  directoryStore,
  importDirectory,
  importFile,
  indexedDBStore,
  loadSkills,
  load,
  memoryStore,
  memoryWorkspace,
  opfsWorkspace,
  moveToServer,
  remoteWorkspace,
  tool,
  type ActionEvent,
  type AgentContextOptions,
  type Branch,
  type ChatMessage,
  type CommandResult,
  type ConfirmationPolicy,
  type ConversationEvent,
  type Critic,
  type ErrorCode,
  type ExecutionStatus,
  type GitChange,
  type HeldSecret,
  type HookInput,
  type Hooks,
  type ImportedConversation,
  type JSONValue,
  type LLMMessage,
  type LiveEvent,
  type MessageEvent,
  LLMProfileStore,
  type Observation,
  type FinishReason,
  type Run,
  type RunResult,
  eventsToMessages,
  type finalResponse,
  type SecurityAnalyzer,
  type SecurityRisk,
  type Session,
  type Skill,
  type Store,
  type TrajectoryEvent,
  type WaitingEvent,
  type Workspace,
} from "threadkeep";
// @ts-expect-error only the library reads summaries with it
export type { fieldsOf } from "threadkeep";
import type { CoreRunResult } from "../../pkg/threadkeep.js";
import { same } from "./same.js";

const llm = new LLM({ model: "openai/gpt-4o", apiKey: async () => "key", baseUrl: "/v1", fetch: globalThis.fetch });
// @ts-expect-error a model has to be named
new LLM({ apiKey: "key" });
// @ts-expect-error there is no such effort
new LLM({ model: "m", reasoningEffort: "utmost" });
new LLM({ model: "m", fallbacks: [llm], fallbackOn: ["llm_auth"], apiMode: "responses", nativeToolCalling: false });
// @ts-expect-error there is no such failure
new LLM({ model: "m", fallbackOn: ["llm_bored"] });
const profiles = new LLMProfileStore();
const profiled: LLM = await profiles.load("fast", { apiKey: "key" });
await profiles.save("fast", profiled);
// @ts-expect-error options are not changed afterwards
llm.options.model = "other";

const add = tool<{ a: number; b: number }>({
  name: "add",
  description: "Adds two numbers.",
  parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } },
  annotations: { readOnlyHint: true },
  replay: "safe",
  needsApproval: async ({ a }) => (same<typeof a, number>(true), a > 100),
  async execute({ a, b }, { signal, idempotencyKey, progress, secret }) {
    same<Awaited<ReturnType<typeof secret>>, string | null>(true);
    same<typeof a, number>(true);
    same<typeof signal, AbortSignal>(true);
    progress(idempotencyKey);
    return { content: [{ type: "text", text: `${a + b}` }], isError: false };
  },
});
tool({
  name: "forecast",
  description: "The arguments have the type of the schema.",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string" },
      days: { type: "integer" },
      unit: { enum: ["C", "F"] },
      kind: { const: "short" },
      hours: { type: "array", items: { type: ["number", "null"] } },
      place: { type: "object", properties: { lat: { type: "number" }, exact: { type: "boolean" } }, required: ["lat"] },
      anything: {},
      either: { anyOf: [{ type: "string" }, { type: "number" }] },
      map: { type: "object" },
      list: { type: "array" },
    },
    required: ["city", "hours"],
    additionalProperties: false,
  },
  needsApproval: ({ city }) => (same<typeof city, string>(true), city !== ""),
  execute(args) {
    interface Expected {
      city: string;
      days?: number;
      unit?: "C" | "F";
      kind?: "short";
      hours: Array<number | null>;
      place?: { lat: number; exact?: boolean };
      anything?: unknown;
      either?: unknown;
      map?: { [name: string]: unknown };
      list?: unknown[];
    }
    same<typeof args, { [Name in keyof Expected]: Expected[Name] }>(true);
    // @ts-expect-error no such argument
    args.town;
    return args.city;
  },
});
tool({
  name: "without_properties",
  description: "",
  parameters: { type: "object" },
  execute: ({ whatever }) => String(same<typeof whatever, unknown>(true)),
});
/** A schema that only the running program knows says nothing. */
export function dynamic(parameters: { readonly [key: string]: unknown }): void {
  tool({ name: "dynamic", description: "", parameters, execute: (args) => String(same<typeof args, unknown>(true)) });
  tool<{ city: string }>({ name: "named", description: "", parameters, execute: ({ city }) => String(same<typeof city, string>(true)) });
}
tool({ name: "pay", description: "", parameters: { type: "object" }, needsApproval: true, execute: () => "" });
// @ts-expect-error a tool does something
tool({ name: "idle", description: "", parameters: { type: "object" } });
tool({
  name: "opaque",
  description: "",
  parameters: { type: "object" },
  // @ts-expect-error a function is nothing that a model could read
  execute: () => () => 1,
});
/** To TypeScript an interface has no index, and is no `JSONValue`. */
interface Weather {
  place: string;
  days: ReadonlyArray<{ high: number; note?: string }>;
}
const weather: Weather = { place: "Bergen", days: [{ high: 7 }] };
tool({ name: "weather", description: "", parameters: { type: "object" }, execute: (): Weather => weather });
tool({
  name: "weather_later",
  description: "",
  parameters: { type: "object" },
  execute: async () => (weather.days.length > 0 ? weather : "unknown"),
});
tool({ name: "whole_weather", description: "", parameters: { type: "object" }, execute: () => [weather] });

const critic: Critic = {
  mode: "all_actions",
  iterativeRefinement: { successThreshold: 0.8, maxIterations: 2 },
  async evaluate(events) {
    same<typeof events, ConversationEvent[]>(true);
    const last = events.at(-1);
    return { score: last?.kind === "ActionEvent" ? 1 : 0, message: "", metadata: { checked: [1] } };
  },
};
new Agent({ llm, critic });
new Agent({ llm, critic: { kind: "AgentFinishedCritic" } });
// @ts-expect-error there is no such critic here
new Agent({ llm, critic: { kind: "APIBasedCritic" } });
// @ts-expect-error a rating has a score
new Agent({ llm, critic: { evaluate: () => ({ message: "good" }) } });

/** An absent option may be given as `undefined`: each option of each object accepts it. */
export async function nothing(none: undefined, opened: Conversation): Promise<void> {
  new LLM({
    model: "m",
    apiKey: none,
    baseUrl: none,
    baseURL: none,
    apiMode: none,
    usageId: none,
    stream: none,
    temperature: none,
    topP: none,
    maxOutputTokens: none,
    reasoningEffort: none,
    reasoningSummary: none,
    enableEncryptedReasoning: none,
    background: none,
    promptCacheRetention: none,
    numRetries: none,
    timeout: none,
    headers: none,
    nativeToolCalling: none,
    capabilityOverrides: none,
    inputCostPerToken: none,
    outputCostPerToken: none,
    fallbacks: none,
    fallbackOn: none,
    fetch: none,
  });
  new LLM({
    model: "m",
    capabilityOverrides: { supports_vision: none, supports_pdf_input: none, supports_audio_input: none, supports_responses_api: none },
  });
  tool({
    name: "t",
    description: "",
    parameters: {},
    jsonSchema: none,
    annotations: none,
    needsApproval: none,
    replay: none,
    close: none,
    execute: () => ({ content: [], isError: none }),
  });
  tool({
    name: "t",
    description: "",
    parameters: {},
    annotations: { title: none, readOnlyHint: none, destructiveHint: none, idempotentHint: none, openWorldHint: none },
    execute: () => "",
  });
  const agent = new Agent({ llm, llmRegistry: none, tools: none, systemPrompt: none, toolConcurrencyLimit: none, critic: none });
  new Agent({ llm, critic: { kind: "PassCritic", mode: none, iterativeRefinement: none } });
  new Agent({
    llm,
    critic: {
      evaluate: () => ({ score: 1, message: none, metadata: none }),
      iterativeRefinement: { successThreshold: none, maxIterations: none },
    },
  });
  await Conversation.open({
    agent,
    conversationId: none,
    store: none,
    callbacks: none,
    tokenCallbacks: none,
    confirmationPolicy: none,
    securityAnalyzer: none,
    deleteOnClose: none,
    hooks: none,
    tags: none,
    secrets: none,
    cipher: none,
    maxIterationPerRun: none,
    maxBudgetPerRun: none,
    stuckDetection: none,
    offline: none,
    resume: none,
  });
  await Conversation.open({ agent, conversationId: null });
  await Conversation.open({
    agent,
    stuckDetection: { actionObservation: none, actionError: none, monologue: none, alternatingPattern: none },
  });
  await Conversation.open({ agent, confirmationPolicy: { kind: "ConfirmRisky", threshold: none, confirmUnknown: none } });
  await Conversation.open({
    agent,
    hooks: { preToolUse: none, postToolUse: none, userPromptSubmit: none, sessionStart: none, sessionEnd: none, stop: none },
  });
  await Conversation.open({ agent, hooks: { stop: () => ({ decision: "allow", reason: none, additionalContext: none }) } });
  await Conversation.open({ agent, secrets: { A: { url: "/token", headers: none } } });
  await opened.setSecurityAnalyzer({
    kind: "PatternSecurityAnalyzer",
    highPatterns: none,
    mediumPatterns: none,
    injectionHighPatterns: none,
    injectionMediumPatterns: none,
  });
  await opened.setSecurityAnalyzer({ kind: "EnsembleSecurityAnalyzer", analyzers: [], propagateUnknown: none });
  await opened.sendMessage("x", { sender: none, pending: none });
  await opened.run({ signal: none, approve: none });
  await opened.rejectPendingActions(none, { actionIds: none });
  await opened.executeTool("t", weather, { signal: none });
  await opened.askAgent("Well?", { llm: none, signal: none });
  await opened.generateTitle({ llm: none, maxLength: none, signal: none });
  await opened.setAgentState({ weather });
  await opened.exportZip({ workspace: none, onProgress: none, signal: none });
  await Conversation.importZip(new Blob(), { store: none, onProgress: none, signal: none });
  await Conversation.importJSON([], { store: none });
  await importDirectory([], { store: none, onProgress: none, signal: none });
  await importFile(new Blob(), { store: none, onProgress: none, signal: none });
  directoryStore(await navigator.storage.getDirectory(), { name: none });
  indexedDBStore(none, { durability: none });
  await new LLMProfileStore(none).load("x", {
    apiKey: none,
    headers: none,
    fetch: none,
    fallbacks: none,
    fallbackOn: none,
    background: none,
  });
}

// @ts-expect-error tools are made by tool()
new Agent({ llm, tools: [{ name: "add" }] });
const agent = new Agent({ llm, tools: [add], systemPrompt: "Be brief.", toolConcurrencyLimit: 2 });

const store: Store = memoryStore();

export async function use(signal: AbortSignal): Promise<void> {
  same<ReturnType<typeof load>, Promise<void>>(true);
  await load(new URL("https://example.org/threadkeep_bg.wasm"));

  await using conversation = await Conversation.open({ agent, store, conversationId: crypto.randomUUID(), tags: { title: "x" } });
  await Conversation.open({ agent, store, maxIterationPerRun: 10, maxBudgetPerRun: 0.5, stuckDetection: false });
  await Conversation.open({ agent, store, offline: "fail" });
  // @ts-expect-error it waits or fails
  await Conversation.open({ agent, store, offline: true });
  await Conversation.open({ agent, store, stuckDetection: { actionObservation: 4, actionError: 3, monologue: 3, alternatingPattern: 6 } });
  // @ts-expect-error thresholds are numbers
  await Conversation.open({ agent, store, stuckDetection: { monologue: "3" } });
  // @ts-expect-error an agent is needed
  await Conversation.open({ store });
  // @ts-expect-error conversations are opened
  new Conversation();
  // @ts-expect-error the id stays
  conversation.id = "";
  same<ExecutionStatus, typeof conversation.executionStatus>(true);
  same<"writer" | "follower" | "free" | "deleted", typeof conversation.access>(true);
  same<"here" | "tab" | "worker" | "server", typeof conversation.home>(true);
  same<Promise<void>, ReturnType<typeof conversation.takeOver>>(true);
  await Conversation.open({ agent, store, takeOver: "never" });
  // @ts-expect-error it takes over by itself or never
  await Conversation.open({ agent, store, takeOver: false });

  const [action] = await conversation.pendingActions();
  await conversation.run({ signal, approve: [action!.id] });
  await conversation.rejectPendingActions("No", { actionIds: [action!.id] });
  same<Awaited<ReturnType<typeof conversation.editAction>>, ActionEvent>(true);
  await conversation.editAction(action!.id, { a: 1 });
  same<Awaited<ReturnType<typeof conversation.branches>>, Branch[]>(true);
  await conversation.navigateTo((await conversation.activeBranch({ limit: 1 }))[0]?.id ?? null);
  // @ts-expect-error a place in the log is not an id
  await conversation.navigateTo(0);
  same<Awaited<ReturnType<typeof conversation.editMessage>>, MessageEvent>(true);
  await conversation.editMessage(action!.id, [{ type: "text", text: "Else" }]);
  await conversation.regenerate({ signal });
  same<Awaited<ReturnType<typeof conversation.fork>>, Conversation>(true);
  await conversation.fork({ fromEventId: action!.id, title: "x", tags: { a: "b" }, resetMetrics: false, agent });
  // @ts-expect-error the store stays the same
  await conversation.fork({ store });
  // @ts-expect-error the new answer has no calls yet
  conversation.regenerate({ approve: [] });
  await conversation.setConfirmationPolicy({ kind: "ConfirmRisky", threshold: "LOW", confirmUnknown: false });
  // @ts-expect-error nobody can know more than nothing
  await conversation.setConfirmationPolicy({ kind: "ConfirmRisky", threshold: "UNKNOWN" });
  await conversation.setSecurityAnalyzer({ securityRisk: (action) => (action.tool_name === "add" ? "LOW" : "HIGH") });
  await conversation.setSecurityAnalyzer(null);
  same<(typeof conversation.heldSecrets)[number], HeldSecret>(true);
  await conversation.allowSecrets();
  await conversation.setAllowedTools([...conversation.allowedTools, "add"]);
  same<typeof conversation.waiting, WaitingEvent | null>(true);
  same<ReturnType<typeof conversation.retryNow>, void>(true);
  await conversation.setAgentState({ seen: [1], gone: null });
  same<typeof conversation.securityRisks, Record<string, SecurityRisk>>(true);
  await conversation.updateSecrets({ A: "value", B: async () => "value", C: { url: "/token", headers: { "x-key": "k" } }, D: null });
  // @ts-expect-error a secret is a text
  await conversation.updateSecrets({ A: 7 });
  await conversation.sendMessage("Wait", { pending: "keep" });
  // @ts-expect-error a message approves nothing
  await conversation.sendMessage("Wait", { pending: "approve" });
  same<Awaited<ReturnType<typeof conversation.executeTool>>, Observation>(true);
  await conversation.executeTool("add", { a: 1, b: 2 }, { signal });
  same<Awaited<ReturnType<typeof conversation.askAgent>>, string>(true);
  same<Awaited<ReturnType<typeof conversation.generateTitle>>, string>(true);
  await conversation.generateTitle({ llm, maxLength: 40, signal });
  await conversation.generateTitle({ llm: "small" });
  await conversation.askAgent("Well?", { llm: "small" });
  await conversation.switchLLM("small");
  same<ReturnType<Agent["llmRegistry"]["get"]>, LLM>(true);
  // @ts-expect-error a question is a text
  await conversation.askAgent({ question: "Well?" });
  const zip = await conversation.exportZip({ signal, onProgress: ({ done, total }) => done <= total });
  same<ReturnType<typeof conversation.exportZipStream>, ReadableStream<Uint8Array>>(true);
  conversation.exportZipStream({ signal });
  same<Awaited<ReturnType<typeof Conversation.importZip>>, ImportedConversation[]>(true);
  await Conversation.importZip(zip, { store, signal });
  // @ts-expect-error what can be aborted has a controller
  await Conversation.importZip(zip, { store, signal: new AbortController() });
  const chats = await navigator.storage.getDirectory();
  same<ReturnType<typeof directoryStore>, Store>(true);
  same<Awaited<ReturnType<typeof importDirectory>>, ImportedConversation[]>(true);
  same<Awaited<ReturnType<typeof importFile>>, ImportedConversation[]>(true);
  await importDirectory(chats, { store: directoryStore(chats, { name: "chats" }), signal });
  await importDirectory(new FileList());
  // @ts-expect-error a file is no directory
  directoryStore(await chats.getFileHandle("x"));
  // @ts-expect-error the path of a directory is none
  await importDirectory("conversations");
  const files: Workspace = conversation.workspace;
  await files.write("a", "text");
  // @ts-expect-error the content of a file is a text or bytes
  await files.write("a", new ArrayBuffer(1));
  same<Awaited<ReturnType<Workspace["read"]>>, Uint8Array>(true);
  await conversation.exportZip({ workspace: true });
  // @ts-expect-error the workspace is that of the conversation
  await conversation.exportZip({ workspace: files });
  const folder = folderWorkspace("project");
  if ((await folder.permission()) === "none") await folder.pick();
  for (const workspace of [memoryWorkspace({ a: "text", b: Uint8Array.of(1) }), opfsWorkspace(), folder])
    await Conversation.open({ agent, store, workspace });
  const home = agentServer({ host: "https://agents.example", workingDir: "/workspace" });
  await moveToServer(conversation.id, { agent, server: home, store, secrets: { TOKEN: "t" }, onProgress: ({ unit }) => unit });
  await bringHome(conversation.id, { server: home });
  // @ts-expect-error the server asks a model
  await moveToServer(conversation.id, { server: home });
  const server = remoteWorkspace(home);
  await Conversation.open({ agent, store, workspace: server });
  same<CommandResult, Awaited<ReturnType<typeof server.executeCommand>>>(true);
  await server.executeCommand("ls", { cwd: "src", timeout: 5, signal, onOutput: ({ stdout, stderr }) => stdout + stderr });
  same<GitChange[], Awaited<ReturnType<typeof server.gitChanges>>>(true);
  same<string | null, Awaited<ReturnType<typeof server.gitDiff>>["modified"]>(true);
  await conversation.workspace.executeCommand?.("ls");
  // @ts-expect-error not every workspace runs commands
  await conversation.workspace.executeCommand("ls");
  // @ts-expect-error it is of a server
  remoteWorkspace("https://agents.example");
  // @ts-expect-error a workspace has all methods
  await Conversation.open({ agent, store, workspace: { workingDir: "/", read: files.read } });
  const policy: ConfirmationPolicy = { kind: "AlwaysConfirm" };
  await Conversation.open({ agent, store, confirmationPolicy: policy, securityAnalyzer: null, deleteOnClose: true });

  const hooks: Hooks = {
    preToolUse: async ({ tool_name, tool_input }) => (tool_name === "pay" ? { decision: "deny", reason: `${tool_input.sum}` } : undefined),
    userPromptSubmit({ message }) {
      same<typeof message, string>(true);
      return { decision: "allow", additionalContext: "It rains." };
    },
    stop: (input) => same<typeof input, HookInput<"stop">>(true),
  };
  await Conversation.open({ agent, store, hooks });
  // @ts-expect-error there is no such hook
  await Conversation.open({ agent, store, hooks: { beforeToolUse() {} } });
  // @ts-expect-error a hook allows or denies
  await Conversation.open({ agent, store, hooks: { stop: () => ({ decision: "wait" }) } });
  const analyzer: SecurityAnalyzer = {
    kind: "EnsembleSecurityAnalyzer",
    analyzers: [
      { kind: "PatternSecurityAnalyzer", highPatterns: [["x", "An x", "own.x"]] },
      { kind: "PolicyRailSecurityAnalyzer" },
      { securityRisk: async (): Promise<SecurityRisk> => "LOW" },
    ],
    propagateUnknown: true,
  };
  await conversation.setSecurityAnalyzer(analyzer);
  // @ts-expect-error a pattern has a description and a name
  await conversation.setSecurityAnalyzer({ kind: "PatternSecurityAnalyzer", highPatterns: ["x"] });

  const message = await conversation.sendMessage([
    { type: "text", text: "look" },
    { type: "image", image_urls: ["data:image/png;base64,"] },
  ]);
  same<typeof message, MessageEvent>(true);
  // @ts-expect-error there is no such content
  await conversation.sendMessage([{ type: "video" }]);

  const run: Run = conversation.run({ signal });
  for await (const event of run) {
    same<typeof event, ConversationEvent | LiveEvent>(true);
    if (event.kind === "ActionEvent") same<string, typeof event.tool_call.arguments>(true);
    if (event.kind === "StreamingDeltaEvent") same<[string | undefined, string], [typeof event.content, typeof event.message_id]>(true);
    if (event.kind === "ConversationStateUpdateEvent" && !("id" in event) && event.key === "execution_status")
      same<ExecutionStatus, typeof event.value>(true);
    if (event.kind === "ConversationStateUpdateEvent" && !("id" in event) && event.key === "stats")
      same<number | undefined, NonNullable<typeof event.value>["usage_to_metrics"][string]["accumulated_cost"] | undefined>(true);
    if (event.kind === "ConversationStateUpdateEvent" && !("id" in event) && event.key === "max_iterations")
      same<number | null, typeof event.value>(true);
    if (event.kind === "PendingActionsEvent") same<[string[], string[]], [typeof event.action_ids, typeof event.waiting_ids]>(true);
    if (event.kind === "WaitingEvent")
      same<[number, number, ErrorCode], [typeof event.attempt, typeof event.seconds, typeof event.why]>(true);
    if (event.kind === "SecurityAnalysisEvent") same<{ [actionId: string]: SecurityRisk }, typeof event.risks>(true);
    // @ts-expect-error only some kinds have a summary
    event.summary;
  }
  same<Awaited<typeof run>, RunResult>(true);
  same<RunResult["finishReason"], FinishReason | null>(true);
  // What the core says of a run is what the host gets.
  same<CoreRunResult["status" | "finishReason"], RunResult["status" | "finishReason"]>(true);
  const { steps, tokenUsage, cost, durationMs } = await run;
  same<[number, number, number, number], [typeof steps, typeof tokenUsage.prompt_tokens, typeof cost, typeof durationMs]>(true);
  // @ts-expect-error a run has no context window of its own
  tokenUsage.context_window;
  await conversation.setLimits({ ...conversation.limits, maxBudgetPerRun: 2, stuckDetection: { monologue: 4 } });
  // @ts-expect-error this is the name in the state
  await conversation.setLimits({ max_iterations: 3 });

  const unsubscribe: () => void = conversation.subscribe((event) => same<typeof event, ConversationEvent | LiveEvent>(true));
  unsubscribe();
  for await (const event of conversation.events) same<typeof event, ConversationEvent>(true);
  same<Awaited<ReturnType<typeof conversation.events.at>>, ConversationEvent | undefined>(true);
  await conversation.sendMessage([
    { type: "text", text: "See" },
    new Blob(),
    { type: "image", image_urls: [new Blob(), "https://pictures.test/1.png"] },
  ]);
  // @ts-expect-error a number is no part of a message
  await conversation.sendMessage([7]);
  const messages = await conversation.toMessages();
  same<typeof messages, LLMMessage[]>(true);
  const chat = await conversation.toMessages("chat");
  same<typeof chat, ChatMessage[]>(true);
  const { instructions } = await conversation.toMessages("responses");
  same<typeof instructions, string | null>(true);
  const { system } = await conversation.toMessages("anthropic");
  same<(typeof system)[number]["text"], string>(true);
  // @ts-expect-error there is no such format
  await conversation.toMessages("xml");
  same<string, Awaited<ReturnType<typeof conversation.exportMarkdown>>>(true);
  await conversation.exportHTML({ leafEventId: "a", sinceEventId: "b" });
  // @ts-expect-error that is an option of fork()
  await conversation.exportHTML({ fromEventId: "a" });
  same<LLMMessage[], Awaited<ReturnType<typeof eventsToMessages>>>(true);
  same<string | null, Awaited<ReturnType<typeof finalResponse>>>(true);
  await eventsToMessages(await conversation.events.slice());
  const session = await conversation.exportSession();
  same<typeof session, Session>(true);
  const trajectory = await conversation.exportTrajectory();
  same<typeof trajectory, TrajectoryEvent[]>(true);
  const imported = await Conversation.importJSON(chat, { store });
  same<typeof imported, ImportedConversation>(true);
  await Conversation.delete(conversation.id, { store });
}

export function handle(error: unknown): ErrorCode | undefined {
  if (!(error instanceof ThreadkeepError)) return undefined;
  same<typeof error.code, ErrorCode>(true);
  same<typeof error.status, number | undefined>(true);
  // @ts-expect-error a code that does not exist is a misspelling
  if (error.code === "llm_rate_limits") return undefined;
  return error.code;
}

/** Skills and context. */
export async function withSkills(none: undefined, handle: FileSystemDirectoryHandle): Promise<void> {
  const skills = await loadSkills(handle, { maxSkills: none, maxBytes: 1000, signal: none, fetch: none });
  same<typeof skills, Skill[]>(true);
  await loadSkills(new URL("https://example.org/SKILL.md"));
  await loadSkills({ "a/SKILL.md": "text" });
  // @ts-expect-error a number is no source
  await loadSkills(7);
  const agentContext: AgentContextOptions = {
    skills: [
      ...skills,
      { name: "a", content: "b", trigger: { type: "path", paths: ["*.md"] } },
      { name: "c", content: "d", trigger: null, source: null, inputs: none, resources: none, metadata: { x: "y" } },
    ],
    systemMessageSuffix: none,
    userMessageSuffix: null,
    memoryContext: none,
    disabledSkills: ["c"],
    currentDatetime: new Date(),
  };
  new Agent({ llm, agentContext });
  new Agent({ llm, agentContext: none });
  // @ts-expect-error a keyword trigger has keywords
  new Agent({ llm, agentContext: { skills: [{ name: "a", content: "b", trigger: { type: "keyword", paths: [] } }] } });
  // @ts-expect-error a skill starts no servers
  new Agent({ llm, agentContext: { skills: [{ name: "a", content: "b", mcpTools: {} }] } });
}

/** Every field of the state that the documentation names has a type. */
export function storedState({ state }: Conversation): void {
  same<typeof state.activated_knowledge_skills, string[]>(true);
  same<typeof state.activated_path_rules, string[]>(true);
  same<typeof state.invoked_skills, string[]>(true);
  same<typeof state.stuck_detection, boolean>(true);
  same<typeof state.hook_config, { [field: string]: JSONValue } | undefined>(true);
  same<typeof state.agent.tools, Array<{ name: string; params: { [name: string]: JSONValue } }> | undefined>(true);
  // @ts-expect-error there is no such field
  void state.activated_skills;
}
