// The public API.
export { Agent } from "../agent/agent.js";
export type { AgentOptions, FinalAnswerSchema } from "../agent/types.js";
export { eventsToMessages, finalResponse } from "../formats/interchange.js";
export type { ExportOptions, ImportedConversation, Progress, TextOptions, TransferOptions } from "../formats/types.js";
export type * from "../agent/condenser/options.js";
export type { ContextUsage, ConversationProgress } from "../agent/types.js";
export type { ConfirmationPolicy } from "../control/types.js";
export type { Critic, Rating } from "../agent/types.js";
export { Conversation } from "../conversation/conversation.js";
export { importDirectory, importFile } from "../conversation/imports.js";
export { emptyTrash, updateConversations } from "../conversation/organizing.js";
export { bringHome, moveToServer } from "../conversation/moving.js";
export { serveConversations } from "../conversation/serve.js";
export { type AgentServer, type AgentServerOptions, agentServer } from "../server/server.js";
export type { AttachmentReader, ConversationWarning, FileContent, FilePreview } from "../conversation/types.js";
export type { BringHomeOptions, ConversationChanges, EmptyTrashOptions, MoveToServerOptions } from "../conversation/types.js";
export type { ConversationOptions, ForkOptions, HomeOptions, HomeWorker, ServedOptions } from "../conversation/types.js";
export { ThreadkeepError, type ErrorCode } from "../input/errors.js";
export type { Branch, Version, Versions } from "../conversation/branches.js";
export type { MessageQueue } from "../conversation/queue.js";
export type { EventLog } from "../conversation/event-log.js";
export type * from "../events/events.js";
export type * from "../events/types.js";
export * from "../tools/file-tools.js";
export type { HookInput, HookName, HookResult, Hooks } from "../control/types.js";
export type { Image } from "../llm/images.js";
export type { RunLimits, StuckDetectionThresholds } from "../agent/limits.js";
export type { HeldSecret } from "../secrets/types.js";
export type { LookupSecret, SecretValue } from "../secrets/source.js";
export type { ConversationInfo, ListOptions } from "../store/listing.js";
export { LLM, type LLMOptions } from "../llm/llm.js";
export { modelNames } from "../llm/models.js";
export { LLMProfileStore } from "../llm/profiles.js";
export { LLMRegistry } from "../llm/registry.js";
export type { GivenAgain, ProfileStorage } from "../llm/types.js";
export { mirror, restoreMirror } from "../mirror/mirror.js";
export type {
  Mirror,
  MirrorDifference,
  MirrorFiles,
  MirrorOptions,
  MirrorReport,
  MirrorState,
  MirrorVerifyOptions,
  RestoreOptions,
} from "../mirror/types.js";
export { finishMCPLogin } from "../mcp/mcp.js";
export type {
  MCPAuth,
  MCPOAuthOptions,
  MCPPageServer,
  MCPPortServer,
  MCPRemoteServer,
  MCPServer,
  MCPServers,
  MCPTokenStorage,
} from "../mcp/types.js";
export type { MCPServerEvent, MCPServerState } from "../events/events.js";
export type { AnthropicMessages, ChatContent, ChatMessage, ResponsesMessages, Session, TrajectoryEvent } from "../events/messages.js";
export { observeRequests, type ObservedExchange, type ObservedRequest, type RequestObserver } from "../llm/observers.js";
export { loadPlugin } from "../plugins/plugins.js";
export type {
  AllowPlugins,
  LoadPluginOptions,
  Plugin,
  PluginAgent,
  PluginCommand,
  PluginFiles,
  PluginHook,
  PluginHookEvent,
  PluginHooks,
  PluginOptions,
  PluginSource,
  ResolvedPlugin,
} from "../plugins/types.js";
export type { FinishReason, Run, RunOptions, RunResult } from "../conversation/run.js";
export type { SecurityAnalyzer, SecurityPattern } from "../control/types.js";
export type { AskOptions, TitleOptions } from "../conversation/types.js";
export { loadSkills } from "../agent/skills.js";
export type { AgentContextOptions, LoadSkillsOptions, Skill, SkillSource } from "../agent/types.js";
export { taskTool } from "../subagents/task-tool.js";
export type { AgentDefinition, TaskToolOptions } from "../subagents/types.js";
export { directoryStore } from "../store/directory.js";
export { encryptedStore } from "../store/encrypted.js";
export type { EncryptedStore, EncryptedStoreOptions, StoreSecret } from "../store/encrypted/types.js";
export { indexedDBStore, memoryStore, type Commit, type Listing, type Store, type StoredEvent } from "../store/store.js";
export { requestPersistence, storageStatus } from "../store/storage.js";
export type { ConversationSize, StorageStatus, StorageStatusOptions } from "../store/storage/status.js";
export { search, searchConversations, updateSearchIndex } from "../search/search.js";
export type { SearchHit, SearchIndexOptions, SearchOptions, SearchResult, SearchToolOptions } from "../search/types.js";
export { tool } from "../tool/tool.js";
export type { Tool, ToolContext, ToolOptions, ToolOutput } from "../tool/types.js";
export type { StandardSchema } from "../input/types.js";
export type { JSONSchema } from "../input/types.js";
export * from "../tools/tools.js";
export type * from "../tools/types.js";
export { load } from "../wasm/wasm.js";
export type { WasmSource } from "../wasm/loader.js";
export { folderWorkspace, memoryWorkspace, opfsWorkspace, remoteWorkspace } from "../workspace/workspace.js";
export type {
  CommandOptions,
  CommandOutput,
  CommandResult,
  FileDifference,
  FileHistory,
  FolderPermission,
  FolderWorkspace,
  GitChange,
  GitDiff,
  Past,
  RemoteWorkspace,
  ServerCommands,
  VersionedWorkspace,
  Workspace,
  WorkspaceChange,
  WorkspaceEntry,
} from "../workspace/types.js";
