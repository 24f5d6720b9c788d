// Finds the tools, with their arguments, that a sentence asks for, by keywords.

const NUMBER_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
const NUMBER = `\\d+|${NUMBER_WORDS.join("|")}|twenty|an?`;

function toNumber(word, otherwise) {
  if (word === undefined || word === "") return otherwise;
  if (/^\d+$/.test(word)) return Number(word);
  const lower = word.toLowerCase();
  if (lower === "a" || lower === "an") return 1;
  if (lower === "twenty") return 20;
  const index = NUMBER_WORDS.indexOf(lower);
  return index < 0 ? otherwise : index;
}

const DIRECTORY = "/workspace";
const FILE = "[\\w./-]+\\.\\w+";
const pathOf = (name) => (name.startsWith("/") ? name : `${DIRECTORY}/${name}`);
const fileRule = (pattern, args, summary) => ({ name: "file_editor", pattern, args, summary });

/** The tasks of a sentence such as “buy milk (done), cook (doing) and eat”. */
function tasksIn(text) {
  const states = { done: "done", doing: "in_progress" };
  return text.split(/,\s*(?:and\s+)?|\s+and\s+/).map((task) => {
    const [, title, state] = /^(.*?)(?:\s*\((done|doing)\))?[.!]?$/s.exec(task.trim());
    return { title, status: states[state] ?? "todo" };
  });
}

/** In this order each rule removes its words from the sentence, so that one phrase starts only one tool. */
const RULES = [
  {
    name: "task",
    pattern: /\bask a sub-?agent to\s+(.+)/is,
    args: ([, prompt]) => ({ description: prompt.slice(0, 40), prompt }),
    summary: ([, prompt]) => `Sub-agent: ${prompt.slice(0, 40)}`,
  },
  {
    name: "terminal",
    pattern: /\brun\s+`([^`]+)`/i,
    args: ([, command]) => ({ command }),
    summary: ([, command]) => `Run ${command}`,
  },
  {
    name: "task_tracker",
    pattern: /\b(?:plan|list)\s+the\s+tasks:?\s+(.+)/is,
    args: ([, text]) => ({ command: "plan", task_list: tasksIn(text) }),
    summary: () => "List the tasks",
  },
  {
    name: "apply_patch",
    pattern: new RegExp(`\\badd\\s+(?:a\\s+|the\\s+)?file\\s+(${FILE})\\s+(?:with|saying|containing):?\\s+(.+)`, "is"),
    args: ([, name, text]) => ({
      patch: `*** Begin Patch\n*** Add File: ${name}\n${text
        .split("\n")
        .map((line) => `+${line}`)
        .join("\n")}\n*** End Patch`,
    }),
    summary: ([, name]) => `Add ${name}`,
  },
  fileRule(
    new RegExp(`\\b(?:create|make|write)\\s+(?:a\\s+|the\\s+)?file\\s+(${FILE})\\s+(?:with|saying|containing):?\\s+(.+)`, "is"),
    ([, name, text]) => ({ command: "create", path: pathOf(name), file_text: text }),
    ([, name]) => `Create ${name}`,
  ),
  fileRule(
    new RegExp(`\\b(?:replace|change)\\s+(.+?)\\s+(?:by|with|to|into)\\s+(.+?)\\s+in\\s+(${FILE})`, "is"),
    ([, old, text, name]) => ({ command: "str_replace", path: pathOf(name), old_str: old, new_str: text }),
    ([, , , name]) => `Change ${name}`,
  ),
  fileRule(
    new RegExp(`\\bundo\\b.*?(${FILE})`, "i"),
    ([, name]) => ({ command: "undo_edit", path: pathOf(name) }),
    ([, name]) => `Undo the change of ${name}`,
  ),
  fileRule(
    new RegExp(`\\b(?:show|view|read|open)\\s+(?:me\\s+)?(?:the\\s+)?file\\s+(${FILE})`, "i"),
    ([, name]) => ({ command: "view", path: pathOf(name) }),
    ([, name]) => `Look at ${name}`,
  ),
  {
    name: "list_directory",
    pattern: /\b(?:which|what|list (?:the|all|your)) files\b/i,
    args: () => ({ dir_path: DIRECTORY, recursive: true }),
    summary: () => "List the files",
  },
  {
    name: "send_payment",
    pattern: /\b(?:pay|send)\s+(?!me\b)(\p{L}+)\s+(\d+(?:\.\d+)?)(?:\s*(?:euros?|dollars?|pounds?|€|\$))?/iu,
    args: ([, to, amount]) => ({ to, amount: Number(amount) }),
    summary: ([, to, amount]) => `Pay ${to} ${amount}`,
  },
  {
    name: "call_api",
    pattern: /\b(?:call|ask|try|use)\s+(?:the|this page's|your)\s+api\b/i,
    args: () => ({ path: "/v1/whoami" }),
    summary: () => "Ask the API who is calling",
  },
  {
    name: "invoke_skill",
    pattern: /\bplan (?:a|my|our|the) trip\b/i,
    args: () => ({ name: "trip-planner" }),
    summary: () => "Read how to plan a trip",
  },
  {
    name: "remember",
    pattern: /\b(?:please )?(?:remember|note|write down|don't forget)(?: that|:)?\s+(?!anything\b|everything\b)(.+)/is,
    args: ([, text]) => ({ text: text.trim().replace(/[.!]+$/, "") }),
    summary: () => "Keep a note",
    unless: /\bdo you remember\b|\bwhat .*\bremember\b/i,
  },
  {
    name: "recall",
    pattern:
      /\b(?:recall|(?:what )?(?:do|did) (?:you|i) (?:know|remember|tell|note)|my notes|remember (?:any|every)thing)(?:.*?\babout\s+(?:my |the )?(\w+))?/i,
    args: ([, query]) => (query ? { query } : {}),
    summary: () => "Look through the notes",
  },
  {
    name: "add_up",
    pattern: new RegExp(`\\badd up(?: the)? numbers(?: from \\w+)?(?: up)? to\\s*(${NUMBER})?`, "i"),
    args: ([, to]) => ({ to: toNumber(to, 10) }),
    summary: ([, to]) => `Add up the numbers to ${toNumber(to, 10)}`,
  },
  {
    name: "slow_count",
    pattern: new RegExp(`\\bcount\\b(?:\\s+slowly)?(?:\\s+up)?(?:\\s+from\\s+\\w+)?(?:\\s+to)?\\s*(${NUMBER})?`, "i"),
    args: ([, to]) => ({ to: toNumber(to, 10) }),
    summary: ([, to]) => `Count to ${toNumber(to, 10)}`,
  },
  {
    name: "roll_dice",
    pattern: new RegExp(
      `(?:\\b(?:roll|throw)\\b\\s*)?(?:\\b(${NUMBER})\\s*)?(?:\\b(${NUMBER})-sided\\s+)?(?:\\b(?:dice|die)\\b|\\b(\\d*)d(\\d+)\\b)`,
      "i",
    ),
    args: ([, count, sided, times, sides]) => ({
      count: toNumber(times, toNumber(count, 1)),
      sides: toNumber(sides, toNumber(sided, 6)),
    }),
    summary: () => "Roll the dice",
  },
  {
    name: "calculate",
    pattern: /(?:\b(?:calculate|compute|work out|how much is|what(?:'s| is))\s+)?((?:\(\s*)*-?\d[\d.]*(?:\s*[-+*/×÷^%()]+\s*[\d.()]+)+)/i,
    args: ([, expression]) => ({ expression: expression.trim() }),
    summary: ([, expression]) => `Work out ${expression.trim()}`,
  },
  {
    // The page has no such tool, but an MCP server may.
    name: "weather",
    pattern: /\bweather in (\p{L}+)/iu,
    args: ([, city]) => ({ city }),
    summary: ([, city]) => `Ask for the weather in ${city}`,
  },
  {
    name: "get_time",
    pattern: /\b(?:time|clock|date|what day|today)\b(?:.*?\bin\s+([A-Z][a-z]+\/[A-Z][A-Za-z_]+))?/,
    args: ([, time_zone]) => (time_zone ? { time_zone } : {}),
    summary: () => "Look at the clock",
  },
];

/** `picked` is in the order of the sentence; `missing` names tools that it asked for but that were not offered. */
export function pickTools(sentence, offered) {
  let rest = sentence;
  const found = [];
  for (const rule of RULES) {
    if (rule.unless?.test(rest)) continue;
    const match = rule.pattern.exec(rest);
    if (!match) continue;
    found.push({ rule, match, at: match.index });
    rest = rest.slice(0, match.index) + " ".repeat(match[0].length) + rest.slice(match.index + match[0].length);
  }
  found.sort((left, right) => left.at - right.at);

  const picked = [];
  const missing = [];
  for (const { rule, match } of found) {
    const definition = offered.get(rule.name);
    if (definition === undefined) {
      missing.push(rule.name);
      continue;
    }
    const args = rule.args(match);
    if (definition.parameters?.properties?.summary !== undefined) args.summary = rule.summary(match);
    picked.push({ name: rule.name, args });
  }
  if (/\b(?:wrong|invalid|bad) (?:tool|call)\b/i.test(sentence)) picked.push({ name: "no_such_tool", args: { reason: "asked for" } });
  return { picked, missing };
}
