// Tools that the host defines.
import { ThreadkeepError, invalidOptions, optionsOf, reading, textOf } from "../input/errors.js";
import type { JSONSchema, StandardResult, StandardSchema } from "../input/types.js";
import type { Given } from "./arguments.js";
import type { BuiltIn, Tool, ToolContext, ToolOptions } from "./types.js";

/**
 * Defines a tool. Arguments are checked against `parameters` before `execute` gets them; if they are invalid, the model
 * gets the error and can try again. Their type is that of the schema; `tool<Args>()` names another one.
 * @throws ThreadkeepError `invalid_options`, naming the option.
 */
export function tool<Args = never, const Parameters extends JSONSchema | StandardSchema = JSONSchema | StandardSchema<Args>>(
  options: ToolOptions<Given<Args, Parameters>> & { parameters: Parameters },
): Tool;
export function tool<Args>(options: ToolOptions<Args>): Tool {
  const {
    name,
    description,
    parameters,
    jsonSchema,
    annotations: hints = {},
    replay,
    runsIn,
    needsApproval,
    execute,
    close,
  } = optionsOf("tool()", options, "name description parameters jsonSchema annotations replay runsIn needsApproval execute close");
  const annotations = optionsOf(
    `annotations of tool ${textOf(name)}`,
    hints,
    "title readOnlyHint destructiveHint idempotentHint openWorldHint",
  );
  if (typeof name !== "string" || !/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw invalidOptions(`tool name ${JSON.stringify(textOf(name))} must be 1 to 64 letters, digits, underscores or dashes`);
  }
  if (typeof description !== "string") throw invalidOptions(`description of tool ${name} must be a string`);
  if (typeof execute !== "function") throw invalidOptions(`execute of tool ${name} must be a function`);
  if (close !== undefined && typeof close !== "function") throw invalidOptions(`close of tool ${name} must be a function`);
  if (replay !== undefined && !["safe", "ask", "never"].includes(replay)) {
    throw invalidOptions(`replay of tool ${name} must be "safe", "ask" or "never"`);
  }
  if (runsIn !== undefined && runsIn !== "page") throw invalidOptions(`runsIn of tool ${name} must be "page", or left out`);
  if (needsApproval !== undefined && typeof needsApproval !== "boolean" && typeof needsApproval !== "function") {
    throw invalidOptions(`needsApproval of tool ${name} must be true, false or a function`);
  }
  const asked = typeof needsApproval === "boolean" ? () => needsApproval : needsApproval?.bind(options);
  const schema = reading(`parameters of tool ${name}`, () => {
    const schema =
      jsonSchema ??
      (isStandard(parameters) ? jsonSchemaOf(`parameters of tool ${name}`, parameters, ", or pass jsonSchema as well") : parameters);
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
    ...(runsIn && { runsIn }),
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
