// The SDK makes of skills, their triggers and their texts what tests/fixtures/skills.json records; tests/skills.rs holds the
// library against the same file.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { Agent, Conversation, LLM, loadSkills, memoryStore } from "../../dist/index.js";
import { sdkForTests } from "./session.mjs";

const sdk = sdkForTests();

test("the SDK makes of skills what the fixture records", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const { ok, error, count, differing } = await sdk().ask({ command: "skills" });
  assert.ok(ok, error);
  assert.deepEqual(differing, []);
  assert.ok(count > 20_000, `${count} decisions`);
});

/** Front matter and texts as authors write them, right and wrong. */
const files = [
  "text",
  "",
  "---\n---\ntext",
  "---\nname: a\n---\n",
  "---\nname: a\n---\n\n# Title\n\ntext\n\n",
  "\n\n---\nname: a\n---\ntext",
  "---\nname: a\n",
  "---\nname: a\n----\ntext",
  "-----\nname: a\n---   \ntext\n---\nmore",
  "x\n---\nname: b\n---\ntext",
  "---\nname: b\n---\ntext",
  "---\nname: A\n---\ntext",
  "---\nname: true\n---\ntext",
  "---\nname:\n---\ntext",
  "---\n- a\n- b\n---\ntext",
  "---\na text\n---\ntext",
  "---\nname: [\n---\ntext",
  "---\na: b: c\n---\ntext",
  "---\ndescription: d\nlicense: MIT\ncompatibility: any\n---\ntext",
  "---\ndescription: 7\n---\ntext",
  "---\ndescription: yes\n---\ntext",
  "---\ndescription: |\n  two\n  lines\n---\ntext",
  "---\ndescription: >-\n  folded\n  text\n---\ntext",
  '---\ndescription: "a: b"\n---\ntext',
  "---\nmetadata:\n  author: me\n  version: 1.0\n  count: 7\n  flag: yes\n  none: null\n---\ntext",
  "---\nmetadata: text\n---\ntext",
  "---\nallowed-tools: a  b\tc\n---\ntext",
  "---\nallowed-tools: [a, 7]\n---\ntext",
  "---\nallowed_tools: a\n---\ntext",
  "---\nallowed-tools: 7\n---\ntext",
  "---\ntriggers: [git, hub]\n---\ntext",
  "---\ntriggers:\n  - /git\n---\ntext",
  "---\ntriggers: git\n---\ntext",
  "---\ntriggers: []\n---\ntext",
  "---\ntriggers:\n---\ntext",
  "---\npaths: '*.py, src/**'\n---\ntext",
  "---\npaths: ['*.py', ' x ']\ntriggers: [git]\n---\ntext",
  "---\npaths: ''\n---\ntext",
  "---\npaths: 7\n---\ntext",
  "---\ninputs:\n  - name: topic\n    description: What\n---\nAbout ${topic}.",
  "---\ninputs: []\n---\ntext",
  "---\ninputs: []\n---\ntext ${x}",
  "---\ninputs: 7\n---\ntext",
  "---\ninputs: [{name: a}]\n---\ntext",
  "---\ninputs: []\ntriggers: [/a, b]\n---\ntext",
  "---\ndisable-model-invocation: true\n---\ntext",
  "---\ndisable_model_invocation: true\n---\ntext",
  "---\r\nname: a\r\ndescription: d\r\n---\r\ntext\r\nmore",
  "\u{feff}---\nname: a\n---\ntext",
  "---\nname: a\nunknown: {x: 1}\n---\ntext",
  "---\nname: a\n# comment\n---\ntext",
  "---\nname: a\nname: a\n---\ntext",
  "---\nname: &x a\ndescription: *x\n---\ntext",
  "---\ndescription: é日本🙂\n---\né日本🙂",
  "---\nmetadata: {on: off, 1: 2}\n---\ntext",
  "---\nversion: 2.0.0\n---\ntext",
];

/** Texts that the SDK takes, and that are refused here, or are read otherwise: see docs/differences.md. */
const differing = new Set([
  "---\nname: a\nname: a\n---\ntext",
  "\u{feff}---\nname: a\n---\ntext",
  "---\nmetadata: {on: off, 1: 2}\n---\ntext",
]);

test("a SKILL.md is read as the SDK reads it", async (t) => {
  if (!sdk()) return t.skip("no SDK");
  const { ok, error, skills } = await sdk().ask({ command: "skill-files", files });
  assert.ok(ok, error);
  const llm = new LLM({ model: "openai/gpt-4o", apiKey: "sk", baseUrl: "http://127.0.0.1:1/v1" });
  const found = [];
  for (const [place, text] of files.entries()) {
    let ours;
    try {
      const agentContext = { skills: await loadSkills({ "a/SKILL.md": text }) };
      const conversation = await Conversation.open({ agent: new Agent({ llm, agentContext }), store: memoryStore() });
      [ours] = conversation.state.agent.agent_context.skills;
      await conversation.close();
    } catch (error) {
      assert.equal(error.code, "invalid_options", error.stack);
    }
    if (!isDeepStrictEqual(ours ?? null, skills[place])) found.push({ text, ours: ours ?? null, theirs: skills[place] });
  }
  assert.deepEqual(
    found.filter(({ text }) => !differing.has(text)),
    [],
  );
});
