// Sequences of calls for limits and rare content, which random ones would not find: `{ name, files, calls }`.
// With `isChangedLater`, the results of 1.58.0 are others.

const image = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const numbered = (count, text) => Array.from({ length: count }, (_, index) => text(index)).join("\n");
const many = (count, nameOf) => Object.fromEntries(Array.from({ length: count }, (_, index) => [nameOf(index), `file ${index} alpha`]));

export function cases(root) {
  const edit = (command, path, more = {}) => ["file_editor", { command, path: `${root}/${path}`, ...more }];
  const replace = (path, old_str, new_str) => edit("str_replace", path, { old_str, new_str });
  const insert = (path, insert_line, new_str) => edit("insert", path, { insert_line, new_str });
  const view = (path, view_range) => edit("view", path, view_range && { view_range });
  const patched = (...lines) => ["apply_patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }];
  return [
    {
      name: "texts are clipped by code points",
      files: { "long.txt": numbered(3000, (index) => `😀 line ${index} of many`), "one.txt": "😀".repeat(16_001), "fits.txt": "😀".repeat(16_000), "ascii.txt": "x".repeat(16_001) },
      calls: [view("long.txt"), view("long.txt", [5, 2990]), view("one.txt"), view("fits.txt"), view("ascii.txt"), replace("ascii.txt", "x".repeat(16_001), "y".repeat(20_000)), insert("long.txt", 1500, "😀".repeat(17_000)), edit("undo_edit", "long.txt")],
    },
    { name: "a large directory is clipped", files: many(500, (index) => `${"long name ".repeat(8)}${index}.txt`), calls: [view(""), ["list_directory", {}], ["glob", { pattern: "*" }], ["grep", { pattern: "alpha" }]] },
    { name: "more entries than list_directory lists", files: { ...many(320, (index) => `a${index}`), ...many(320, (index) => `b/${index}`), ...many(3, (index) => `c/d/${index}`) }, calls: [["list_directory", {}], ["list_directory", { recursive: true }], ["list_directory", { dir_path: "c", recursive: true }]] },
    { name: "exactly 100 and 101 results", files: { ...many(100, (index) => `a/${index}.txt`), ...many(101, (index) => `b/${index}.md`) }, calls: [["glob", { pattern: "*.txt" }], ["glob", { pattern: "*.md" }], ["grep", { pattern: "ALPHA", include: "*.txt" }], ["grep", { pattern: "ALPHA", include: "*.md" }]] },
    {
      name: "ten edits can be undone",
      files: { "a.txt": "0\n" },
      calls: [...Array.from({ length: 12 }, (_, index) => replace("a.txt", `${index}\n`, `${index + 1}\n`)), ...Array.from({ length: 11 }, () => edit("undo_edit", "a.txt")), view("a.txt")],
    },
    { name: "undoing a creation writes the file again", files: {}, calls: [edit("create", "a.txt", { file_text: "one" }), edit("undo_edit", "a.txt"), edit("undo_edit", "a.txt"), edit("create", "b.txt", { file_text: "one" }), replace("b.txt", "one", "two"), edit("undo_edit", "b.txt"), edit("undo_edit", "b.txt")] },
    {
      name: "line ends",
      files: { "crlf.txt": "one\r\ntwo\r\nthree\r\n", "cr.txt": "one\rtwo\rthree", "mixed.txt": "one\r\ntwo\nthree\rfour\r\r\nfive", "open.txt": "one\ntwo" },
      calls: [view("crlf.txt"), replace("crlf.txt", "two\nthree", "2\r\n3\r"), view("crlf.txt"), edit("undo_edit", "crlf.txt"), view("cr.txt", [2, 3]), insert("cr.txt", 3, "four"), view("mixed.txt"), insert("mixed.txt", 2, "a\r\nb\rc"), view("mixed.txt", [1, -1]), insert("open.txt", 2, "joined"), insert("open.txt", 0, ""), view("open.txt")],
    },
    {
      name: "occurrences",
      files: { "a.txt": numbered(40, (index) => `line ${index % 7} aaa`), "empty.txt": "", "one.txt": "aaa", "space.txt": "  x  \n\tx\u00a0\n" },
      calls: [replace("a.txt", "aaa", "b"), replace("a.txt", "line 3", "b"), replace("a.txt", "", "b"), replace("a.txt", "  \n ", "b"), replace("empty.txt", "", "filled"), replace("one.txt", "a", "b"), replace("one.txt", "", "b"), replace("one.txt", "aa", "b"), replace("space.txt", " \u3000x\u3000 ", "y"), replace("space.txt", "\u2003x  \n\tx\x1f", "y"), replace("space.txt", "missing ", "y"), replace("empty.txt", "$&", "$1"), replace("one.txt", "ba", "$& $1 \\1"), replace("one.txt", "same", "same")],
    },
    { name: "content that is not text", isChangedLater: true, files: { "p.png": image, "P.JPG": image, "a.zip": "text", "nul.txt": "a\0b\nc\0\0\0", ".png": "text", "x.tar.gz": "text" }, calls: [view("p.png"), view("P.JPG"), view("a.zip"), view("nul.txt"), view(".png"), view("x.tar.gz"), replace("a.zip", "text", "more"), ["grep", { pattern: "a.b" }]] },
    { name: "a byte order mark stays", files: { "bom.txt": "\ufeffone\ntwo\n" }, calls: [view("bom.txt"), replace("bom.txt", "two", "zwei"), edit("undo_edit", "bom.txt"), patched("*** Update File: bom.txt", "@@", "-two", "+2")] },
    { name: "a file that is too large", files: { "big.txt": "x".repeat(10 * 1024 * 1024 + 1), "largest.txt": `${"y".repeat(1023)}\n`.repeat(10 * 1024) }, calls: [view("big.txt"), replace("big.txt", "x", "y"), view("largest.txt", [10_000, 10_001]), ["glob", { pattern: "*.txt" }]] },
    { name: "lists of tasks", files: {}, calls: [["task_tracker", {}], ["task_tracker", { command: "plan" }], ["task_tracker", { command: "plan", task_list: [{ title: "" }, { title: "ünï 漢 😀 \x7f \u2028", notes: "  a\nb  ", status: "in_progress" }, { title: "  ", notes: " ", status: "done" }] }], ["task_tracker", { command: "view" }], ["task_tracker", { command: "view", task_list: [{ title: "ignored" }] }], ["task_tracker", { command: "plan", task_list: [] }], ["task_tracker", { command: "view" }]] },
    {
      name: "patches that match inexactly",
      files: { "a.txt": "one  \n  two\nthree\nfour\nthree\nfive\n", "b.txt": "x\ny\nx\ny", "c.txt": "", "d.txt": "class A:\n    def f():\n        pass\nclass B:\n    def f():\n        pass\n" },
      calls: [
        patched("*** Update File: a.txt", "@@", " one", "-  two", "+2"),
        patched("*** Update File: a.txt", "@@", "-    three ", "+3", " four"),
        patched("*** Update File: a.txt", "@@", " three", "+more", "*** End of File"),
        patched("*** Update File: b.txt", "@@", " x", "-y", "+z", "*** End of File"),
        patched("*** Update File: b.txt", "@@", " x", "-y", "+w", "@@", " nothing", "+z"),
        patched("*** Update File: c.txt", "@@", "+first"),
        patched("*** Update File: c.txt", "@@", "+last", "*** End of File"),
        patched("*** Update File: d.txt", "@@ class B:", "     def f():", "-        pass", "+        return 1"),
        patched("*** Update File: d.txt", "@@   class B:  ", "@@     def f():", "+        # here"),
        patched("*** Update File: d.txt", "@@ class B:", "@@ nowhere", "+x"),
        patched("*** Update File: d.txt", "@@ ", "+x"),
        patched("*** Update File: d.txt", "@@ ", "@@", "+at the top"),
        patched("*** Update File: d.txt", "-class A:", "+class Z:", " ", "@@", "-    def f():", "+    def g():"),
        patched("*** Update File: d.txt", "*** Move to: e/d.txt", "@@", "-class A:", "+class AA:"),
        patched("*** Update File: b.txt", "*** Move to: e/b.txt"),
        patched("*** Update File: a.txt", "@@", "+x", "***", "+y"),
        patched("*** Update File: a.txt", "@@", "*** Strange"),
        patched("*** Update File: a.txt", "*** End of File"),
        patched("*** Update File: a.txt", "@@", "~x"),
        patched("*** Update File: a.txt", "@@", "😀"),
        patched("*** Update File: a.txt", "@@"),
        patched("*** Add File: new/a.txt", "+one", "+", "+two"),
        patched("*** Add File: new/b.txt"),
        patched("*** Add File: new/a.txt", "+over"),
        patched("*** Add File: new/c.txt", "one"),
        patched("*** Add File: a.txt", "+1", "*** Delete File: a.txt"),
        patched("*** Delete File: a.txt", "*** Delete File: a.txt"),
        patched("*** Update File: a.txt", "@@", "+1", "*** Update File: a.txt", "@@", "+2"),
        patched("*** Delete File: nope.txt"),
        patched("*** Delete File: "),
        patched("*** Add File: ../out.txt", "+x"),
        patched("*** Add File: /etc/out.txt", "+x"),
        patched(`*** Update File: ${root}/a.txt`, "@@", "-four", "+4"),
        patched(),
        ["apply_patch", { patch: "" }],
        ["apply_patch", { patch: "*** Begin Patch" }],
        ["apply_patch", { patch: "*** Begin Patch\n*** Add File: x\n+1" }],
        ["apply_patch", { patch: "*** Begin Patch of mine\n*** Add File: x\n+1\n*** End Patch\n\n \n" }],
        ["apply_patch", { patch: "*** Begin Patch\n*** Add File: y\n+1\n*** End Patch\n*** Add File: z\n+1\n*** End Patch" }],
      ],
    },
    {
      name: "paths",
      files: { ".env": "hidden", "a.txt": "a", "d/b.txt": "b", "d/e/f.txt": "f", "back\\slash.txt": "s" },
      calls: [view(""), view("."), view("d/"), view("./d//e/."), view("d/b.txt/"), view("d/b.txt/x"), view("nope"), view("d", [1, 2]), view("a.txt", [1]), view("a.txt", [1, 1, 1]), edit("create", "d", { file_text: "" }), edit("create", "n/o/p.txt", { file_text: "" }), edit("create", "a.txt/p.txt", { file_text: "" }), edit("create", "a.txt", {}), replace("d", "a", "b"), ["file_editor", { command: "view", path: "a.txt" }], ["file_editor", { command: "view", path: "" }], ["file_editor", { command: "view", path: "nope/x" }], ["file_editor", { command: "view", path: ` ${root}/a.txt` }], ["grep", { pattern: "a", path: "d" }], ["grep", { pattern: "a", path: "nope" }], ["glob", { pattern: "*", path: "d" }], ["grep", { pattern: "a", path: `${root}/d/../d/e/` }], ["glob", { pattern: `${root}/d/*/*.txt`, path: `${root}/d` }], ["glob", { pattern: `${root}/**/*.txt`, path: `${root}/d` }]],
    },
  ];
}
