// The answers of the scripted model: a pure function from a request to a reply. It reads the last user message and what
// followed it, never a clock or a random number, so the same request has the same reply.

import { pickTools } from "./tool-rules.mjs";
import { HAIKU, INTRODUCTION, LABEL, longAnswer, MARKDOWN_SAMPLE, UNKNOWN, UNSAFE_SAMPLE } from "./texts.mjs";

export const MODEL_NAME = "scripted-model";

/**
 * Returns `{ reasoning, text, calls, slow?, breaksAfter?, failure? }`.
 * `failure` is `{ status, message, once?, retryAfter? }`; `breaksAfter` cuts the connection after so many chunks.
 */
export function replyTo(body) {
  if (typeof body.model === "string" && !body.model.endsWith(MODEL_NAME)) {
    const message = `there is no model "${body.model}" here; the only one is "${MODEL_NAME}"`;
    return { ...answer(""), failure: { status: 404, message } };
  }
  const begun = begunAnswer(body.messages);
  if (begun !== null) {
    const reply = replyTo({ ...body, messages: body.messages.slice(0, -2) });
    return { ...reply, text: reply.text.startsWith(begun) ? reply.text.slice(begun.length) : reply.text };
  }
  const aside = asideReply(body.messages);
  if (aside !== null) return aside;
  const { text, rounds, results } = lastTurn(body.messages);
  // A page carries a call out only when the server rests.
  if (results.some((result) => result.text === DISPATCHED)) return answer("The page has my calls now. I go on with their results.");
  const steps = text.split(/,?\s*\b(?:and then|then|after that|afterwards)\b,?\s*/i);
  const offered = new Map((body.tools ?? []).map((tool) => [tool.function?.name, tool.function]));

  if (rounds < steps.length) {
    const { picked, missing } = pickTools(steps[rounds], offered);
    if (picked.length > 0) return callTools(picked, { rounds, steps, seed: body.messages.length });
    if (missing.length > 0 && rounds === 0) return answer(notOffered(missing));
  }
  if (results.length > 0) return report(results);
  return plainAnswer(text);
}

// The sentences of the library about an answer that was cut off.
const CUT_OFF = /^\[This answer (?:was stopped|broke off) here\.\]\s*(?:\[Go on from there, [^\]]*\]\s*)?/;

/** The text of the answer that is to be continued; `null` if the user has said something else since. */
function begunAnswer(messages) {
  const [begun, last] = messages?.slice(-2) ?? [];
  const isCutOff = last?.role === "user" && textOf(last.content).replace(CUT_OFF, "") === "" && begun?.role === "assistant";
  return isCutOff && textOf(last.content) !== "" ? textOf(begun.content) : null;
}

/** The same reply with a mark, so that answers to the same request can be told apart. */
export function inOtherWords(reply, times) {
  if (times === 0 || reply.text === "" || reply.aside) return reply;
  const mark = `Wording ${times + 1}.`;
  return { ...reply, text: reply.text.endsWith(LABEL) ? `${reply.text.slice(0, -1)} ${mark}*` : `${reply.text} ${mark}` };
}

/** A title, a summary, or the answer to a question beside the conversation: the library asks for these. */
function asideReply(messages) {
  const asked = textOf(messages.at(-1)?.content);
  if (/^You name conversations/.test(textOf(messages[0]?.content)))
    return { ...answer(""), text: titleFor(asked.split("The message:").at(-1).trim()), aside: true };
  const [, question] = /\[A question in between[^\]]*\]\s*([\s\S]*?)\s*Answer from what you know/.exec(asked) ?? [];
  if (/^You write the memory/.test(textOf(messages[0]?.content))) return summaryReply(asked);
  if (question === undefined) return null;
  const said = messages
    .slice(0, -1)
    .filter(({ role }) => role === "user")
    .map(({ content }) => textOf(content).trim());
  const text = `You asked “${question}” beside the conversation. I see ${said.length === 1 ? "1 message" : `${said.length} messages`} of yours in it, the last of them “${said.at(-1) ?? ""}”. Nothing of this becomes part of it.`;
  return { ...answer(text), aside: true };
}

/** The fields of a summary: what the user said counts as done. */
function summaryReply(asked) {
  const events = asked
    .split("<event>\n")
    .slice(1)
    .map((event) => event.split("\n</event>")[0]);
  const section = (heading) =>
    events.flatMap(
      (event) => (/^Earlier summary/.test(event) ? event.split(`## ${heading}\n- `)[1]?.split("\n\n")[0].split("\n- ") : null) ?? [],
    );
  const said = events.flatMap((event) => /^User: (.*)/.exec(event)?.[1] ?? []).map((text) => `“${text.trim().slice(0, 60)}”`);
  const fields = {
    user_context: "Tries out this page with a scripted model.",
    completed_tasks: [...section("Completed tasks"), ...said.map((text) => `Answered ${text}`)],
    pending_tasks: ["Answer what comes next"],
    current_state: `A scripted summary of ${events.length} events: fixed rules, no AI.`,
  };
  return { ...answer(""), calls: [{ id: "call_summary", name: "summary", arguments: JSON.stringify(fields) }], aside: true };
}

const SUBJECTS = [
  [/\b(?:dice|die|roll|d\d+)\b/i, "🎲"],
  [/\bpay\b/i, "💸"],
  [/\bcount\b/i, "🔢"],
  [/\b(?:remember|know|notes?)\b/i, "📝"],
  [/\bAPI\b/, "🔑"],
  [/\btime\b/i, "🕰️"],
  [/\d/, "🧮"],
];

/** An emoji for the subject, and the first words. */
function titleFor(message) {
  const [, emoji] = SUBJECTS.find(([pattern]) => pattern.test(message)) ?? [null, "💬"];
  const words = message
    .split(/\s+/)
    .slice(0, 6)
    .join(" ")
    .replace(/[\p{P}\s]+$/u, "");
  return `${emoji} ${words}`;
}

/** In a conversation on an agent server, the first line of the result of a page's tool, in a message of the user. */
const DELIVERED = /^The call \S+ of the tool (\S+) (?:has this result|has failed|was rejected by the user):\n/m;
/** And the result of the call itself, before. */
const DISPATCHED = "Tool call dispatched to client.";

/** The newest user message, how many times tools were called since, and what they returned. */
function lastTurn(messages) {
  const start = messages.findLastIndex(({ role, content }) => role === "user" && !DELIVERED.test(textOf(content)));
  const after = messages.slice(start + 1);
  const calls = new Map();
  const results = [];
  for (const message of after) {
    for (const call of message.tool_calls ?? []) calls.set(call.id, call.function?.name ?? "a tool");
    if (message.role === "tool") results.push({ name: calls.get(message.tool_call_id) ?? "a tool", text: textOf(message.content) });
    if (message.role === "user") for (const result of delivered(textOf(message.content))) replaceDispatched(results, result);
  }
  const rounds = after.filter((message) => (message.tool_calls ?? []).length > 0).length;
  // Text that skills add to a message is not from the user.
  const text =
    start < 0
      ? ""
      : textOf(messages[start].content)
          .replace(/<EXTRA_INFO>[\s\S]*?<\/EXTRA_INFO>/g, "")
          .replace(CUT_OFF, "");
  return { text, rounds, results };
}

function delivered(text) {
  const [, ...parts] = text.split(DELIVERED);
  return parts.flatMap((name, at) => (at % 2 === 0 ? [{ name, text: parts[at + 1].trim() }] : []));
}

function replaceDispatched(results, result) {
  const at = results.findIndex(({ name, text }) => name === result.name && text === DISPATCHED);
  results.splice(at < 0 ? results.length : at, 1, result);
}

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part.text === "string" ? part.text : "")).join("\n");
}

function answer(text, reasoning = "") {
  return { reasoning, text: text === "" ? "" : `${text}\n\n${LABEL}`, calls: [] };
}

function callTools(picked, { rounds, steps, seed }) {
  const names = picked.map(({ name }) => name).join(", ");
  const together =
    picked.length > 1
      ? `${picked.length} of the tools this page offers fit: ${names}. They do not need each other's results, so I ask for all of them at once.`
      : `One of the tools this page offers fits: ${names}.`;
  const more = steps.length > rounds + 1 ? " What comes after “then” waits for the results." : "";
  return {
    reasoning: `I follow rules rather than think, and the rules found keywords in “${steps[rounds].trim()}”. ${together}${more}`,
    text: picked.length > 1 ? `I'll ask the page to do ${picked.length} things at once.` : "",
    calls: picked.map(({ name, args }, index) => ({
      id: `call_${seed}_${index}`,
      name,
      arguments: JSON.stringify(args),
    })),
  };
}

function report(results) {
  const failed = results.filter(({ text }) => isFailure(text));
  const opening =
    results.length === 1
      ? "The page ran one tool for me. This is what came back:"
      : `The page ran ${results.length} tools for me. This is what came back:`;
  const items = results.map(
    ({ name, text }) => `- \`${name}\`${/\n/.test(text.trim()) ? `\n\n${quote(text)}` : `: ${inline(text.trim()) || "(no text)"}`}`,
  );
  const closing =
    failed.length > 0
      ? `${failed.length === 1 ? "One call" : `${failed.length} calls`} did not succeed, as quoted above. You can ask for it again.`
      : "";
  return answer([opening, items.join("\n"), closing].filter(Boolean).join("\n\n"), "The results are here; I only quote them.");
}

const isFailure = (text) =>
  /^\W*(an? )?(error|tool call interrupted|(user|action) rejected|(this|the) call was|the tool .* cannot run)|error occurred/i.test(text);

/** Text that is not prose, such as `<secret-hidden>`, would be parsed as markup. */
const inline = (text) => (/[<>]/.test(text) ? `\`${text.replaceAll("`", "'")}\`` : text);

const quote = (text) =>
  text
    .trim()
    .split("\n")
    .map((line) => `  > ${line}`)
    .join("\n");

function notOffered(names) {
  const hint = names.includes("task") ? " Sub-agents are off until you turn them on: *Settings*, “The agent may start sub-agents”." : "";
  return `That sounds like a job for ${names.join(" and ")}, but this page did not offer me a tool of that name.${hint}`;
}

function plainAnswer(text) {
  const message = text.trim();
  if (/^(please )?(fail|break)\b|\bfail with\b/i.test(message)) return failure(message);
  if (/\b(unsafe|html|xss|attack)\b/i.test(message)) return answer(UNSAFE_SAMPLE, "Asked for output that a page must not trust.");
  if (/\bhaiku\b/i.test(message)) return answer(HAIKU, "The page has added its skill for haiku to this message.");
  if (/\b(markdown|formatting|table|code block)\b/i.test(message)) return answer(MARKDOWN_SAMPLE, "A sample of everything Markdown has.");
  if (/\b(long|essay|story|lorem)\b/i.test(message)) return answer(longAnswer(numberIn(message)), "This will take a while to write out.");
  if (/\bslow(ly|er)?\b/i.test(message)) {
    const slowText = "This answer comes slowly, word by word, so that there is time to press Stop or to close the tab.";
    return { ...answer(slowText, "No hurry."), slow: true };
  }
  if (/^(hi|hello|hey|good (morning|evening|day)|help)\b|what can you do|who are you|what are you/i.test(message)) {
    return answer(INTRODUCTION, "A greeting, or a question about me.");
  }
  return answer(UNKNOWN, "None of my rules has a keyword in this message.");
}

const numberIn = (text) => Number(/\d+/.exec(text)?.[0] ?? 12);

function failure(message) {
  if (/\b(halfway|midway|cut)\b/i.test(message)) {
    return {
      ...answer("This sentence will not be finished because the connection", "Cutting the connection on purpose."),
      breaksAfter: 14,
    };
  }
  if (/\bonce\b/i.test(message)) {
    const message = "the scripted model was asked to fail once; the next try succeeds";
    return {
      ...answer("The first try failed, as you asked. This is the second."),
      failure: { status: 503, message, once: true, retryAfter: 1 },
    };
  }
  const status = Number(/\b[45]\d\d\b/.exec(message)?.[0] ?? 400);
  return { ...answer(""), failure: { status, message: `the scripted model was asked to fail with status ${status}` } };
}
