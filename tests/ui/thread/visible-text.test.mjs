// What hides something in a text is shown by its number; what belongs to a script or an emoji is not touched.
import assert from "node:assert/strict";
import { test } from "node:test";
import { visibleText } from "../../../dist/thread.js";
import { processorTime } from "../../support/processor-time.mjs";

test("a character that is not seen, or that turns the text around, is shown by its number", () => {
  const rows = [
    ["Ann\u202etotally safe\u202c", "Ann⟨U+202E⟩totally safe⟨U+202C⟩"],
    ["a\u2066b\u2069\u061c\u200e\u200f", "a⟨U+2066⟩b⟨U+2069⟩⟨U+061C⟩⟨U+200E⟩⟨U+200F⟩"],
    ["pay\u200bpal\ufeff\u00ad\u2060\u034f", "pay⟨U+200B⟩pal⟨U+FEFF⟩⟨U+00AD⟩⟨U+2060⟩⟨U+034F⟩"],
    ["rm\u3164\u115f\uffa0\u2800-rf", "rm⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩⟨U+2800⟩-rf"],
    ["tags \u{e0041}\u{e0042}", "tags ⟨U+E0041⟩⟨U+E0042⟩"],
    ["\0\x1b[2K\x7f\x9b\u2028\u2029", "⟨U+0000⟩⟨U+001B⟩[2K⟨U+007F⟩⟨U+009B⟩⟨U+2028⟩⟨U+2029⟩"],
    ["over\rwritten\r\nnext", "over⟨U+000D⟩written\nnext"],
    ["half \ud83d", "half ⟨U+D83D⟩"],
    ["a\ufe0f\u200db", "a⟨U+FE0F⟩⟨U+200D⟩b"],
  ];
  for (const [text, shown] of rows) assert.equal(visibleText(text), shown);
});

test("spaces and empty lines do not push anything out of sight", () => {
  assert.equal(visibleText(`ls${" ".repeat(300)}; rm -rf /`), "ls⟨U+0020 × 300⟩; rm -rf /");
  assert.equal(visibleText(`a${"\n \t".repeat(400)}\nb`), "a\n⟨U+000A × 401⟩\nb");
  assert.equal(visibleText(`\u00a0${"\u3000".repeat(99)}x`), "⟨U+00A0 × 100⟩x");
  assert.equal(visibleText("if x:\n\n\n    pass\n\tend  # two  spaces"), "if x:\n\n\n    pass\n\tend  # two  spaces");
});

test("texts of all scripts and emoji stay as they are", () => {
  for (const text of ["می‌خواهم", "क्‍ष", "👩‍💻 👨‍👩‍👧‍👦 ❤️ 1️⃣ 👍🏽 🏳️‍🌈", "שלום עולם", "e\u0301", "日本語", "tab\tand\nline"])
    assert.equal(visibleText(text), text);
});

test("a megabyte of anything takes no time", () => {
  for (const piece of [" ", "\n", " \n", "\u200d", "👩\u200d", "1\ufe0f", "\u202e", "a "]) {
    const before = processorTime();
    visibleText(piece.repeat(Math.ceil((1 << 20) / piece.length)));
    assert.ok(processorTime() - before < 10_000, JSON.stringify(piece));
  }
});
