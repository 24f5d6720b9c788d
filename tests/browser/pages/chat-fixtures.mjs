// One message or part of each kind that a chat can show.
import { agent, done, image, notice, reasoning, text, tool, user } from "./fake-thread.mjs";

export const dot = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

export const markdown = `# How it works

The **loop** reads a message, calls *tools* and answers; see [the docs](https://example.com/docs) or \`run()\`.

\`\`\`ts
const answer: string = await agent.run("Hello"); // a comment
for (let i = 0; i < 3; i++) console.log(\`line \${i}\`, /re+/g);
\`\`\`

- [x] stored
- [ ] sent

| tool | calls | share |
|:-----|------:|:-----:|
| grep |    12 |  40 % |
| glob |     3 |  10 % |

Inline $e^{i\\pi} + 1 = 0$ costs $5 and $10, and on its own:

$$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$

> A quote.

1. one
2. two
`;

export const arabic = "مرحبا، هذا نص من اليمين إلى اليسار.";

export function everyKind() {
  return [
    user("What does the loop do?\nIn two lines, please."),
    agent([
      reasoning("The user asks for the loop. I look into the file first."),
      text("I look into the file."),
      done("file_editor", { command: "view", path: "/code/loop.ts" }, "1 export const loop = 1;", { kind: "FileEditorObservation" }),
      done("file_editor", { command: "str_replace", path: "/code/loop.ts" }, "Changed.", {
        kind: "FileEditorObservation",
        path: "/code/loop.ts",
        prev_exist: true,
        old_content: "one\ntwo\nthree\n",
        new_content: "one\n2\nthree\n",
      }),
      done("terminal", { command: "npm test" }, "\u001b[32mok\u001b[0m 12 tests\n", {
        kind: "TerminalObservation",
        command: "npm test",
        exit_code: 0,
        metadata: { working_dir: "/work" },
      }),
      done("task_tracker", { command: "plan" }, "", {
        kind: "TaskTrackerObservation",
        task_list: [
          { title: "Read", notes: "", status: "done" },
          { title: "Write", notes: "the tests too", status: "in_progress" },
        ],
      }),
      tool({
        toolName: "fetch",
        args: { url: "https://example.com" },
        summary: "Read the page",
        state: "error",
        error: "the server answered 404",
      }),
      tool({ toolName: "send_payment", args: { amount: 5 }, state: "rejected", error: "not now" }),
      tool({ toolName: "slow_count", args: { to: 9 }, state: "running", progress: "3 of 9" }),
      tool({ toolName: "send_payment", args: { amount: 7 }, state: "waiting", risk: "HIGH" }),
      tool({
        toolName: "screenshot",
        output: [
          { type: "text", text: "A picture" },
          { type: "image", image_urls: [dot, "https://example.com/a.png"] },
        ],
      }),
      tool({
        toolName: "task",
        args: { description: "Count the files", subagent_type: "explorer" },
        subagent: [user("Count the files"), agent("There are **3**.")],
        state: "running",
      }),
      notice("condensation", "They spoke of loops.", {
        kind: "Condensation",
        forgotten_event_ids: ["a", "b"],
        summary: "They spoke of **loops**.",
      }),
      notice("pause", "Paused"),
      notice("unreadable", "it breaks off", { kind: "UnreadableEvent", file: "events/event-00001.json", why: "it breaks off" }),
      notice("other", "FutureEvent", { kind: "FutureEvent", novelty: 1 }),
      text(markdown),
      image(dot),
    ]),
    user([text("And this?"), image(dot), image("https://example.com/b.png")], { sender: "Alice" }),
    agent([{ type: "error", code: "llm_rate_limit", text: "the provider asked for a pause" }]),
    user(arabic),
    agent(arabic),
  ];
}

/** Messages of both sides with different lengths, each with its number. */
export const many = (count, from) =>
  Array.from({ length: count }, (_, index) => {
    const number = from + index;
    const words = `This is number ${number} ${"and it goes on ".repeat((number * 7) % 23)}`;
    return number % 2 === 0 ? user(words) : agent(`${words}\n\n- one\n- two\n\n\`code\` and **more**`);
  });

/** The answer of a model that was talked into it. */
export const hostile = (origin) => `
<script>window.owned = 1</script><img src="${origin}/pixel.png" onerror="window.owned = 1"><svg onload="window.owned = 1"></svg>
<iframe src="${origin}/frame"></iframe><form action="${origin}/form"><input name="password"><button>Log in</button></form>
<style>* { display: none }</style><link rel="stylesheet" href="${origin}/style.css"><base href="${origin}/base/"><meta http-equiv="refresh" content="0;url=${origin}/away">
<p style="position: fixed; inset: 0" id="column" name="title" onclick="window.owned = 1">styled</p>
<code class="language-x button" onmouseover="window.owned = 1">code</code>

![pixel](${origin}/pixel.png) ![data](data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=) [![badge](${origin}/badge.png)](${origin}/page)
[script](javascript:window.owned=1) [data](data:text/html,<script>window.owned=1</script>) [blob](blob:${origin}/1) [odd](intent://x) <a href=" javascript:window.owned=1">raw</a>

$\\href{javascript:window.owned=1}{x}$ $\\includegraphics{${origin}/math.png}$ $x^2$ $\\def\\a{\\a\\a}\\a$ $\\class{button}{y}$

\`\`\`html
<img src=x onerror="window.owned = 1">
\`\`\`

\`\`\`"><img src=x onerror="window.owned=1">
code
\`\`\`

the end
`;

/** Texts that take a parser seconds, or more stack than there is. */
export const heavy = {
  quotes: "> ".repeat(5000),
  lists: "- ".repeat(3000),
  marks: "*a_".repeat(8000),
  nested: Array.from({ length: 1000 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join(""),
  dollars: "$a ".repeat(20_000),
  brackets: "\\( ".repeat(20_000),
  paragraphs: "a\n\n".repeat(100_000),
};
