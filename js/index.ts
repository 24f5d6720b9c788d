// The public API.
export { Agent, type AgentOptions, type FinalAnswerSchema } from "./agent.js";
export type { ExportOptions, ImportedConversation, Progress, TransferOptions } from "./archive.js";
export type { Condenser, ContextUsage, ConversationProgress, LLMSummarizingCondenser } from "./condenser.js";
export type { ConfirmationPolicy } from "./control.js";
export type { Critic, Rating } from "./critics.js";
export { Conversation } from "./conversation.js";
export type { ConversationWarning } from "./opening.js";
export type { ConversationOptions, ForkOptions } from "./conversation-options.js";
export { ThreadkeepError, type ErrorCode } from "./errors.js";
export type { Branch, Version, Versions } from "./branches.js";
export type { EventLog } from "./event-log.js";
export type * from "./events.js";
export { applyPatch, fileEditor, glob, grep, listDirectory, taskTracker } from "./file-tools.js";
export type { HookInput, HookName, HookResult, Hooks } from "./hooks.js";
export type { Image } from "./images.js";
export type { RunLimits, StuckDetectionThresholds } from "./limits.js";
export type { HeldSecret } from "./secrets/index.js";
export type { LookupSecret, SecretValue } from "./secrets/source.js";
export type { ConversationInfo } from "./listing.js";
export { LLM, type LLMOptions } from "./llm.js";
export { LLMProfileStore, type GivenAgain, type ProfileStorage } from "./profiles.js";
export {
  finishMCPLogin,
  type MCPAuth,
  type MCPOAuthOptions,
  type MCPPageServer,
  type MCPPortServer,
  type MCPRemoteServer,
  type MCPServer,
  type MCPServerEvent,
  type MCPServers,
  type MCPServerState,
  type MCPTokenStorage,
} from "./mcp.js";
export type { AnthropicMessages, ChatContent, ChatMessage, ResponsesMessages, Session, TrajectoryEvent } from "./messages.js";
export { observeRequests, type ObservedExchange, type ObservedRequest, type RequestObserver } from "./observers.js";
export type { Run, RunOptions, RunResult } from "./run.js";
export type { SecurityAnalyzer, SecurityPattern } from "./security.js";
export type { TitleOptions } from "./side-calls.js";
export { loadSkills, type AgentContextOptions, type LoadSkillsOptions, type Skill, type SkillSource } from "./skills.js";
export { taskTool, type AgentDefinition, type TaskToolOptions } from "./subagents.js";
export { indexedDBStore, memoryStore, type Commit, type Listing, type Store, type StoredEvent } from "./store.js";
export {
  tool,
  type JSONSchema,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolOutput,
} from "./tool.js";
export { fetchTool, inspectImage, switchLLM, terminal, type FetchToolOptions, type InspectImageOptions, type SwitchLLMOptions, type TerminalOptions } from "./tools.js";
export { load, type WasmSource } from "./wasm.js";
export {
  folderWorkspace,
  memoryWorkspace,
  opfsWorkspace,
  type FolderPermission,
  type FolderWorkspace,
  type Workspace,
  type WorkspaceChange,
  type WorkspaceEntry,
} from "./workspace.js";
