// Tools: those of a host, and those of the library.
import type { ConversationEvent } from "../events/events.js";
import type { Content, JSONObject, JSONValue } from "../events/types.js";
import type { JSONSchema, StandardSchema } from "../input/types.js";
import type { Image } from "../llm/images.js";
import type { LLM } from "../llm/llm.js";
import type { CallChange, CallFiles, ConversationFiles, Workspace } from "../workspace/types.js";

/** The context of a running call. */
export interface ToolContext {
  /** Aborted by `interrupt()`, by the run's signal, and by `close()`. */
  readonly signal: AbortSignal;
  /** The call's id from the provider. */
  readonly toolCallId: string;
  readonly conversationId: string;
  /** Stays the same if this call is ever repeated after a crash: pass it to services that must not act twice. */
  readonly idempotencyKey: string;
  /**
   * The value of a secret of this conversation; `null` if there is none of this name, or its value is not known here.
   * From then on it is hidden wherever it occurs: in results, events, answers and errors.
   * @throws ThreadkeepError `network` if it could not be fetched, `invalid_state` if it came with an import and
   * `allowSecrets()` has not been called
   */
  secret(name: string): Promise<string | null>;
  /** Emits a `ToolProgressEvent` to subscribers; it is not stored. */
  progress(text: string): void;
  /** The files that the agent works on: those of `conversation.workspace`. */
  readonly workspace: Workspace;
}

/** A string, any JSON value (sent to the model as JSON), an image, or content that can be marked as an error. */
export type ToolOutput = string | JSONValue | JSONObject | Blob | { content: Array<Content | Image>; isError?: boolean | undefined };

export interface ToolOptions<Args> {
  /** 1 to 64 letters, digits, underscores or dashes. */
  name: string;
  /** A description of the tool for the model. */
  description: string;
  parameters: JSONSchema | StandardSchema<Args>;
  /** The JSON Schema sent to the model, if `parameters` is a schema that cannot be converted to one, or not completely. */
  jsonSchema?: JSONSchema | undefined;
  /** Hints of the Model Context Protocol. */
  annotations?:
    | {
        title?: string | undefined;
        readOnlyHint?: boolean | undefined;
        destructiveHint?: boolean | undefined;
        idempotentHint?: boolean | undefined;
        openWorldHint?: boolean | undefined;
      }
    | undefined;
  /**
   * How to continue a call that was running when the page died, and that may or may not have taken effect: `"safe"`
   * repeats it, `"ask"` waits for confirmation, `"never"` tells the model that it was interrupted.
   * Default: `"safe"` with `readOnlyHint` or `idempotentHint`, `"ask"` with `destructiveHint`, otherwise `"never"`.
   */
  replay?: "safe" | "ask" | "never" | undefined;
  /**
   * `"page"` for a tool that needs the page. In a conversation that runs in a worker its calls run in the page that the user looks at,
   * among those that have the conversation open with this tool, and wait for one. `context.secret()` has the secrets of that page, and
   * `context.workspace` can only be read there. If the page is closed before there is a result, the model is told so.
   * Default: where the loop runs.
   */
  runsIn?: "page" | undefined;
  /**
   * Whether a call waits for the user, under every policy and even if the tool is allowed: always (`true`), or unless the
   * function returns `false` for its arguments; if the function throws, the call waits. With `false` only the policy
   * decides. Default: calls of a tool with `destructiveHint: true` wait until the tool is among `allowedTools`.
   */
  needsApproval?: boolean | ((args: Args) => boolean | Promise<boolean>) | undefined;
  /** Runs the tool. If it throws, the model reads the error. */
  execute(args: Args, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** Releases resources of the tool. Called by the `close()` of each conversation that has it. */
  close?: (() => void | Promise<void>) | undefined;
}

/** A tool for an `Agent`. Made by {@link tool}, or one of the library's, such as `fileEditor()`. */
export interface Tool {
  readonly name: string;
  /** Empty for a tool of the library: its code is loaded when a conversation that has it is opened. */
  readonly description: string;
  readonly parameters: JSONSchema;
  readonly annotations: Readonly<NonNullable<ToolOptions<never>["annotations"]>>;
  readonly replay?: "safe" | "ask" | "never";
  readonly runsIn?: "page";
  /** Called with arguments that passed the schema. */
  readonly needsApproval?: (args: unknown) => unknown;
  /** Runs the tool with arguments that passed the schema. */
  readonly execute: (args: unknown, context: ToolContext) => unknown;
  readonly close?: () => void | Promise<void>;
  /** @internal */
  readonly builtIn?: BuiltIn;
}

/** The conversation of a call, for tools that change or read it. */
export interface ToolConversation {
  switchLLM(llm: LLM): Promise<void>;
  activeBranch(): Promise<ConversationEvent[]>;
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
  /** The names of the conversation's secrets. */
  secretNames(): readonly string[];
  /** Loads a part of the library, and waits for the network if a run needs it. */
  load<T>(load: () => Promise<T>): Promise<T>;
  /** The tool `task` of this conversation. */
  startTasks(options: object): Promise<BuiltInDefinition>;
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

/** A tool in the form that the wasm takes. */
export interface CoreTool {
  name: string;
  description: string;
  parameters: string;
  annotations: Tool["annotations"];
  replay?: Tool["replay"];
  /** An error in the arguments, for the model; null if they are valid. */
  check(argumentsJson: string): string | null;
  /** Only `false` lets the call run without approval. */
  needsApproval?(argumentsJson: string): unknown;
  /** Resolves to the JSON of `{content, is_error}`. */
  execute(argumentsJson: string, context: ToolContext): Promise<string | CoreOutput>;
  /** For a tool of the library: the first part of the names of the SDK's classes. */
  className?: string;
  /** For a tool of the library: whether its calls are executed one after the other. */
  changesFiles?: boolean;
  /** For a tool of the library: its entry in the stored agent's `tools`, as JSON. */
  spec?: string;
  /** For a tool of the library: the JSON of the stored action. */
  action?(argumentsJson: string): string;
  /** For a tool of the library: releases resources. */
  close?(): void | Promise<void>;
}

/** A result with files that are stored in the same transaction. */
export interface CoreOutput {
  /** The JSON of `{content, is_error, fields}`. */
  json: string;
  files: CallChange[];
}

/** The files for calls of built-in tools, and the place where these are used. */
export interface ToolFiles {
  readonly place: ToolPlace;
  call(actionId: string): Promise<CallFiles>;
}
