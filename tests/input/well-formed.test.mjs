// Half a character in a text of the host: what is stored is text all the same, so that Python opens it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { tool } from "../../dist/index.js";
import { exported, unpacked } from "../support/files.mjs";
import { bare, conversationWith, givenTexts, mended } from "../support/halves.mjs";

for (const [name, given] of Object.entries(givenTexts)) {
  test(`half a character in ${name} is stored as text`, async (t) => {
    const files = unpacked(await exported(await conversationWith(t, given)));
    let isThere = false;
    for (const [file, bytes] of files) {
      for (const text of textsIn(JSON.parse(bytes))) {
        assert.ok(text.isWellFormed(), `${file}: ${JSON.stringify(text)}`);
        isThere ||= text.includes("\ufffd") || text.includes(encodeURI("\ufffd"));
      }
    }
    assert.equal(isThere, !given.isUnstored, "a character is in its place");
  });
}

test("a secret with half a character in its name is the one that a tool asks for", async (t) => {
  const values = [];
  const ask = tool({
    name: "note",
    description: "Asks.",
    parameters: { type: "object" },
    execute: async (_, { secret }) => (values.push(await secret(bare), await secret(5), await secret("\ufffd")), "Asked."),
  });
  const call = { calls: [{ name: "note", arguments: {} }] };
  const conversation = await conversationWith(t, {
    tools: [ask],
    options: { secrets: { [bare]: "a value" } },
    replies: [call, { text: "Done." }],
  });
  assert.deepEqual(values, ["a value", null, "a value"]);
  assert.deepEqual(conversation.warnings, []);
});

test("an analyzer with half a character in a pattern is the one that was given", async (t) => {
  const risks = [];
  const analyzers = [
    { kind: "PatternSecurityAnalyzer", highPatterns: [[mended + bare, "a", "b"]] },
    { securityRisk: () => (risks.push("asked"), "LOW") },
  ];
  const note = tool({ name: "note", description: "Keeps a note.", parameters: { type: "object" }, execute: () => "Noted." });
  const options = { securityAnalyzer: { kind: "EnsembleSecurityAnalyzer", analyzers }, confirmationPolicy: { kind: "ConfirmRisky" } };
  const conversation = await conversationWith(t, {
    tools: [note],
    options,
    replies: [{ calls: [{ name: "note", arguments: {} }] }, { text: "Done." }],
  });
  assert.deepEqual(risks, ["asked"]);
  assert.equal(conversation.executionStatus, "finished");
});

test("two skills whose names differ in halves of characters have one name", async (t) => {
  const skills = ["\ud83d", "\ud83e"].map((name) => ({ name, content: "Be kind." }));
  await assert.rejects(conversationWith(t, { agent: { agentContext: { skills } } }), {
    code: "invalid_options",
    message: /two skills have the name/,
  });
});

function* textsIn(value) {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    yield key;
    yield* textsIn(each);
  }
}
