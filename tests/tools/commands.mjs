// Random calls of the tools, with arguments that are likely to touch each other's files.
import { randomFrom } from "../support/random.mjs";

const plain = [
  "",
  "import os",
  "def main():",
  "    return 1",
  "\treturn 2",
  "x = 1  ",
  "  x = 1",
  "a.b*c[d]",
  "}",
  "{",
  "end",
  "class A(B):",
  "    pass",
  "$HOME/`x`",
  "\\n is no line",
  "*** End Patch",
  "@@ x",
  "+plus",
  "-minus",
];
const unusual = [
  "TODO: später",
  "naïve café",
  "漢字かな",
  "👩‍👩‍👧 family",
  "\u2028 separator \x0c",
  "İstanbul ıI",
  "ﬀ ligature",
  "e\u0301 combining",
];
/** The lines of the texts of a sequence. */
let lines = plain;
const names = [
  "a.txt",
  "b.py",
  "src/main.py",
  "src/util.js",
  "src/deep/er/x.ts",
  "docs/read me.md",
  "docs/ünï.txt",
  ".hidden",
  ".git/config",
  "src/.env",
  "empty.txt",
  "[x].txt",
  "Ω.md",
  "a",
];
const wrongNames = ["missing.txt", "no/where.txt", "a.txt/below", "src", "", ".", "docs/", "src//main.py", "./b.py"];

/** Random calls of one tool, or of all: `{ files, calls }`, with the files as texts or bytes. */
export function sequence(seed, root, tool) {
  const random = randomFrom(seed);
  // The SDK guesses the encoding of texts with many different scripts wrong.
  lines = random.chance(0.3) ? [...plain, ...unusual] : [...plain, ...plain, random.of(unusual)];
  const files = Object.fromEntries(names.filter(() => random.chance(0.6)).map((name) => [name, content(random)]));
  // A file cannot have the name of a directory.
  delete files[random.of(["a.txt", "b.py"])];
  const contents = { ...files };
  const known = Object.keys(files);
  const arguments_ = {
    file_editor: () => editing(random, root, known, contents),
    task_tracker: () => tasks(random),
    grep: () => grepping(random, root),
    glob: () => globbing(random, root),
    list_directory: () => listing(random, root),
    apply_patch: () => ({ patch: patch(random, files) }),
  };
  const calls = Array.from({ length: random.between(4, 12) }, () => {
    const name = tool && random.chance(0.9) ? tool : random.of(Object.keys(arguments_));
    return [name, arguments_[name]()];
  });
  return { files, calls };
}

function content(random) {
  if (random.chance(0.1)) return "";
  const end = random.of(["\n", "\n", "\n", "\r\n", "\r"]);
  const count = random.chance(0.05) ? random.between(300, 1500) : random.between(1, 14);
  const text = Array.from({ length: count }, () => random.of(lines)).join(end);
  return random.chance(0.75) ? text + end : text;
}

/** One to three lines of a text, perhaps with changed spaces. */
function part(random, text) {
  const all = (text ?? "").replace(/\r\n?/g, "\n").split("\n");
  const from = random.between(0, all.length - 1);
  const taken = all.slice(from, from + random.between(1, 3)).join("\n");
  if (random.chance(0.1)) return `  ${taken}\n`;
  return random.chance(0.15) ? random.of(lines) : taken;
}

function editing(random, root, known, files) {
  const name = known.length > 0 && random.chance(0.8) ? random.of(known) : random.of([...names, ...wrongNames]);
  const path = random.chance(0.06)
    ? random.of([name, `~/${name}`, `${root}/./${name}`, `${root}//${name}`, root, "relative.txt"])
    : `${root}/${name}`;
  switch (random.of(["view", "view", "create", "str_replace", "str_replace", "str_replace", "insert", "insert", "undo_edit"])) {
    case "view":
      return {
        command: "view",
        path,
        ...(random.chance(0.5) && {
          view_range: random.of([[1, 3], [2, -1], [1, 5000], [3, 2], [0, 1], [5, 9], [1], [9999, -1], [2, -5], []]),
        }),
      };
    case "create": {
      const file_text = content(random);
      if (random.chance(0.05)) return { command: "create", path: `${root}/new.txt` };
      const fresh =
        path.startsWith("~") || random.chance(0.7) ? `${root}/${random.of(["new.txt", "src/new.py", "docs/n.md", "new2.txt"])}` : path;
      known.push(fresh.slice(root.length + 1));
      files[fresh.slice(root.length + 1)] ??= "";
      return { command: "create", path: fresh, file_text };
    }
    case "str_replace": {
      const old_str = part(random, asText(files[name]));
      const new_str = random.chance(0.1) ? old_str : random.chance(0.2) ? "" : content(random);
      return { command: "str_replace", path, ...(random.chance(0.97) && { old_str }), ...(random.chance(0.97) && { new_str }) };
    }
    case "insert":
      return {
        command: "insert",
        path,
        ...(random.chance(0.97) && { insert_line: random.of([0, 1, 2, 3, 5, 14, 999]) }),
        ...(random.chance(0.97) && { new_str: content(random) }),
      };
    default:
      return { command: "undo_edit", path };
  }
}

function asText(content) {
  return typeof content === "string" ? content : "";
}

function tasks(random) {
  if (random.chance(0.4)) return random.of([{ command: "view" }, {}]);
  const one = () => ({
    title: random.of(lines),
    ...(random.chance(0.5) && { notes: random.of(lines) }),
    ...(random.chance(0.7) && { status: random.of(["todo", "in_progress", "done"]) }),
  });
  return { command: "plan", ...(random.chance(0.95) && { task_list: Array.from({ length: random.between(0, 4) }, one) }) };
}

const patterns = [
  "import",
  "RETURN",
  "x = \\d",
  "(a|b)\\.txt",
  "def\\s+\\w+",
  "(?m)^end$",
  "[äöü]",
  "café",
  "\\bpass\\b",
  "ıI",
  "istanbul",
  "ﬀ",
  "(?P<n>a)",
  "\\.b\\*c",
  "nothing at all",
  "TODO.*er",
  "(?i)CLASS",
  "\\S+\\(",
  "漢.か",
  "[^\\x00-\\x7f]{3}",
  "(?s)import.*end",
  "x{1,2} =",
  "(?:re)?turn",
  "\\}\\s\\{",
  "e\u0301",
  "👩",
  "(?m)^\\s+pass",
  "a|",
  "",
];
const wrongPatterns = ["(", "[a", "*a", "(?P<n>", "a)", "\\", "a**"];

function directory(random, root) {
  return random.of([`${root}/src`, `${root}/docs/`, `${root}/nope`, root, `${root}/src/deep/..`, `${root}/a.txt`, `${root}/.git`]);
}

function grepping(random, root) {
  const include = random.of([
    "*.py",
    "*.txt",
    "*",
    ".*",
    "[!a]*",
    "?.txt",
    "*.M?",
    "[x].txt",
    "[[]x].txt",
    "Ω*",
    "[a-z]*",
    "[]a]*",
    "[a",
    "*.*.*",
  ]);
  return {
    pattern: random.chance(0.05) ? random.of(wrongPatterns) : random.of(patterns),
    ...(random.chance(0.3) && { path: directory(random, root) }),
    ...(random.chance(0.4) && { include }),
  };
}

function globbing(random, root) {
  const pattern = random.of([
    "*.py",
    "**/*.txt",
    "src/**/*.ts",
    "src/*",
    "**",
    "**/*",
    "*",
    ".*",
    "**/.*",
    ".git/*",
    "**/deep/**",
    "src/**",
    "?",
    "[ab].*",
    "[!a]*",
    "*.{py,js",
    "docs/read me.md",
    "a.txt",
    "src/",
    "**/src/*.py",
    "*/*/*",
    "Ω*",
    "[[]x].txt",
    "[x].txt",
    "",
    "ü*",
    "ünï.*",
    "**.py",
    "s*c/**/x.*",
    `${root}/*.txt`,
    `${root}/src/**/*.ts`,
    `${root}/nope/*.x`,
    `${root}/src`,
    `${root}/a.txt`,
    `${root}/**/*.py`,
    "docs//*.md",
    "./*.py",
  ]);
  return { pattern, ...(random.chance(0.3) && { path: directory(random, root) }) };
}

function listing(random, root) {
  return {
    ...(random.chance(0.8) && {
      dir_path: random.of([".", "src", root, `${root}/src`, `${root}/a.txt`, `${root}//docs/.`, "docs/", "nope", "src/deep"]),
    }),
    ...(random.chance(0.4) && { recursive: random.chance(0.8) }),
  };
}

/** A patch that fits the files more or less. */
function patch(random, files) {
  const names = Object.keys(files);
  const parts = Array.from({ length: random.between(1, 3) }, () => {
    const name = names.length > 0 && random.chance(0.93) ? random.of(names) : "missing.txt";
    const kind = random.of(["update", "update", "update", "update", "add", "delete"]);
    if (kind === "delete") return [`*** Delete File: ${name}`];
    if (kind === "add")
      return [
        `*** Add File: ${random.of(["added.txt", "src/more/added.py", name])}`,
        ...content(random)
          .split(/\r\n?|\n/)
          .map((line) => (random.chance(0.98) ? `+${line}` : line)),
      ];
    const move = random.chance(0.15) ? [`*** Move to: ${random.of(["moved.txt", "docs/moved.md", "/abs.txt", "../out.txt"])}`] : [];
    return [`*** Update File: ${name}`, ...move, ...hunks(random, asText(files[name]))];
  });
  const body = parts.flat();
  if (random.chance(0.04))
    body.splice(
      random.between(0, body.length),
      0,
      random.of(["", "*** Strange", "***", "@@", "garbage", "*** End Patch", "*** End of File"]),
    );
  const text = ["*** Begin Patch", ...body, "*** End Patch"].join("\n");
  return random.chance(0.04) ? random.of([text.slice(0, -3), ` ${text}`, `${text}\n\n`, text.replace("*** Begin", "** Begin"), ""]) : text;
}

function hunks(random, text) {
  const all = text.replace(/\r\n?/g, "\n").split("\n");
  const result = [];
  let at = 0;
  for (let count = random.between(1, 3); count > 0; count -= 1) {
    const from = Math.min(all.length, at + random.between(0, 4));
    const kept = all.slice(from, from + random.between(0, 3));
    const removed = all.slice(from + kept.length, from + kept.length + random.between(0, 2));
    const after = all.slice(from + kept.length + removed.length, from + kept.length + removed.length + random.between(0, 3));
    const heading = random.chance(0.4) && from > 0 ? `@@ ${random.chance(0.8) ? all[from - 1] : ` ${all[from - 1]} `}` : "@@";
    if (result.length > 0 || random.chance(0.8)) result.push(heading);
    const context = (line) =>
      random.chance(0.05) ? ` ${line}  ` : random.chance(0.03) ? `   ${line}` : line === "" && random.chance(0.5) ? "" : ` ${line}`;
    result.push(...kept.map(context), ...removed.map((line) => `-${line}`));
    if (random.chance(0.8)) result.push(`+${random.of(lines)}`);
    result.push(...after.map(context));
    at = from + kept.length + removed.length + after.length;
    if (random.chance(0.1)) result.push("*** End of File");
  }
  return result;
}
