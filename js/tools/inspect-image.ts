// The tool `inspect_image_with_vision`: another model looks at an image for one that cannot. The SDK's is
// `sdk/tool/builtins/vision_inspect.py`.
import { ThreadkeepError } from "../input/errors.js";
import type { ConversationEvent } from "../events/events.js";
import type { LLM } from "../llm/llm.js";
import type { BuiltInContext, BuiltInDefinition, BuiltInOutput } from "../tool/types.js";
import { present } from "./definition.js";

interface InspectArguments {
  image_index: number;
  question: string;
  profile_name?: string | null;
}

/** The model's name, where the SDK has profiles. */
const profile = "vision";

const description = `Asks a model that understands images about an image of the user's latest message with images, and returns its answer.

Use it if you cannot see an image yourself and its content matters. Ask for exactly what you need to know.`;

const parameters = {
  type: "object",
  properties: {
    image_index: { type: "integer", minimum: 0, description: "The number of the image in the message; the first one is 0." },
    question: { type: "string", minLength: 1, description: "The question about the image." },
    profile_name: { type: "string", description: `The model that is asked. There is only "${profile}", which is the default.` },
  },
  required: ["image_index", "question"],
};

export function define(llm: LLM): BuiltInDefinition {
  return {
    description,
    parameters,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    className: "VisionInspect",
    action: ({ image_index, question, profile_name }: InspectArguments) => present({ image_index, question, profile_name }),
    execute: (args: InspectArguments, context) => execute(args, context, llm),
  };
}

async function execute(
  { image_index, question, profile_name: name }: InspectArguments,
  { conversation, signal }: BuiltInContext,
  llm: LLM,
): Promise<BuiltInOutput> {
  const profile_name = name || profile;
  const { model, baseUrl: base_url } = llm.options;
  const failed = (content: string, more: object = {}) => ({
    content,
    isError: true,
    fields: present({ image_index, question, profile_name, ...more }),
  });
  if (profile_name !== profile)
    return failed(`There is no profile '${profile_name}' to ask. Leave profile_name out: the only one is '${profile}'.`);
  const urls = latestImages(await conversation.activeBranch());
  const url = urls[image_index];
  if (url === undefined)
    return failed(`There is no image ${image_index}: the user's latest message with images has ${urls.length}, and the first one is 0.`);
  try {
    const answer = await conversation.inspectImage(llm, url, question, signal);
    return { content: answer, fields: present({ image_index, question, profile_name, model, base_url, answer }) };
  } catch (error) {
    if (!(error instanceof ThreadkeepError) || !error.message.includes("answered without text")) throw error;
    return failed("The model that was asked gave no text. Ask again, in other words.", { model, base_url });
  }
}

/** The URLs of the images in the last message of the user that has any. */
function latestImages(events: readonly ConversationEvent[]): string[] {
  for (const event of [...events].reverse()) {
    if (event.kind !== "MessageEvent" || event.source !== "user") continue;
    const urls = event.llm_message.content.flatMap((part) => (part.type === "image" ? part.image_urls : []));
    if (urls.length > 0) return urls;
  }
  return [];
}
