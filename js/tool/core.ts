// The tools of an agent in the form that the wasm takes. Loaded with the first conversation whose agent has a tool.
import type { Content } from "../events/types.js";
import { reading } from "../input/errors.js";
import { type Image, isContent, withImages } from "../llm/images.js";
import { checking } from "../input/schema.js";
import type { BuiltIn, BuiltInContext, BuiltInDefinition, CoreTool, Tool, ToolContext, ToolFiles } from "./types.js";

/**
 * The tools in that form. Loads those of the library. Each function of a host gets arguments that were parsed for it alone: one
 * that changes them changes nothing that another has checked or the user has approved.
 */
export async function toCore(tools: readonly Tool[], files: ToolFiles): Promise<CoreTool[]> {
  return Promise.all(
    tools.map(async (tool) => {
      const definition = (await tool.builtIn?.define(files.place)) ?? tool;
      const { description, parameters, annotations, replay, needsApproval } = definition;
      return {
        name: tool.name,
        description,
        parameters: reading(`parameters of tool ${tool.name}`, () => JSON.stringify(parameters)),
        annotations,
        ...(replay && { replay }),
        check: checking(parameters),
        ...(needsApproval && { needsApproval: (argumentsJson: string) => needsApproval(JSON.parse(argumentsJson)) }),
        ...("className" in definition
          ? storedAsClass(tool.builtIn!, definition, files)
          : {
              async execute(argumentsJson: string, context: ToolContext) {
                return JSON.stringify(await toContent(await definition.execute(JSON.parse(argumentsJson), context)));
              },
            }),
      };
    }),
  );
}

function storedAsClass(
  { spec }: BuiltIn,
  definition: BuiltInDefinition,
  files: ToolFiles,
): Pick<CoreTool, "className" | "changesFiles" | "spec" | "close" | "action" | "execute"> {
  return {
    className: definition.className,
    changesFiles: definition.changesFiles ?? !definition.annotations.readOnlyHint,
    ...(spec && { spec: JSON.stringify({ name: spec.name, params: spec.params ?? {} }) }),
    ...(definition.close && { close: () => definition.close!() }),
    action: (argumentsJson) => JSON.stringify(definition.action(JSON.parse(argumentsJson) as never)),
    async execute(argumentsJson, context) {
      const call = await files.call(context.idempotencyKey);
      // `progress` and `secret` are methods of the context; the signal is a property of its own.
      const own = Object.assign(Object.create(context), { workspace: call.workspace, files: call.files }) as BuiltInContext;
      const { content, isError = false, fields, waits } = await definition.execute(JSON.parse(argumentsJson) as never, own);
      const { content: parts } = await toContent(typeof content === "string" ? content : { content });
      return { json: JSON.stringify({ content: parts, is_error: isError, fields, waits }), files: call.changes() };
    },
  };
}

async function toContent(output: unknown): Promise<{ content: readonly unknown[]; is_error: boolean }> {
  if (output instanceof Blob) return { content: await withImages([output]), is_error: false };
  if (isContentOutput(output)) {
    // Providers refuse a result without content.
    const content = output.content.length > 0 ? await withImages(output.content) : [{ type: "text", text: "" }];
    return { content, is_error: output.isError === true };
  }
  // JSON escapes halves of characters and no other surrogates; an escape in a text would reach Python as it is.
  const text =
    typeof output === "string"
      ? output
      : (JSON.stringify(output)?.replace(/\\ud[89a-f]..|\\./g, (escape) => (escape.length > 2 ? "\ufffd" : escape)) ?? "");
  return { content: [{ type: "text", text }], is_error: false };
}

function isContentOutput(output: unknown): output is { content: Array<Content | Image>; isError?: boolean } {
  return (
    typeof output === "object" && output !== null && "content" in output && Array.isArray(output.content) && output.content.every(isContent)
  );
}
