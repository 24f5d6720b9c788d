// The tools of the agent: this page's own, each with another property that tools can have, and those of the library.

import {
  applyPatch,
  fileEditor,
  glob,
  grep,
  listDirectory,
  taskTool,
  taskTracker,
  terminal,
  type Tool,
  type ToolContext,
  tool,
} from "threadkeep";

/** Read-only, so a call that dies with the page is made again. */
const getTime = tool<{ time_zone?: string }>({
  name: "get_time",
  description: "Tells the date and time, here or in another time zone.",
  parameters: {
    type: "object",
    properties: { time_zone: { type: "string", description: "IANA name such as Europe/Oslo; without it, the user's own zone" } },
    additionalProperties: false,
  },
  annotations: { title: "Look at the clock", readOnlyHint: true, openWorldHint: false },
  execute({ time_zone: timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone }) {
    return `${new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(new Date())} (${timeZone})`;
  },
});

/** Not read-only, and repeated all the same: nobody knows the first result. */
const rollDice = tool<{ count?: number; sides?: number }>({
  name: "roll_dice",
  description: "Rolls dice and returns each result and the sum.",
  parameters: {
    type: "object",
    properties: {
      count: { type: "integer", minimum: 1, maximum: 100, description: "how many dice; 1 if left out" },
      sides: { type: "integer", minimum: 2, maximum: 1000, description: "sides of each die; 6 if left out" },
    },
    additionalProperties: false,
  },
  annotations: { title: "Roll dice", destructiveHint: false, openWorldHint: false },
  replay: "safe",
  execute({ count = 1, sides = 6 }) {
    const rolls = [...crypto.getRandomValues(new Uint32Array(count))].map((number) => 1 + (number % sides));
    return count === 1 ? String(rolls[0]) : `${rolls.join(", ")} (sum ${rolls.reduce((sum, roll) => sum + roll)})`;
  },
});

/** What it throws is told to the model, which can do better. */
const calculate = tool<{ expression: string }>({
  name: "calculate",
  description: "Works out an arithmetic expression with + - * / % ^ and parentheses.",
  parameters: {
    type: "object",
    properties: { expression: { type: "string", minLength: 1, maxLength: 500, description: "such as (12 + 30) * 2" } },
    required: ["expression"],
    additionalProperties: false,
  },
  annotations: { title: "Calculate", readOnlyHint: true, openWorldHint: false },
  execute: ({ expression }) => `${expression.trim()} = ${Number(evaluate(expression).toPrecision(15))}`,
});

/** By recursive descent: the text of a model is never evaluated as code. */
function evaluate(expression: string): number {
  const plain = expression.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("−", "-").replaceAll("**", "^");
  const tokens = plain.match(/\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|\S/gi) ?? [];
  const next = (signs: string): string | undefined => (signs.includes(tokens[0] ?? " ") ? tokens.shift() : undefined);
  const sum = (): number => {
    let value = product();
    for (let sign = next("+-"); sign; sign = next("+-")) value += sign === "+" ? product() : -product();
    return value;
  };
  const product = (): number => {
    let value = power();
    for (let sign = next("*/%"); sign; sign = next("*/%")) {
      const right = power();
      value = sign === "*" ? value * right : sign === "/" ? value / right : value % right;
    }
    return value;
  };
  const power = (): number => {
    const base = operand();
    return next("^") ? base ** power() : base;
  };
  const operand = (): number => {
    if (next("-")) return -power();
    if (next("(")) {
      const value = sum();
      if (!next(")")) throw new Error("a parenthesis is never closed");
      return value;
    }
    const token = tokens.shift();
    if (Number.isNaN(Number(token))) throw new Error(`a number is missing${token === undefined ? " at the end" : ` before “${token}”`}`);
    return Number(token);
  };
  const value = sum();
  if (tokens.length > 0) throw new Error(`“${tokens[0]}” stands where the expression should end`);
  if (!Number.isFinite(value)) throw new Error("the result is no number: nothing can be divided by zero");
  return value;
}

const NOTES = "threadkeep-demo:notes";
const readNotes = (): Record<string, string> => JSON.parse(localStorage.getItem(NOTES) ?? "{}");

/** A note is stored under its call's key, so a call that is repeated after a crash adds nothing. A worker has no localStorage. */
const remember = tool<{ text: string }>({
  name: "remember",
  description: "Keeps a note for later, in this browser, across all conversations.",
  parameters: {
    type: "object",
    properties: { text: { type: "string", minLength: 1, maxLength: 2000, description: "what to remember" } },
    required: ["text"],
    additionalProperties: false,
  },
  annotations: { title: "Keep a note", destructiveHint: false, idempotentHint: true, openWorldHint: false },
  runsIn: "page",
  execute({ text }, { idempotencyKey }) {
    localStorage.setItem(NOTES, JSON.stringify({ ...readNotes(), [idempotencyKey]: text }));
    return `Noted: ${text}`;
  },
});

const recall = tool<{ query?: string }>({
  name: "recall",
  description: "Looks through the notes that were kept with `remember`.",
  parameters: {
    type: "object",
    properties: { query: { type: "string", description: "a word to look for; without it, every note" } },
    additionalProperties: false,
  },
  annotations: { title: "Look through the notes", readOnlyHint: true, openWorldHint: false },
  runsIn: "page",
  execute({ query = "" }) {
    const found = Object.values(readNotes()).filter((text) => String(text).toLowerCase().includes(query.toLowerCase()));
    return found.map((text) => `- ${text}`).join("\n") || "There is no such note.";
  },
});

/** Takes its time, reports how far it is, stops when asked. After a crash the user decides, because it may have done its work. */
const slowCount = tool<Steps>({
  name: "slow_count",
  description: "Counts slowly from one upwards, one number per step.",
  parameters: stepsTo("where to stop"),
  annotations: { title: "Count slowly", destructiveHint: false, idempotentHint: false, openWorldHint: false },
  replay: "ask",
  execute: async (steps, context) => (await numbers(steps, context)).join(" "),
});

/** The same, but it changes nothing: after a crash it is simply done again. */
const addUp = tool<Steps>({
  name: "add_up",
  description: "Adds up the numbers from one upwards, slowly, one number per step.",
  parameters: stepsTo("the last number"),
  annotations: { title: "Add up numbers", readOnlyHint: true, openWorldHint: false },
  async execute(steps, context) {
    const sum = (await numbers(steps, context)).reduce((total, number) => total + number);
    return `The numbers to ${steps.to} add up to ${sum}.`;
  },
});

interface Steps {
  to: number;
  seconds_per_step?: number;
}

function stepsTo(what: string) {
  const properties = {
    to: { type: "integer", minimum: 1, maximum: 100, description: what },
    seconds_per_step: { type: "number", minimum: 0.01, maximum: 10, description: "1 if left out" },
  } as const;
  return { type: "object", properties, required: ["to"], additionalProperties: false } as const;
}

async function numbers({ to, seconds_per_step: seconds = 1 }: Steps, { signal, progress }: ToolContext): Promise<number[]> {
  for (let number = 1; number <= to; number += 1) {
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      setTimeout(() => (signal.removeEventListener("abort", stop), resolve()), seconds * 1000);
    });
    progress(`${number} of ${to}`);
  }
  return Array.from({ length: to }, (_, index) => index + 1);
}

/** Each payment is a decision of its own: it cannot be allowed for good. */
const sendPayment = tool<{ to: string; amount: number }>({
  name: "send_payment",
  description: "Pays somebody an amount. A demonstration: no money moves.",
  parameters: {
    type: "object",
    properties: {
      to: { type: "string", minLength: 1, maxLength: 100, description: "who is paid" },
      amount: { type: "number", exclusiveMinimum: 0, maximum: 10_000, description: "how much, in euros" },
    },
    required: ["to", "amount"],
    additionalProperties: false,
  },
  annotations: { title: "Send a payment", destructiveHint: true, idempotentHint: false },
  needsApproval: true,
  execute: ({ to, amount }) => `Paid ${to} ${amount} euros. (This is a demonstration: no money moved.)`,
});

/** The name of the secret with which `call_api` asks. */
export const API_TOKEN = "API_TOKEN";

/** Uses a secret, which the model does not see. Only at this server, because the token must not be sent to others. */
const callApi = tool<{ path: string }>({
  name: "call_api",
  description: `Reads from the API of this page's server, with the token that the user keeps as the secret ${API_TOKEN}.`,
  parameters: {
    type: "object",
    properties: { path: { type: "string", pattern: "^/v1/[a-z]+$", description: "such as /v1/whoami" } },
    required: ["path"],
    additionalProperties: false,
  },
  annotations: { title: "Call the API", readOnlyHint: true },
  async execute({ path }, { secret, signal }) {
    const token = await secret(API_TOKEN);
    if (token === null) throw new Error(`there is no secret ${API_TOKEN} here; the user can add it under “Control”, with any value`);
    const response = await fetch(path, { signal, headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`the API answered with status ${response.status}: ${await response.text()}`);
    return response.text();
  },
});

export const pageTools: Tool[] = [getTime, rollDice, calculate, remember, recall, slowCount, addUp, sendPayment, callApi];

/** They change only the conversation's own files, so they need no approval. */
const fileTools: Tool[] = [fileEditor(), listDirectory(), glob(), grep(), taskTracker()];
/** An agent server has no such tool. */
const patch = applyPatch();
/** A shell inside this page that works on the same files. Its code is loaded when it is first used. */
const shell = terminal();
/** Sub-agents, which start no others. */
const subagents = taskTool({ maxDepth: 1 });

/** The tools of the library that the user has chosen. */
export const chosenTools = (chosen: { files: boolean; terminal: boolean; subagents: boolean }, isOnServer: boolean): Tool[] => [
  ...(chosen.files ? fileTools : []),
  ...(chosen.files && !isOnServer ? [patch] : []),
  ...(chosen.terminal ? [shell] : []),
  ...(chosen.subagents ? [subagents] : []),
];

/** All tools that a conversation of this page can have. */
export const allTools: Tool[] = [...pageTools, ...fileTools, patch, shell, subagents];
