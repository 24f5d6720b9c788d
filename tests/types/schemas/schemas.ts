// The argument types of tools, inferred from the schema of each library. Compiled, never run.
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { Agent, Conversation, LLM, tool } from "threadkeep";
import { type } from "arktype";
import * as valibot from "valibot";
import { z } from "zod";
import { same } from "../same.js";

tool({
  name: "zod",
  description: "",
  parameters: z.object({ sides: z.int().default(6), at: z.string().transform(Number) }),
  execute({ sides, at }) {
    same<[typeof sides, typeof at], [number, number]>(true);
    return { sides };
  },
});
tool({
  name: "valibot",
  description: "",
  parameters: toStandardJsonSchema(
    valibot.object({ sides: valibot.optional(valibot.number(), 6), at: valibot.pipe(valibot.string(), valibot.transform(Number)) }),
  ),
  async execute({ sides, at }) {
    same<[typeof sides, typeof at], [number, number]>(true);
    return String(sides);
  },
});
tool({
  name: "arktype",
  description: "",
  parameters: type({ sides: "number = 6", at: "string.numeric.parse" }),
  execute({ sides, at }) {
    same<[typeof sides, typeof at], [number, number]>(true);
    return [sides];
  },
});

// The structured answer of an agent.
const llm = new LLM({ model: "openai/gpt-4o" });
const counting = new Agent({ llm, finalAnswer: z.object({ count: z.string().transform(Number) }) });
const counted = await (await Conversation.open({ agent: counting })).finalAnswer();
same<typeof counted, { count: number } | null>(true);
const listing = new Agent<{ names: string[] }>({ llm, finalAnswer: { type: "object", properties: { names: {} } } });
const listed = await (await Conversation.open({ agent: listing })).finalAnswer();
same<typeof listed, { names: string[] } | null>(true);
