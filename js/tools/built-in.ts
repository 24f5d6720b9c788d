// The form of the library's own tools. They are stored as the SDK's classes, so that either side continues the other's log.
import type { Conversation } from "../conversation.js";
import type { Content, JSONObject } from "../events.js";
import type { LLM } from "../llm.js";
import type { JSONSchema, Tool, ToolContext } from "../tool.js";
import type { Parent } from "../subagents.js";
import type { Workspace } from "../workspace.js";

/** Further files of a conversation, such as `TASKS.json`: the directory in which the SDK stores a conversation. */
export interface ConversationFiles {
  /** The content, or `undefined` if there is none of this name. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** Stored together with the result of the call; `null` removes the file. */
  write(path: string, content: Uint8Array | string | null): void;
}

/** The conversation of a call, for tools that change or read it. */
export interface ToolConversation extends Pick<Conversation, "switchLLM" | "activeBranch"> {
  /** The answer of a model to a question about the image of a URL; its cost is stored. */
  inspectImage(llm: LLM, image: string, question: string, signal: AbortSignal): Promise<string>;
}

/** The context of a call of a built-in tool. */
export interface BuiltInContext extends ToolContext {
  /**
   * The workspace of the conversation. If it is the conversation's own, or that of the conversation above a sub-agent, changes
   * are stored in the same transaction as the result of the call: a call that dies has changed nothing.
   */
  readonly workspace: Workspace;
  readonly files: ConversationFiles;
  readonly conversation: ToolConversation;
  /** Whether it is a call of `executeTool()`, which is in no run and cannot wait for the user. */
  readonly isDirect: boolean;
}

/** The result of a call. */
export interface BuiltInOutput {
  content: string | Content[];
  isError?: boolean;
  /** The observation's own fields, in the order and with the names of the SDK; fields that Python stores as null are left out. */
  fields: JSONObject;
  /** Whether there is no result yet, because the call waits for a decision of the user. It is executed again after that. */
  waits?: boolean;
}

/** Where a tool is used. */
export interface ToolPlace {
  readonly workingDir: string;
  /** Whether changes of the workspace are stored together with the result, so that a call can be repeated after a crash. */
  readonly isTransactional: boolean;
  /** Whether the workspace is the conversation's own, or that of the conversation whose sub-agent this is. */
  readonly isOwn?: boolean;
  /** The conversation, for the tool that starts sub-agents. */
  readonly parent: Parent;
}

/** A tool as the module that implements it defines it. */
export interface BuiltInDefinition {
  /** The description for the model. */
  description: string;
  parameters: JSONSchema;
  annotations: Tool["annotations"];
  replay?: "safe" | "ask" | "never";
  /** As the option of `tool()`. */
  needsApproval?: (args: unknown) => unknown;
  /** Whether calls may change files, and are therefore executed one after the other. Default: unless the tool is read-only. */
  changesFiles?: boolean;
  /** The first part of the names of the SDK's classes: `"FileEditor"` for `FileEditorAction`. */
  className: string;
  /** The fields of the stored action, in the SDK's order with its defaults; fields that Python stores as null are left out. */
  action(args: never): JSONObject;
  execute(args: never, context: BuiltInContext): Promise<BuiltInOutput>;
  close?(): void | Promise<void>;
}

/** A built-in tool, whose module is loaded when a conversation that has it is opened. */
export interface BuiltIn {
  /** The name by which the model calls it. */
  readonly name: string;
  /** The entry in `agent.tools` of `base_state.json`; `undefined` for tools of `include_default_tools`. */
  readonly spec?: { readonly name: string; readonly params?: JSONObject };
  /** A tool that the SDK has no class for is defined as one of the host. */
  define(place: ToolPlace): Promise<BuiltInDefinition | Tool>;
}
