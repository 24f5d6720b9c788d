// Chrome's built-in model, which is in the page, behind the option `fetch` of `LLM`.
import { LLM } from "threadkeep";
import { answer, textOf } from "./shared.js";

async function chromeModel(_url, { body, signal }) {
  const turns = JSON.parse(body).messages.map(({ role, content }) => ({ role, content: textOf(content) }));
  const question = turns.pop();
  const session = await LanguageModel.create({ initialPrompts: turns, signal });
  return answer(async function* () {
    for await (const content of session.promptStreaming(question.content, { signal })) {
      yield { choices: [{ index: 0, delta: { content } }] };
    }
    yield { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  });
}

export const llm = new LLM({ model: "gemini-nano", baseUrl: "/chrome", nativeToolCalling: false, fetch: chromeModel });
