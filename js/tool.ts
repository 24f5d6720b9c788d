// Tools that the host defines.
import { ThreadkeepError, invalidOptions, optionsOf, reading, textOf } from "./errors.js";
import type { Content, JSONObject, JSONValue } from "./events.js";
import type { Image } from "./images.js";
import type { Given } from "./tool/arguments.js";
import type { BuiltIn } from "./tools/built-in.js";
import type { Workspace } from "./workspace.js";

/** A JSON Schema (draft 2020-12) of an object. */
export type JSONSchema = { readonly [key: string]: unknown };

/** A schema of zod, valibot, arktype and others: https://standardschema.dev, with its JSON Schema extension. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: { input(options: { target: string }): Record<string, unknown> };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<{ readonly message: string; readonly path?: ReadonlyArray<unknown> | undefined }> };

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
  annotations?: {
    title?: string | undefined;
    readOnlyHint?: boolean | undefined;
    destructiveHint?: boolean | undefined;
    idempotentHint?: boolean | undefined;
    openWorldHint?: boolean | undefined;
  } | undefined;
  /**
   * How to continue a call that was running when the page died, and that may or may not have taken effect: `"safe"`
   * repeats it, `"ask"` waits for confirmation, `"never"` tells the model that it was interrupted.
   * Default: `"safe"` with `readOnlyHint` or `idempotentHint`, `"ask"` with `destructiveHint`, otherwise `"never"`.
   */
  replay?: "safe" | "ask" | "never" | undefined;
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
  /** Called with arguments that passed the schema. */
  readonly needsApproval?: (args: unknown) => unknown;
  /** Runs the tool with arguments that passed the schema. */
  readonly execute: (args: unknown, context: ToolContext) => unknown;
  readonly close?: () => void | Promise<void>;
  /** @internal */
  readonly builtIn?: BuiltIn;
}

/**
 * Defines a tool. Arguments are checked against `parameters` before `execute` gets them; if they are invalid, the model
 * gets the error and can try again. Their type is that of the schema; `tool<Args>()` names another one.
 * @throws ThreadkeepError `invalid_options`, naming the option.
 */
export function tool<Args = never, const Parameters extends JSONSchema | StandardSchema = JSONSchema | StandardSchema<Args>>(
  options: ToolOptions<Given<Args, Parameters>> & { parameters: Parameters },
): Tool;
export function tool<Args>(options: ToolOptions<Args>): Tool {
  const { name, description, parameters, jsonSchema, annotations: hints = {}, replay, needsApproval, execute, close } = optionsOf("tool()", options, "name description parameters jsonSchema annotations replay needsApproval execute close");
  const annotations = optionsOf(`annotations of tool ${textOf(name)}`, hints, "title readOnlyHint destructiveHint idempotentHint openWorldHint");
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalidOptions(`tool name ${JSON.stringify(textOf(name))} must be 1 to 64 letters, digits, underscores or dashes`);
  }
  if (typeof description !== "string") throw invalidOptions(`description of tool ${name} must be a string`);
  if (typeof execute !== "function") throw invalidOptions(`execute of tool ${name} must be a function`);
  if (close !== undefined && typeof close !== "function") throw invalidOptions(`close of tool ${name} must be a function`);
  if (replay !== undefined && !["safe", "ask", "never"].includes(replay)) {
    throw invalidOptions(`replay of tool ${name} must be "safe", "ask" or "never"`);
  }
  if (needsApproval !== undefined && typeof needsApproval !== "boolean" && typeof needsApproval !== "function") {
    throw invalidOptions(`needsApproval of tool ${name} must be true, false or a function`);
  }
  const asked = typeof needsApproval === "boolean" ? () => needsApproval : needsApproval?.bind(options);
  const schema = reading(`parameters of tool ${name}`, () => {
    const schema = jsonSchema ?? (isStandard(parameters) ? jsonSchemaOf(`parameters of tool ${name}`, parameters, ", or pass jsonSchema as well") : parameters);
    const isObject = typeof schema === "object" && schema !== null && (schema["type"] ?? "object") === "object";
    // The schema is sent to the model as JSON.
    if (isObject && JSON.stringify(schema)?.startsWith("{")) return schema;
    throw invalidOptions(`parameters of tool ${name} must be a JSON Schema of type "object" or a Standard Schema`);
  });
  const parse = isStandard(parameters) ? parsing(parameters) : undefined;
  return Object.freeze({
    name,
    description,
    parameters: schema,
    annotations: Object.freeze(annotations),
    ...(replay && { replay }),
    ...(asked && { needsApproval: async (args: unknown) => asked(parse ? await parse(args) : (args as Args)) }),
    ...(close && { close: () => close.call(options) }),
    execute: parse ? async (args: unknown, context: ToolContext) => execute(await parse(args), context) : (execute as Tool["execute"]),
  });
}

/** A tool of the library. @internal */
export function builtIn(tool: BuiltIn): Tool {
  const execute = () => {
    throw new ThreadkeepError("invalid_state", `the tool ${tool.name} can be called in a conversation only`);
  };
  return Object.freeze({ name: tool.name, description: "", parameters: {}, annotations: {}, execute, builtIn: tool });
}

/** @internal */
export function isStandard<Args>(schema: JSONSchema | StandardSchema<Args>): schema is StandardSchema<Args> {
  // Some libraries' schemas are functions.
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

/** The JSON Schema of a Standard Schema. `what` names it in errors, and `remedy` ends them. @internal */
export function jsonSchemaOf(what: string, schema: StandardSchema, remedy = ""): JSONSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) {
    const advice = vendor === "valibot" ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema" : "use a newer version";
    throw invalidOptions(`${what}: schemas of this version of ${vendor} cannot be converted to JSON Schema; ${advice}${remedy}`);
  }
  const { $schema: _, ...plain } = jsonSchema.input({ target: "draft-2020-12" });
  return plain;
}

/** A function that lets the schema parse the arguments (defaults, transforms). */
function parsing<Args>(schema: StandardSchema<Args>): (args: unknown) => Promise<Args> {
  return async (args) => {
    return valueOf(await schema["~standard"].validate(args));
  };
}

/** The value of a validation. @throws ThreadkeepError `invalid_options` with the issues @internal */
export function valueOf<Output>(result: StandardResult<Output>): Output {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ message, path }) => (path?.length ? `${path.map(segment).join(".")}: ` : "") + message);
  throw new ThreadkeepError("invalid_options", issues.join("; "));
}

function segment(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}
