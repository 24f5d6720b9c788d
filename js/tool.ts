// Tools that the host defines.
import { ThreadkeepError, invalidOptions, optionsOf, reading, words } from "./errors.js";
import type { Content, JSONObject, JSONValue } from "./events.js";
import { type Image, isContent, withImages } from "./images.js";
import { part } from "./wasm.js";

/** A JSON Schema (draft 2020-12) of an object. */
export type JSONSchema = { readonly [key: string]: unknown };

/** What zod, valibot, arktype and others implement: https://standardschema.dev, with its JSON Schema extension. */
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

/** What a running call can use. */
export interface ToolContext {
  /** Aborted by `interrupt()`, by the run's signal, and by `close()`. */
  readonly signal: AbortSignal;
  /** The provider's id of the call. */
  readonly toolCallId: string;
  readonly conversationId: string;
  /** The same again if this call is ever replayed: hand it to whatever must not act twice. */
  readonly idempotencyKey: string;
  /**
   * The value of a secret of this conversation; `null` where there is none of this name, or none that is known here.
   * From then on it is hidden wherever it turns up again: in results, events, answers and errors.
   * @throws ThreadkeepError `network` where it could not be fetched
   */
  secret(name: string): Promise<string | null>;
  /** Shown live to subscribers as a `ToolProgressEvent`, never stored. */
  progress(text: string): void;
}

/** Text, any JSON value (the model reads it as JSON), an image, or content with an error mark. */
export type ToolOutput = string | JSONValue | JSONObject | Blob | { content: Array<Content | Image>; isError?: boolean | undefined };

export interface ToolOptions<Args> {
  /** 1 to 64 letters, digits, underscores or dashes. */
  name: string;
  /** What it is for, to the model. */
  description: string;
  parameters: JSONSchema | StandardSchema<Args>;
  /** What the model is told of `parameters`, where they are a schema that cannot say it, or not all of it, in JSON. */
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
   * What happens to a call of which nobody knows whether it took effect, because the page died in the middle:
   * `"safe"` runs it again, `"ask"` waits for confirmation, `"never"` tells the model that it was interrupted.
   * Default: `"safe"` with `readOnlyHint` or `idempotentHint`, `"ask"` with `destructiveHint`, else `"never"`.
   */
  replay?: "safe" | "ask" | "never" | undefined;
  /**
   * Whether a call waits for the user, whatever the policy says and whichever tools are allowed: always, or those of
   * whose arguments the function does not say `false`. One that throws has not said so. With `false` the policy decides
   * alone; left out, calls of a tool with `destructiveHint: true` wait until the tool is among `allowedTools`.
   */
  needsApproval?: boolean | ((args: Args) => boolean | Promise<boolean>) | undefined;
  /** A throw becomes an error that the model reads. */
  execute(args: Args, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** Lets go of what the tool holds. Called by the `close()` of each conversation that has it. */
  close?: (() => void | Promise<void>) | undefined;
}

/** A tool, ready for an `Agent`. Made by {@link tool}. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JSONSchema;
  readonly annotations: Readonly<NonNullable<ToolOptions<never>["annotations"]>>;
  readonly replay?: "safe" | "ask" | "never";
  /** Asked with arguments that passed the schema. */
  readonly needsApproval?: (args: unknown) => unknown;
  /** Runs it with arguments that passed the schema. */
  readonly execute: (args: unknown, context: ToolContext) => unknown;
  readonly close?: () => void | Promise<void>;
}

/**
 * Defines a tool. Arguments are checked against `parameters` before `execute` sees them; what does not fit is
 * answered to the model, which then tries again.
 * @throws ThreadkeepError `invalid_options`, naming the option.
 */
export function tool<Args = any>(options: ToolOptions<Args>): Tool {
  const { name, description, parameters, jsonSchema, annotations: hints = {}, replay, needsApproval, execute, close } = optionsOf("tool()", options, "name description parameters jsonSchema annotations replay needsApproval execute close");
  const annotations = optionsOf(`annotations of tool ${words(name)}`, hints, "title readOnlyHint destructiveHint idempotentHint openWorldHint");
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalidOptions(`tool name ${JSON.stringify(words(name))} must be 1 to 64 letters, digits, underscores or dashes`);
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
    const schema = jsonSchema ?? (isStandard(parameters) ? jsonSchemaOf(name, parameters) : parameters);
    const isObject = typeof schema === "object" && schema !== null && (schema["type"] ?? "object") === "object";
    // What is no JSON, the model could not be told.
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

function isStandard<Args>(schema: JSONSchema | StandardSchema<Args>): schema is StandardSchema<Args> {
  // Some libraries' schemas are functions.
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

function jsonSchemaOf(name: string, schema: StandardSchema): JSONSchema {
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema) {
    const advice = vendor === "valibot" ? "wrap it in toStandardJsonSchema() of @valibot/to-json-schema" : "use a newer version";
    throw invalidOptions(`parameters of tool ${name}: a schema of this version of ${vendor} cannot say itself in JSON; ${advice}, or pass jsonSchema beside it`);
  }
  const { $schema: _, ...plain } = jsonSchema.input({ target: "draft-2020-12" });
  return plain;
}

/** Lets the schema parse (defaults, transforms) before the tool sees the arguments. */
function parsing<Args>(schema: StandardSchema<Args>): (args: unknown) => Promise<Args> {
  return async (args) => {
    const result = await schema["~standard"].validate(args);
    if (result.issues === undefined) return result.value;
    const issues = result.issues.map(({ message, path }) => (path?.length ? `${path.map(segment).join(".")}: ` : "") + message);
    throw new ThreadkeepError("invalid_options", issues.join("; "));
  };
}

function segment(part: unknown): string {
  return String(typeof part === "object" && part !== null && "key" in part ? part.key : part);
}

/** A tool in the form that the wasm takes. @internal */
export interface CoreTool {
  name: string;
  description: string;
  parameters: string;
  annotations: Tool["annotations"];
  replay?: Tool["replay"];
  /** What is wrong with the arguments, to the model; null if nothing. */
  check(argumentsJson: string): string | null;
  /** Only `false` lets a call of these arguments go. */
  needsApproval?(argumentsJson: string): unknown;
  /** Resolves to the JSON of `{content, is_error}`. */
  execute(argumentsJson: string, context: ToolContext): Promise<string>;
}

/** The tools in that form. What checks arguments is loaded with the first of them. @internal */
export async function toCore(tools: readonly Tool[]): Promise<CoreTool[]> {
  if (tools.length === 0) return [];
  const { checking } = await part(import("./schema.js"));
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parameters: reading(`parameters of tool ${tool.name}`, () => JSON.stringify(tool.parameters)),
    annotations: tool.annotations,
    ...(tool.replay && { replay: tool.replay }),
    check: checking(tool.parameters),
    ...(tool.needsApproval && { needsApproval: (argumentsJson) => tool.needsApproval!(JSON.parse(argumentsJson)) }),
    async execute(argumentsJson, context) {
      return JSON.stringify(await toContent(await tool.execute(JSON.parse(argumentsJson), context)));
    },
  }));
}

async function toContent(output: unknown): Promise<{ content: readonly unknown[]; is_error: boolean }> {
  if (output instanceof Blob) return { content: await withImages([output]), is_error: false };
  if (isContentOutput(output)) {
    // Providers refuse a result without content.
    const content = output.content.length > 0 ? await withImages(output.content) : [{ type: "text", text: "" }];
    return { content, is_error: output.isError === true };
  }
  const text = typeof output === "string" ? output : (JSON.stringify(output) ?? "");
  return { content: [{ type: "text", text }], is_error: false };
}

function isContentOutput(output: unknown): output is { content: Array<Content | Image>; isError?: boolean } {
  return typeof output === "object" && output !== null && "content" in output && Array.isArray(output.content) && output.content.every(isContent);
}
