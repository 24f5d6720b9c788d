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

/** The JSON Schema of arguments: by default all of them are required. */
const schemaOf = (properties: object, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});

/** Read-only, so a call that dies with the page is made again. */
const getTime = tool<{ time_zone?: string }>({
  name: "get_time",
  description: "Tells the date and time, here or in another time zone.",
  parameters: schemaOf(
    { time_zone: { type: "string", description: "IANA name such as Europe/Oslo; without it, the user's own zone" } },
    [],
  ),
  annotations: { title: "Look at the clock", readOnlyHint: true, openWorldHint: false },
  execute({ time_zone: timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone }) {
    return `${new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format(new Date())} (${timeZone})`;
  },
});

/** Not read-only, and repeated all the same: nobody knows the first result. */
const rollDice = tool<{ count?: number; sides?: number }>({
  name: "roll_dice",
  description: "Rolls dice and returns each result and the sum.",
  parameters: schemaOf(
    {
      count: { type: "integer", minimum: 1, maximum: 100, description: "how many dice; 1 if left out" },
      sides: { type: "integer", minimum: 2, maximum: 1000, description: "sides of each die; 6 if left out" },
    },
    [],
  ),
  annotations: { title: "Roll dice", destructiveHint: false, openWorldHint: false },
  replay: "safe",
  execute({ count = 1, sides = 6 }) {
    const rolls = [...crypto.getRandomValues(new Uint32Array(count))].map((number) => 1 + (number % sides));
    return count === 1 ? String(rolls[0]) : `${rolls.join(", ")} (sum ${rolls.reduce((sum, roll) => sum + roll)})`;
  },
});

const OPERATIONS: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "×": (a, b) => a * b,
  "/": (a, b) => a / b,
};

/** What it throws is told to the model, which can do better. The text of a model is never evaluated as code. */
const calculate = tool<{ expression: string }>({
  name: "calculate",
  description: "Adds, subtracts, multiplies or divides two numbers.",
  parameters: schemaOf({ expression: { type: "string", maxLength: 100, description: "such as 12 * 34" } }),
  annotations: { title: "Calculate", readOnlyHint: true, openWorldHint: false },
  execute({ expression }) {
    const [, left, sign, right] = /^\s*(-?[\d.]+)\s*([-+*×/])\s*(-?[\d.]+)\s*$/.exec(expression) ?? [];
    if (sign === undefined) throw new Error("the expression has to be two numbers with one of + - * / between them");
    return `${expression.trim()} = ${Number(OPERATIONS[sign]!(Number(left), Number(right)).toPrecision(15))}`;
  },
});

const NOTES = "threadkeep-demo:notes";
const readNotes = (): Record<string, string> => JSON.parse(localStorage.getItem(NOTES) ?? "{}");

/** A note is stored under its call's key, so a call that is repeated after a crash adds nothing. */
const remember = tool<{ text: string }>({
  name: "remember",
  description: "Keeps a note for later, in this browser, across all conversations.",
  parameters: schemaOf({ text: { type: "string", minLength: 1, maxLength: 2000, description: "what to remember" } }),
  annotations: { title: "Keep a note", destructiveHint: false, idempotentHint: true, openWorldHint: false },
  execute({ text }, { idempotencyKey }) {
    localStorage.setItem(NOTES, JSON.stringify({ ...readNotes(), [idempotencyKey]: text }));
    return `Noted: ${text}`;
  },
});

const recall = tool<{ query?: string }>({
  name: "recall",
  description: "Looks through the notes that were kept with `remember`.",
  parameters: schemaOf({ query: { type: "string", description: "a word to look for; without it, every note" } }, []),
  annotations: { title: "Look through the notes", readOnlyHint: true, openWorldHint: false },
  execute({ query = "" }) {
    const found = Object.values(readNotes()).filter((text) => String(text).toLowerCase().includes(query.toLowerCase()));
    return found.map((text) => `- ${text}`).join("\n") || "There is no such note.";
  },
});

const STEPS = schemaOf(
  {
    to: { type: "integer", minimum: 1, maximum: 100, description: "the last number" },
    seconds_per_step: { type: "number", minimum: 0.01, maximum: 10, description: "1 if left out" },
  },
  ["to"],
);

interface Steps {
  to: number;
  seconds_per_step?: number;
}

/** Takes its time, reports how far it is, stops when asked. After a crash the user decides, because it may have done its work. */
const slowCount = tool<Steps>({
  name: "slow_count",
  description: "Counts slowly from one upwards, one number per step.",
  parameters: STEPS,
  annotations: { title: "Count slowly", destructiveHint: false, idempotentHint: false, openWorldHint: false },
  replay: "ask",
  execute: async (steps, context) => (await numbers(steps, context)).join(" "),
});

/** The same, but it changes nothing: after a crash it is simply done again. */
const addUp = tool<Steps>({
  name: "add_up",
  description: "Adds up the numbers from one upwards, slowly, one number per step.",
  parameters: STEPS,
  annotations: { title: "Add up numbers", readOnlyHint: true, openWorldHint: false },
  async execute(steps, context) {
    const sum = (await numbers(steps, context)).reduce((total, number) => total + number);
    return `The numbers to ${steps.to} add up to ${sum}.`;
  },
});

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
  parameters: schemaOf({
    to: { type: "string", minLength: 1, maxLength: 100, description: "who is paid" },
    amount: { type: "number", exclusiveMinimum: 0, maximum: 10_000, description: "how much, in euros" },
  }),
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
  parameters: schemaOf({ path: { type: "string", pattern: "^/v1/[a-z]+$", description: "such as /v1/whoami" } }),
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
