// Python's regular expressions, translated to JavaScript. The SDK is asked about the same ones in tests/interop.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromSource } from "../support/bundled.mjs";
import { spellings } from "./spellings.mjs";

const { UnreadablePattern, foldDotted, pythonRegExp } = await fromSource("python-regex/translate.ts");

for (const [pattern, found, notFound] of spellings) {
  test(`python: ${pattern}`, () => {
    const translated = pythonRegExp(pattern);
    for (const text of found) assert.ok(translated.test(foldDotted(text)), `${JSON.stringify(text)} by ${translated}`);
    for (const text of notFound) assert.ok(!translated.test(foldDotted(text)), `${JSON.stringify(text)} by ${translated}`);
  });
}

test("a pattern that JavaScript cannot express is an error with a reason", () => {
  const unreadable = [
    "a++",
    "a{2}+",
    "(?>a)",
    "(?(1)a|b)",
    "(?-i:a)",
    "\\N{BULLET}",
    "a(?i)",
    "(",
    "[a",
    "a**",
    "\\q",
    "(?P=n)",
    "\\",
    "(?P<n>a)(?P<n>b)",
    "[b-a]",
    "(?<n>a)",
  ];
  for (const pattern of unreadable) assert.throws(() => pythonRegExp(pattern), UnreadablePattern, pattern);
});
