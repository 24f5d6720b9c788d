// The patterns of a JSON Schema: they find what `RegExp` finds with the flag `u`, in a limited number of steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { fromSource } from "../support/bundled.mjs";

const { SchemaPattern, UntriedPattern } = await fromSource("input/pattern.ts");

const patterns = [
  "",
  "^$",
  "^a+$",
  "a$|^b",
  "^(a+)+$",
  "^(?:[a-z]+\\.)*[a-z]{2,}$",
  "^\\d{4}-\\d{2}-\\d{2}$",
  "^[\\w.+-]+@[\\w-]+\\.[\\w.]+$",
  "^(?=.*[A-Z])(?=.*\\d).{8,}$",
  "^(?!.*\\.\\.)[^/]+$",
  "(?<=\\$)\\d+",
  "(?<!-)\\bword\\b",
  "x\\Bx",
  "\\B",
  "^\\p{Lu}\\p{Ll}*$",
  "^\\P{L}+$",
  "^[\\p{L}\\p{N}_]+$",
  "^\\u0041\\u{1F600}$",
  "^\\uD83D\\uDE00$",
  "^[\\u{1F600}-\\u{1F64F}]$",
  "^.$",
  "^[^]$",
  "^\\x41\\cA?\\0?$",
  "^[\\]\\-^]+$",
  "^(?<year>\\d+)(?:-|\\/)?$",
  "^a{2}b{1,}c{0,2}$",
  "^(?:a|b)*?c??$",
  "\\s+$",
  "^\\/(?:[^/]+\\/)*$",
  "^[A-Fa-f0-9]{8}$",
  "^ſ$",
];
const texts = [
  "",
  "a",
  "aaa",
  "aab",
  "aabbcc",
  "bab",
  "abc",
  "example.com",
  "2026-02-30",
  "a.b+c@x-y.org",
  "Secret123",
  "secret123",
  "a..b",
  "$12",
  "a word here",
  "-word",
  "xx",
  "Äpfel",
  "ÄPFEL",
  "123 !",
  "Grüße_7",
  "A\u{1f600}",
  "\u{1f600}",
  "\ud83d",
  "\n",
  "\u2028",
  "A\u0001\0",
  "]-^",
  "2026/",
  "  ",
  "/usr/lib/",
  "DEADbeef",
  "s",
  "S",
  "ſ",
];

for (const pattern of patterns) {
  test(`a pattern finds what RegExp finds: ${pattern}`, () => {
    const [own, native] = [new SchemaPattern(pattern, "u"), new RegExp(pattern, "u")];
    for (const text of texts) assert.equal(own.test(text), native.test(text), JSON.stringify(text));
  });
}

test("the patterns that zod writes find what RegExp finds", () => {
  const given = {
    email: ["ada@example.org", "ada@", "a..b@example.org"],
    uuid: ["123e4567-e89b-42d3-a456-426614174000", "123e4567"],
    ipv4: ["127.0.0.1", "256.0.0.1"],
    ipv6: ["::1", "fe80::1%eth0", "1::2::3"],
    base64: ["aGk=", "aGk", "a"],
    iso: ["2026-02-28T10:00:00Z", "2026-02-30T10:00:00Z", "2026-02-28"],
    duration: ["P1DT2H", "P"],
    e164: ["+4930123456", "0301"],
  };
  const schemas = { ...z, iso: () => z.iso.datetime(), duration: () => z.iso.duration() };
  let count = 0;
  for (const [name, values] of Object.entries(given)) {
    const { pattern } = z.toJSONSchema(schemas[name]());
    if (pattern === undefined) continue;
    count += 1;
    const [own, native] = [new SchemaPattern(pattern, "u"), new RegExp(pattern, "u")];
    for (const value of values) assert.equal(own.test(value), native.test(value), `${name}: ${value}`);
  }
  assert.ok(count > 5, `${count} patterns`);
});

test("a pattern that cannot be tried in a limited number of steps says so, and one that is none is a SyntaxError", () => {
  const untried = (pattern, text = "aa") => assert.throws(() => new SchemaPattern(pattern, "u").test(text), UntriedPattern, pattern);
  untried("^(a)\\1$");
  untried("^(?<x>a)\\k<x>$");
  untried("^(?:a{1,999}){1,999}$");
  untried("(?=(?:.*x){5}y)", "x".repeat(20_000));
  untried(`${"(".repeat(20_000)}a${")".repeat(20_000)}`);
  assert.throws(() => new SchemaPattern("(", "u"), SyntaxError);
});

test("a long text costs steps in proportion to its length", () => {
  assert.equal(new SchemaPattern("^(?:[a-z]+ ?)+$", "u").test("words ".repeat(50_000)), true);
});
