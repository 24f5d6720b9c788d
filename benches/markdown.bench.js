// <threadkeep-chat> during one long answer: what Markdown costs, compared with the same words in plain paragraphs.
import { Agent, LLM, memoryStore } from "/threadkeep/index.js";
import { openThread } from "/threadkeep/thread.js";
import { median } from "./measure.js";
import { sayingFetch } from "./scripted-fetch.mjs";

export const title = "A streamed answer of 54 kB in pieces of twenty characters, seconds";

const LENGTH = 54_000;
const PIECE = 20;
/** The shortest pause that a page can have between two pieces, in milliseconds. */
const PACE = 4;

export async function* run({ rounds = 3 }) {
  await import("/threadkeep/chat.js");
  document.documentElement.style.height = document.body.style.height = "100%";
  const found = { plain: [], markdown: [] };
  // Not measured: what is loaded and compiled by the first use.
  for (const text of [plain(4_000), markdown(4_000)]) await answered(text);
  for (let round = 0; round < rounds; round++) {
    const order = [
      ["plain", plain(LENGTH)],
      ["markdown", markdown(LENGTH)],
    ];
    for (const [name, text] of round % 2 === 0 ? order : order.reverse()) found[name].push(await answered(text));
  }
  const [words, marked] = [median(found.plain), median(found.markdown)];
  yield {
    label: "until all of it is shown",
    columns: { plain: (words / 1000).toFixed(2), markdown: (marked / 1000).toFixed(2) },
    ratio: marked / words,
    goal: { chromium: 1.5, firefox: 1.5 },
  };
}

/** How long an answer takes until it is shown completely, in milliseconds. */
async function answered(text) {
  const pieces = [];
  for (let at = 0; at < text.length; at += PIECE) pieces.push(text.slice(at, at + PIECE));
  const llm = new LLM({
    model: "openai/gpt-4o",
    baseUrl: "https://model.invalid",
    fetch: sayingFetch([...pieces, "END"], PACE),
    numRetries: 1,
  });
  const chat = document.createElement("threadkeep-chat");
  chat.style.height = "800px";
  document.body.replaceChildren(chat);
  const thread = openThread({ agent: new Agent({ llm }), store: memoryStore() });
  chat.thread = thread;
  await thread.opened();
  const started = performance.now();
  thread.send("Go on").catch((error) => console.error(error));
  while (!chat.shadowRoot.textContent.includes("END")) await new Promise((resolve) => setTimeout(resolve, 20));
  const took = performance.now() - started;
  chat.remove();
  await thread.close();
  return took;
}

const words = (count, from) => Array.from({ length: count }, (_, index) => `word${(from + index) % 97}`).join(" ");

/** So many characters of these sections. */
function text(length, section) {
  let all = "";
  for (let number = 0; all.length < length; number++) all += section(number);
  return all.slice(0, length);
}

const plain = (length) => text(length, (number) => `${words(60, number)}\n\n`);

const markdown = (length) =>
  text(
    length,
    (number) => `## Part ${number}

${words(12, number)} **bold words** and *others*, \`code\`, [a link](https://example.com/${number}), ${words(20, number)}

1. ${words(6, number)}
2. ${words(5, number)}
   - ${words(4, number)} ~~gone~~
   - ${words(4, number)} $x_${number}^2$

| name | value |
|---|---|
| ${words(2, number)} | ${number} |

\`\`\`js
const value${number} = [${number}].map((one) => one * 2);
\`\`\`

> ${words(10, number)}

`,
  );
