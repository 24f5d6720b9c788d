// What becomes of Markdown: which text is markup, and that a text that grows becomes what it is at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { MARKDOWN_SAMPLE, longAnswer } from "../../../scripts/scripted-model/texts.mjs";
import { fromSource } from "../../support/bundled.mjs";
import { randomFrom } from "../../support/random.mjs";

const { marked } = await fromSource("ui/chat/markdown/parser.ts");
const { GrowingMarkdown } = await fromSource("ui/chat/markdown/blocks.ts");

const formula = (tex) => `<code class="language-math-inline">${tex}</code>`;

const cases = {
  "angle brackets that are no tags are text": {
    "List<String> and Map<K, V>": "List&lt;String&gt; and Map&lt;K, V&gt;",
    "Put it in <folder>.": "Put it in &lt;folder&gt;.",
    "vector<int> v; 1 <2> 3": "vector&lt;int&gt; v; 1 &lt;2&gt; 3",
    "<answer>42</answer>": "&lt;answer&gt;42&lt;/answer&gt;",
    "**Box<T>** and <dyn Any>": "<strong>Box&lt;T&gt;</strong> and &lt;dyn Any&gt;",
    "a < b && c > d": "a &lt; b &amp;&amp; c &gt; d",
    "<https://a.test> <a@b.test>": '<a href="https://a.test">https://a.test</a> <a href="mailto:a@b.test">a@b.test</a>',
  },
  "a tag that is not shown hides nothing that follows it": {
    "See\n<script>\nalert(1)\n**that**": "See\n&lt;script&gt;\nalert(1)\n<strong>that</strong>",
    "<style>\np { }\n</style>\nafter": "&lt;style&gt;\np { }\n&lt;/style&gt;\nafter",
    "<textarea>the rest": "&lt;textarea&gt;the rest",
    "<div>\n*a*": "&lt;div&gt;\n<em>a</em>",
    "<!-- a note --> text": "&lt;!-- a note --&gt; text",
    "<!-- open\ntext": "&lt;!-- open\ntext",
    "<iframe src=x></iframe> text": "&lt;iframe src=x&gt;&lt;/iframe&gt; text",
    "<?php echo 1; ?> text": "&lt;?php echo 1; ?&gt; text",
    "<![CDATA[ a ]]> text": "&lt;![CDATA[ a ]]&gt; text",
    "<!DOCTYPE html> text": "&lt;!DOCTYPE html&gt; text",
  },
  "tags that the chat shows are tags, with both their ends": {
    "a<br>b<BR/>c": "a<br>b<BR/>c",
    "H<sub>2</sub>O and <kbd>Ctrl</kbd>": "H<sub>2</sub>O and <kbd>Ctrl</kbd>",
    "set<b> of a </i>": "set&lt;b&gt; of a &lt;/i&gt;",
    "<b>a</b> </b>": "<b>a</b> &lt;/b&gt;",
    "Option<a> or <b>bold</b>": "Option&lt;a&gt; or <b>bold</b>",
  },
  "emphasis in Chinese, Japanese and Korean": {
    "**注意：**请": "<strong>注意：</strong>请",
    "请**“注意”**查收": "请<strong>“注意”</strong>查收",
    "**重要（important）**的": "<strong>重要（important）</strong>的",
    "これは**「強調」**です。": "これは<strong>「強調」</strong>です。",
    "**テスト。**テスト": "<strong>テスト。</strong>テスト",
    "**강조(emphasis)**입니다": "<strong>강조(emphasis)</strong>입니다",
    "*《书》*和**名。**": "<em>《书》</em>和<strong>名。</strong>",
    "**100%**的": "<strong>100%</strong>的",
    "中文**加粗**中文": "中文<strong>加粗</strong>中文",
    "这是 ** 不 ** 粗": "这是 ** 不 ** 粗",
    中_文_字: "中_文_字",
  },
  "emphasis elsewhere is as CommonMark has it": {
    "**“a”**b": "**“a”**b",
    "a**b**c": "a<strong>b</strong>c",
    "*a* __b__ ***c***": "<em>a</em> <strong>b</strong> <em><strong>c</strong></em>",
    "snake_case_name and 5 * 3 * 2": "snake_case_name and 5 * 3 * 2",
    "**a *b* c**": "<strong>a <em>b</em> c</strong>",
    'a*"b"*c': "a*&quot;b&quot;*c",
  },
  "one tilde strikes nothing out": {
    "costs ~5 to ~7": "costs ~5 to ~7",
    "10~20 and 30~40": "10~20 and 30~40",
    "in ~/a and ~/b": "in ~/a and ~/b",
    "~~gone~~ and ~~ not ~~": "<del>gone</del> and ~~ not ~~",
    "a ~b~ c": "a ~b~ c",
  },
  "a dollar before a name is no formula": {
    "$PATH:$HOME": "$PATH:$HOME",
    "${a}${b} and $A/$B": "${a}${b} and $A/$B",
    "$1,$2 and $3": "$1,$2 and $3",
    $_a$_b: "$_a$_b",
    "from $5 to $10": "from $5 to $10",
    "$x$, $y^2$是 ($z$)": `${formula("x")}, ${formula("y^2")}是 (${formula("z")})`,
    "\\(a\\)": formula("a"),
  },
  "tables, code and other scripts": {
    "`<b>` and `**a**`": "<code>&lt;b&gt;</code> and <code>**a**</code>",
    "שלום **עולם** مرحبا *بك*": "שלום <strong>עולם</strong> مرحبا <em>بك</em>",
    "**مرحبا،**أهلا": "**مرحبا،**أهلا",
    "הקובץ `a<b>.ts` וגם <תיקייה>": "הקובץ <code>a&lt;b&gt;.ts</code> וגם &lt;תיקייה&gt;",
    "٣ ~ ٥ و ~٧": "٣ ~ ٥ و ~٧",
  },
};

for (const [name, texts] of Object.entries(cases)) {
  test(name, () => {
    for (const [text, html] of Object.entries(texts)) assert.equal(marked.parse(text).trim(), `<p>${html}</p>`, text);
  });
}

test("a table keeps its cells and what is in them", () => {
  const html = marked.parse("| a<br>b | <T> |\n|--|--|\n| List<x> | **粗：**体 |");
  assert.deepEqual(
    [...html.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell),
    ["a<br>b", "&lt;T&gt;", "List&lt;x&gt;", "<strong>粗：</strong>体"],
  );
});

test("a cell keeps code with a bar, a price and a range, and a row that is too short has empty cells", () => {
  const html = marked.parse("| a | b |\n|:-:|--|\n| `x \\| y` | $5 ~ $10 |\n| $PATH:$HOME |\n| ~~a~~ | <dir> | more |");
  assert.deepEqual(
    [...html.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell),
    ["<code>x | y</code>", "$5 ~ $10", "$PATH:$HOME", "", "<del>a</del>", "&lt;dir&gt;"],
  );
});

test("long code is code to its end, whatever is in it", () => {
  const odd = ["<script>", "</div>", "List<T>", "$a$ ~b~ **c**", "``", "- x", "| a | b |", "# not a heading"];
  const lines = Array.from({ length: 300 }, (_, index) => odd[index % odd.length]);
  for (const fence of ["```", "~~~~", "`````"]) {
    const [block, after] = marked.lexer(`${fence}html\n${lines.join("\n")}\n${fence}\n\nafter`).filter(({ type }) => type !== "space");
    assert.deepEqual([block.type, block.lang, block.text, after.text], ["code", "html", lines.join("\n"), "after"], fence);
  }
  const growing = new GrowingMarkdown({ labels: {} });
  for (let end = 10; end <= lines.length; end += 10) {
    assert.equal(growing.blocks(`\`\`\`html\n${lines.slice(0, end).join("\n")}`).length, 1, "code without an end is one block");
  }
});

test("a block of HTML is one if all its tags are shown", () => {
  const shown = "<details>\n<summary>More</summary>\ntext\n</details>";
  assert.equal(marked.parse(shown).trim(), shown);
  assert.equal(marked.parse("<details>\n<script>x</script>\n</details>").includes("&lt;script&gt;"), true);
});

const keys = (growing, text) => growing.blocks(text).map(({ key }) => key);

test("a text that grows has the blocks that it has at once", () => {
  const chance = randomFrom(11);
  const pieces =
    "a|b c|\n|\n\n|- |1. |1|. |> |# |## |```|\n```\n|    |\t|**|*|_|[a]|[a]: b\n|(c)|| a | b |\n|-|-|\n|<b>|</b>|<details>|\n---\n|\n===\n|$$|\\[|中：|~~|\r\n".split(
      /(?<=.)\|(?! a)/s,
    );
  const texts = [
    MARKDOWN_SAMPLE,
    longAnswer(30),
    "- a\n\n1",
    "- a\n\n1. b",
    "See [a].\n\nAnd on.\n\nMore.\n\n[a]: https://a.test\n\nEnd.",
    "# Deep\n\n### a\n\ntext\n\nb\n===\n",
    "a\r\n\r\nb\r\n\r\nc\r\n\r\nd",
    "    a\n\n    b\n\n\n    c",
    ...Array.from({ length: 60 }, () => Array.from({ length: 40 }, () => chance.of(pieces)).join("")),
  ];
  for (const text of texts) {
    const growing = new GrowingMarkdown({ labels: {} });
    for (let end = 0; end <= text.length; end += chance.between(1, 7)) {
      const start = text.slice(0, end);
      assert.deepEqual(keys(growing, start), keys(new GrowingMarkdown({ labels: {} }), start), JSON.stringify(start));
    }
    assert.deepEqual(keys(growing, "Another text."), keys(new GrowingMarkdown({ labels: {} }), "Another text."));
  }
});

test("what a block depends on changes its key", () => {
  const growing = new GrowingMarkdown({ labels: {} });
  const text = "See [a].\n\n## One\n\nNo link.\n\nEnd.";
  const before = keys(growing, text);
  const after = keys(growing, `${text}\n\n[a]: https://a.test\n\n# Top`);
  const same = before.map((key, place) => key === after[place]);
  assert.deepEqual(same, [false, false, true, true], "the link, and the heading that is a lower one now");
});
