// Replaces the instructions for models without native tool calling, which are our own texts, by marks, as `our_words.py` does.
import { readFileSync } from "node:fs";
import path from "node:path";

const prompts = path.resolve(import.meta.dirname, "../../../src/llm/text_tools/prompts");
const texts = ["functions", "example", "task_end"].map((name) => {
  const parts = readFileSync(path.join(prompts, `${name}.md`), "utf8").split(/@@ [a-z]+/);
  return { mark: `@@ ${name.replace("_", " ")}`, start: parts[0], end: parts.length > 1 ? parts.at(-1) : "" };
});

/** These messages with a mark in place of each of our own texts. */
export function marked(messages) {
  const inside = (content) =>
    typeof content === "string"
      ? markedText(content)
      : content.map((part) => ("text" in part ? { ...part, text: markedText(part.text) } : part));
  return messages.map((message) => (message.content ? { ...message, content: inside(message.content) } : message));
}

function markedText(text) {
  for (const { mark, start, end } of texts) {
    const from = text.indexOf(start);
    if (from < 0) continue;
    text = text.slice(0, from) + mark + text.slice(text.indexOf(end, from + start.length) + end.length);
  }
  return text;
}
