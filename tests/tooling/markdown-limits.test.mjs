// The Markdown that the demo gives to its parser, and the text that it shows unparsed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "../../scripts/process.mjs";
import { MARKDOWN_SAMPLE, longAnswer } from "../../scripts/scripted-model/texts.mjs";
import { fromSource } from "../support/bundled.mjs";
import { randomFrom } from "../support/random.mjs";
import { processorTime } from "../support/processor-time.mjs";

const { Limits } = await fromSource("ui/chat/markdown/limits.ts");
const { blocksOf, marked } = await fromSource("ui/chat/markdown/parser.ts");
const isTooMuch = (text) => new Limits().isTooMuch(text);

test("texts that hang the parser or overflow its stack are not given to it", () => {
  const nested = (lines) => Array.from({ length: lines }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join("");
  for (const text of [
    "> ".repeat(5000),
    "- ".repeat(3000),
    "1. ".repeat(3000),
    nested(60),
    nested(2000),
    "- a\n".repeat(4000),
    "a\n\n".repeat(30_000),
    "x".repeat(4_000_000),
  ]) {
    assert.equal(isTooMuch(text), true, `${text.slice(0, 20)}… of ${text.length} characters`);
  }
});

test("a paragraph or a cell with too many marks stays as it is, and nothing around it does", () => {
  for (const unit of ["*a_", "[a](", "~~a"]) {
    const many = unit.repeat(301);
    assert.equal(isTooMuch(many), false);
    assert.equal(
      marked.parser(blocksOf(`**a**\n\n${many}\n\n| ${many} | **b** |\n|-|-|\n\n# **c**`)).replaceAll("\n", ""),
      `<p><strong>a</strong></p><p>${many}</p>` +
        `<table><thead><tr><th>${many}</th><th><strong>b</strong></th></tr></thead></table><h1><strong>c</strong></h1>`,
    );
  }
});

test("no mark in code counts", () => {
  const rows = "<tr><td>a_b</td><td>[1]</td><td>**c**</td></tr>\n".repeat(45);
  const names = Array.from({ length: 450 }, (_, n) => `long_snake_case_${n} = other_name_${n} * factor_${n}\n`).join("");
  for (const code of [rows, names]) {
    const text = `**a**\n\n\`\`\`\n${code}\`\`\`\n\n**b**`;
    assert.equal(isTooMuch(text), false);
    const blocks = blocksOf(text).filter(({ type }) => type !== "space");
    assert.deepEqual([blocks.length, blocks[1].type, blocks[1].text], [3, "code", code.trimEnd()]);
    assert.equal(marked.parser([blocks[2]]), "<p><strong>b</strong></p>\n");
  }
});

test("ordinary text is rendered as Markdown", () => {
  const table = `| a | b | c |\n|---|---|---|\n${"| one | `two` | three |\n".repeat(100)}`;
  const list = Array.from(
    { length: 100 },
    (_, n) => `${n + 1}. **Point ${n}** with \`code\` and [a link](https://example.org), _really_.\n   - and more\n`,
  ).join("");
  const code = `\`\`\`\n${" ".repeat(120)}far to the right\n${"int **p = &a[0]; // x\n".repeat(60)}\`\`\`\n`;
  const files = ["README.md", "CONTRIBUTING.md", "docs/durability.md", "docs/errors.md", "docs/format.md"].map((file) =>
    readFileSync(path.join(root, file), "utf8"),
  );
  for (const text of [
    "",
    "Hello.",
    MARKDOWN_SAMPLE,
    longAnswer(200),
    table,
    list,
    code,
    "A paragraph of words.\n\n".repeat(500),
    ...files,
  ]) {
    assert.equal(isTooMuch(text), false, text.slice(0, 60));
  }
});

test("text within the limits is parsed without an error and in time", () => {
  const pieces = [
    "*a_",
    "**",
    "_a ",
    "~~a",
    "`a",
    "``a`",
    "[",
    "[a](",
    "![",
    "![a](b",
    "[a][",
    "<a ",
    "<!--",
    "|a",
    "\\",
    "&",
    "http://",
    "a@b.",
    "a_*b",
    "]",
    "[a](b) ",
    "- ",
    "> ",
    "1. ",
    "    ",
    "| a | b |\n",
    "- a\n",
    "  - a\n",
    "\t",
    "<div>\n",
    "```\n",
    "[a]: b\n",
    "a\n===\n",
    "- - - ",
    "a|b\n-|-\n",
    "\n",
    "\n\n",
    "a b ",
    "# a\n",
    "- a\n\n",
    "- a\n  b\n",
    "* a\n1. b\n",
    "$$\n",
    "<b>\n",
    "<details>\n",
    "- *a_\n",
    "| *a_",
    "~~~\n",
  ];
  const chance = randomFrom(7);
  for (let n = 0; n < 120; n++) {
    const unit = n < pieces.length ? pieces[n] : Array.from({ length: chance.between(1, 3) }, () => chance.of(pieces)).join("");
    // As much of it as passes.
    let [least, most] = [0, Math.ceil(110_000 / unit.length)];
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (isTooMuch(unit.repeat(middle))) most = middle - 1;
      else least = middle;
    }
    const begun = processorTime();
    marked.parser(blocksOf(unit.repeat(least)));
    // A twenty-fifth of that on a quiet machine; without limits it is minutes.
    assert.ok(processorTime() - begun < 5000, `${least} times ${JSON.stringify(unit)}`);
  }
});

test("a text that grows is counted as the same text at once", () => {
  for (const text of [
    "- a\n".repeat(500),
    `a\r\n\r\n${"*b ".repeat(290)}\n*c*`,
    "*a_".repeat(30_000),
    `${"x\n\n".repeat(2500)}y`,
    "> ".repeat(30),
  ]) {
    const limits = new Limits();
    for (let end = 0; end < text.length; end += 7) {
      const start = text.slice(0, end);
      assert.equal(limits.isTooMuch(start), isTooMuch(start), `${JSON.stringify(text.slice(0, 20))} up to ${end}`);
    }
    assert.equal(limits.isTooMuch("a"), false, "another text");
  }
});
