// The words of texts and queries, in many languages, and the places that are shown.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../support/bundled.mjs";
import { randomFrom } from "../support/random.mjs";

const { eachWord, queryOf } = await fromSource("search/words.ts");
const { textsOf } = await fromSource("search/event-texts.ts");
const { placeIn } = await fromSource("search/excerpt.ts");

const wordsOf = (text) => {
  const words = [];
  eachWord(text, (word) => words.push(word));
  return words;
};
/** The excerpt with the found words in brackets; `undefined` if the text is no hit. */
const found = (query, ...texts) => {
  const place = placeIn(
    texts.map((text, i) => ({ path: [i], text })),
    queryOf(query),
  );
  if (!place) return undefined;
  let [shown, at] = ["", 0];
  for (const [start, end] of place.ranges) {
    shown += `${place.excerpt.slice(at, start)}[${place.excerpt.slice(start, end)}]`;
    at = end;
  }
  return shown + place.excerpt.slice(at);
};

test("words are runs of letters and digits, without case and accents", () => {
  assert.deepEqual(wordsOf("Crème BRÛLÉE, 2 × schön; don't foo_bar.baz"), "creme brulee 2 schon don t foo bar baz".split(" "));
  assert.deepEqual(wordsOf("Ελλάδα Ёлка ﬁn ２"), ["ελλαδα", "елка", "fin", "2"]);
  assert.deepEqual(wordsOf("हिन्दी العربية"), ["हिन्दी", "العربية"]);
  assert.deepEqual(wordsOf("…—🎉"), []);
});

test("scripts without spaces have pairs of letters, also between other letters", () => {
  assert.deepEqual(wordsOf("東京都"), ["東京", "京都"]);
  assert.deepEqual(wordsOf("我"), ["我"]);
  assert.deepEqual(wordsOf("iPhone15を買う"), ["iphone15", "を買", "買う"]);
  assert.deepEqual(wordsOf("한국어"), ["한국", "국어"]);
  assert.deepEqual(wordsOf("𠮷野家"), ["𠮷野", "野家"]);
  assert.ok(wordsOf("สวัสดี").length > 1);
});

test("data is not taken for words", () => {
  assert.deepEqual(wordsOf(`a ${"QUJD".repeat(100)} b`), ["a", "b"]);
});

test("each word says where it is in the text", () => {
  const { next: random } = randomFrom(7);
  const letters = ["a", "É", "é", "東", "京", "𠮷", "한", "ก", "ำ", "1", " ", "_", "ﬁ", "ß", "İ", "-"];
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: 20 }, () => letters[Math.floor(random() * letters.length)]).join("");
    let last = 0;
    eachWord(text, (word, start, end) => {
      assert.ok(start >= 0 && start < end && end <= text.length, text);
      assert.ok(start >= last, `${text}: in order`);
      last = start;
      assert.deepEqual(wordsOf(text.slice(start, end)), [word], `${JSON.stringify(text)} at ${start}`);
    });
  }
});

test("all words of the query have to be there, in any order, and the beginning of a word is enough", () => {
  assert.equal(found("brow fox", "The quick brown Fox"), "The quick [brown] [Fox]");
  assert.equal(found("fox wolf", "The quick brown fox"), undefined);
  assert.equal(found("rown", "The quick brown fox"), undefined);
  assert.equal(found("fox brown", "a fox", "something brown"), "a [fox]", "in several texts of one event");
  assert.equal(found("creme", "Crème"), "[Crème]");
  assert.equal(found("CRÈME", "creme"), "[creme]");
});

test("a single letter is a word of its own", () => {
  assert.equal(found("c", "in C and css"), "in [C] and css");
  assert.equal(found("c", "css"), undefined);
  assert.equal(found("c css", "css"), undefined);
});

test("letters of scripts without spaces have to be there as they are", () => {
  assert.equal(found("東京都", "私は東京都に住む"), "私は[東京都]に住む");
  assert.equal(found("東京都", "東京と京都"), undefined, "both pairs, but not the run");
  assert.equal(found("京", "東京 京都"), "東京 [京都]", "a single letter begins a pair");
});

test("an excerpt is one line around the first place, and never cuts a character", () => {
  const text = `${"before ".repeat(50)}\n\tneedle\n${"behind 🎉 ".repeat(50)}`;
  const excerpt = found("needle", text);
  assert.match(excerpt, /^…(before )+ {2}\[needle\] (behind 🎉 )+(behind|🎉)?…$/u);
  assert.ok(excerpt.length < 250, excerpt);
  assert.match(found("needle", `needle${"🎉".repeat(300)}`), /^\[needle\](🎉)+…$/u);
  assert.match(found("東京", `${"𠮷".repeat(100)}東京`), /^…(𠮷)+\[(𠮷)?東京\]$/u);
});

test("the texts of an event are those that its reader sees, and damaged ones are none", () => {
  const paths = (event) => textsOf(event).map(({ path }) => path.join("."));
  const texts = [{ type: "text", text: "x" }];
  const message = {
    kind: "MessageEvent",
    llm_message: { content: [{ type: "image" }, ...texts] },
    extended_content: texts,
    reasoning_content: "y",
  };
  assert.deepEqual(paths(message), ["llm_message.content.1.text"]);
  const action = { kind: "FileEditorAction", command: "create", lines: ["a", { b: "c" }], count: 1 };
  assert.deepEqual(paths({ kind: "ActionEvent", thought: texts, summary: "s", action, tool_name: "t" }), [
    "thought.0.text",
    "summary",
    "action.command",
    "action.lines.0",
    "action.lines.1.b",
  ]);
  const observation = { content: texts };
  assert.deepEqual(paths({ kind: "ObservationEvent", tool_name: "terminal", observation }), ["observation.content.0.text"]);
  assert.deepEqual(paths({ kind: "ObservationEvent", tool_name: "finish", observation }), [], "its call has the text");
  assert.deepEqual(paths({ kind: "AgentErrorEvent", error: "e" }), ["error"]);
  assert.deepEqual(paths({ kind: "SystemPromptEvent", system_prompt: texts[0] }), []);
  for (const damaged of [
    null,
    1,
    "x",
    [],
    {},
    { kind: "MessageEvent", llm_message: 3 },
    { kind: "ActionEvent", thought: {}, action: null },
  ])
    assert.deepEqual(paths(damaged), []);
});
