// A tool that returns values as the platform spells them, and what of it remains visible. Runs in Node and in pages.
import { spelled, values } from "./platform.mjs";

/** `way: spelling` for each spelling that is not hidden; `library` is the package. */
export async function seen(library, seed, count) {
  const { Agent, Conversation, LLM, tool } = library;
  const all = values(seed, count);
  let rows;
  const say = tool({
    name: "say",
    description: "Says a secret in every spelling.",
    parameters: { type: "object" },
    async execute({ index }, { secret }) {
      rows = await spelled(await secret(`S${index}`), seed + index);
      return rows.map(([, text]) => text).join(between);
    },
  });
  const agent = new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid" }), tools: [say] });
  const secrets = Object.fromEntries(all.map((value, index) => [`S${index}`, () => value]));
  const conversation = await Conversation.open({ agent, store: library.memoryStore(), secrets });
  const left = [];
  for (const index of all.keys()) {
    const { content } = await conversation.executeTool("say", { index });
    const answer = content
      .map(({ text }) => text)
      .join("")
      .split(between);
    for (const [at, [way, text]] of rows.entries()) {
      if (answer[at] !== hidden) left.push(`${way}: ${JSON.stringify(text)} as ${JSON.stringify(answer[at])}`);
    }
  }
  await conversation.close();
  return left;
}

const between = "\n§\n";
const hidden = "<secret-hidden>";
