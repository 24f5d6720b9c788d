// Answers as models write them, each with much of something: what a chat has to show well, in every theme and at every width.

const fence = (language, code) => `\`\`\`${language}\n${code.trim()}\n\`\`\``;
const times = (count, body) => Array.from({ length: count }, (_, index) => body(index + 1)).join("\n");

const snippets = {
  ts: `
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const bytes of stream as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\\r?\\n/); // the last one may go on
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}`,
  python: `
from dataclasses import dataclass, field

@dataclass(frozen=True)
class Order:
    """An order, which never changes once it is made."""
    customer_id: int
    line_items: list[tuple[str, int]] = field(default_factory=list)

    def total_in_cents(self, prices: dict[str, int]) -> int:
        return sum(prices[name] * count for name, count in self.line_items)
${times(12, (n) => `monthly_total_${n} = sum_of_orders(first_day_of_month_${n}, last_day_of_month_${n}, include_open_orders=${n % 2 ? "True" : "False"})`)}
print(f"{Order(1).total_in_cents({})!r:>10}")`,
  rust: `
impl<'a, T: Ord + ?Sized> Heap<'a, T> {
    /// Takes the smallest item, if there is one.
    pub fn pop(&mut self) -> Option<&'a T> {
        let last = self.items.len().checked_sub(1)?;
        self.items.swap(0, last);
        let item = self.items.pop();
        self.sink(0);
        item
    }
}`,
  go: `
func (p *Pool) Run(ctx context.Context, jobs <-chan Job) error {
	group, ctx := errgroup.WithContext(ctx)
	for range p.size {
		group.Go(func() error {
			for job := range jobs {
				if err := job.Do(ctx); err != nil {
					return fmt.Errorf("job %q: %w", job.Name, err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}`,
  java: `
public record Interval(Instant from, Instant to) implements Comparable<Interval> {
    public Interval {
        if (from.isAfter(to)) throw new IllegalArgumentException("%s is after %s".formatted(from, to));
    }

    @Override
    public int compareTo(Interval other) {
        return Comparator.comparing(Interval::from).thenComparing(Interval::to).compare(this, other);
    }
}`,
  cpp: `
template <std::ranges::forward_range Range, typename Value>
[[nodiscard]] constexpr auto lower_bound_of(Range&& range, const Value& value) -> std::ranges::borrowed_iterator_t<Range> {
  return std::ranges::lower_bound(std::forward<Range>(range), value, std::ranges::less{}); // O(log n)
}`,
  sql: `
WITH monthly AS (
  SELECT customer_id, date_trunc('month', created_at) AS month, sum(total_cents) AS cents
  FROM orders WHERE status <> 'cancelled' GROUP BY 1, 2
)
SELECT month, count(*) AS customers, percentile_cont(0.5) WITHIN GROUP (ORDER BY cents) AS median
FROM monthly GROUP BY month HAVING count(*) > 10 ORDER BY month DESC LIMIT 12;`,
  bash: `
set -euo pipefail
for file in "\${1:-.}"/*.log; do
  # The longest lines first.
  awk '{ print length($0) "\\t" FILENAME ":" FNR }' "$file" | sort -rn | head -n 3
done | tee /tmp/longest.txt && echo "done: $(wc -l < /tmp/longest.txt)"`,
  html: `
<table class="prices">
  <thead><tr><th scope="col">Product</th><th scope="col">Price</th></tr></thead>
  <tbody>
${times(45, (n) => `    <tr><td><a href="/products/${n}">Product <b>${n}</b></a></td><td data-cents="${n * 99}">${(n * 0.99).toFixed(2)} €</td></tr>`)}
  </tbody>
</table>`,
  css: `
@container card (width > 30rem) {
  .card:has(> img):not(.plain) { grid-template: "image text" auto / minmax(8rem, 1fr) 2fr; gap: clamp(0.5rem, 2cqi, 1.5rem); }
}`,
  json: `{ "name": "example", "version": "1.2.3", "scripts": { "test": "node --test" }, "files": ["dist/**/*.js"], "count": 1.5e3, "private": true, "license": null }`,
  yaml: `
on:
  push: { branches: [main] }
jobs:
  test:
    runs-on: \${{ matrix.os }}
    strategy: { matrix: { os: [ubuntu-latest, macos-latest] } }
    steps:
      - run: npm ci && npm test # all of it`,
};

const difference = `
--- a/src/loop.ts
+++ b/src/loop.ts
@@ -12,9 +12,11 @@ export async function loop(agent: Agent) {
   while (!agent.isDone) {
-    const answer = await agent.ask();
-    if (answer.calls.length === 0) break;
+    const answer = await agent.ask({ signal });
+    if (answer.calls.length === 0) return answer;
     for (const call of answer.calls) {
-      await run(call);
+      // One after the other: the next has to see what this one has changed, and this comment is longer than any phone is wide.
+      await run(call, { signal });
     }
   }`;

const columns = ["Region", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Total"];
const wideTable = [
  `| ${columns.join(" | ")} |`,
  `|:--|${"--:|".repeat(11)}`,
  ...["North America", "Latin America", "Europe, Middle East and Africa", "Asia Pacific"].map(
    (region, row) =>
      `| ${region} | ${Array.from({ length: 11 }, (_, month) => ((row + 2) * (month + 3) * 12_345).toLocaleString("en")).join(" | ")} |`,
  ),
].join("\n");

/** The answers by their topics. */
export const realAnswers = {
  code: `Here is the same idea in several languages.\n\n${Object.entries(snippets)
    .filter(([language]) => !["html", "python"].includes(language))
    .map(([language, code]) => `**${language}**\n\n${fence(language, code)}`)
    .join("\n\n")}`,
  "long code": `A table of 45 rows, and many_names_with_underscores:\n\n${fence("html", snippets.html)}\n\nThen call \`sum_of_orders()\` for each month:\n\n${fence("python", snippets.python)}\n\nThat is **all**.`,
  diff: `Two lines change:\n\n${fence("diff", difference)}\n\nRun \`npm test -- --all\` afterwards; \`src/loop.ts\` has no other callers.`,
  tables: `The figures by region:\n\n${wideTable}\n\nAnd what they mean:\n\n| Option | What it does | When |\n|---|---|---|\n| \`replay: "ask"\` | Asks before a call that may have run already is made a second time, which costs a click and saves a payment | payments, mails |\n| \`replay: "always"\` | Makes it again | reading |\n\nA table without words: \n\n| | |\n|-|-|\n| 1 | 2 |`,
  lists: `1. Install it
   1. with npm:

      ${fence("sh", "npm install threadkeep").replaceAll("\n", "\n      ")}

   2. or copy \`dist/\`
      - the modules
        - those of the entries
          - and the parts that they load
            - one level more, whose words go on for so long that they need a second line on a screen, and four on a phone
2. Make an agent
   - [x] a model
   - [ ] tools
     > A tool is a function with a schema.
     >
     > 1. It gets arguments.
     > 2. It returns a text.

9. Nine

10. Ten, in a list with gaps
    with a second line

* * *

Term
: not a list of terms, but text

- A very long word: ${"unbreakable".repeat(12)}
- A long address: https://example.com/${"path/".repeat(20)}?query=${"x".repeat(60)}`,
  "right to left": `# ملخص

هذا نص **عربي** من اليمين إلى اليسار، فيه \`code()\` وكلمة English ورقم 1,234.56.

- العنصر الأول
- العنصر الثاني
  1. واحد
  2. اثنان

> اقتباس قصير.

| الاسم | العدد | ملاحظة |
|---|--:|---|
| تفاح | 12 | أحمر |
| موز | 7 | أصفر |

${fence("js", 'const greeting = "مرحبا"; // تحية')}

שלום, זה טקסט **בעברית** עם \`code()\` באמצע.

And an English paragraph after it, with مرحبا in it.`,
  "Chinese, Japanese, Korean": `## 概要

这是一段**中文**文字，用来检查换行和标点。代码如 \`run()\` 夹在中间，数字 12,345 也是。${"很长的一段话没有空格，所以必须在字与字之间换行。".repeat(4)}

これは**日本語**の文章です。行の折り返しと句読点（「」、。）を確認します。${"長い文でも、正しい位置で改行されます。".repeat(3)}

이것은 **한국어** 문장입니다. 줄바꿈과 \`코드\`를 확인합니다.

| 语言 | 言語 | 언어 |
|---|---|---|
| 中文 | 中国語 | 중국어 |
| 日文 | 日本語 | 일본어 |

1. 第一步
2. 第二步 — 続く`,
  formulas: `The sum $\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}$ is shown in a line, and this one alone:

$$\\hat{f}(\\xi) = \\int_{-\\infty}^{\\infty} f(x)\\, e^{-2\\pi i x \\xi}\\, dx$$

A matrix and cases:

\\[ A = \\begin{pmatrix} a_{11} & a_{12} & \\cdots & a_{1n} \\\\ a_{21} & a_{22} & \\cdots & a_{2n} \\\\ \\vdots & & \\ddots & \\vdots \\\\ a_{m1} & a_{m2} & \\cdots & a_{mn} \\end{pmatrix}, \\qquad |x| = \\begin{cases} x & x \\ge 0 \\\\ -x & x < 0 \\end{cases} \\]

A long one, which is wider than a phone:

$$(a+b)^{10} = a^{10} + 10a^9b + 45a^8b^2 + 120a^7b^3 + 210a^6b^4 + 252a^5b^5 + 210a^4b^6 + 120a^3b^7 + 45a^2b^8 + 10ab^9 + b^{10}$$

| symbol | meaning |
|---|---|
| $\\lambda$ | wavelength, $\\lambda = c / \\nu$ |
| $\\mathbb{R}^n$ | a space |

It costs $5, or $10 with $x^2$ in it. A broken one: $\\frac{1}{$ stays readable.`,
  everything: `# The largest heading
## The second
### The third
#### The fourth
##### The fifth
###### The sixth

A paragraph with **bold**, *italic*, ***both***, ~~gone~~, \`code\`, H<sub>2</sub>O, x<sup>2</sup>, <kbd>Ctrl</kbd>+<kbd>C</kbd>, [a link](https://example.com), https://example.com/bare and a line  
break.

> A quote, whose words go on for a while so that they need more than one line on a phone.
>
> > And one inside it, with \`code\`.

<details><summary>More to read</summary>

Hidden at first, with **bold**.

</details>

---

![A picture from elsewhere](https://example.com/picture.png)

${fence("", "no language, and a line that is far too long for any phone: " + "0123456789 ".repeat(20))}

${fence("mermaid", "graph TD\n  A[Start] --> B{Is it?}\n  B -->|yes| C[End]")}

A footnote[^1], snake_case_words_that_stay, 2 * 3 * 4, a < b > c, AT&T, 100 %.

[^1]: The note.`,
};
