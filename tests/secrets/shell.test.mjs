// A secret that a shell quotes is hidden like the secret: by bash itself, and by the shell of the tool `terminal`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { Agent, Conversation, LLM, memoryStore, terminal, tool } from "../../dist/index.js";
import { values } from "./platform.mjs";

const hidden = "<secret-hidden>";
/** Without control characters, which no two shells write alike. */
const secrets = [...values(7, 40), 'it\'s "$HOME" and `id`; \\o/ !x', "a~#b,c{d}[e]?f*"].filter(
  (value) => !/[\0-\x1f\x7f-\xff]|\p{Surrogate}/u.test(value),
);
const ways = ['printf %q "$S"', 'printf %s "${S@Q}"', "declare -p S"];

test("what bash quotes is hidden", async () => {
  const script = `while IFS= read -r S; do ${ways.join("; echo; ")}; echo; done`;
  const printed = execFileSync("bash", ["-c", script], { input: `${secrets.join("\n")}\n`, env: { LC_ALL: "C.UTF-8" } }).toString();
  const say = tool({
    name: "say",
    description: "Says what was printed.",
    parameters: { type: "object" },
    execute: async (_args, { secret }) => (await Promise.all(secrets.map((_, index) => secret(`S${index}`))), printed),
  });
  const conversation = await Conversation.open({
    agent: agentOf(say),
    store: memoryStore(),
    secrets: Object.fromEntries(secrets.map((value, index) => [`S${index}`, value])),
  });
  const shown = (await conversation.executeTool("say", {})).content[0].text.split("\n");
  await conversation.close();
  const left = shown.filter((line) => line !== "" && !/^(declare -- S=)?['"]?<secret-hidden>['"]?$/.test(line));
  assert.deepEqual(left, []);
  assert.equal(shown.filter((line) => line.includes(hidden)).length, secrets.length * ways.length);
});

test("what the terminal quotes is hidden", async () => {
  const left = [];
  for (const value of secrets.slice(0, 12)) {
    const conversation = await Conversation.open({
      agent: agentOf(terminal()),
      store: memoryStore(),
      secrets: { S: value },
      confirmationPolicy: { kind: "NeverConfirm" },
    });
    for (const command of [
      `printf %q "$S"`,
      "declare -p S",
      ...["sh", "html", "uri", "json", "csv", "tsv", "base64"].map(
        (format) => `printf %s "$S" | jq -Rr '${format === "csv" || format === "tsv" ? "[.]|" : ""}@${format}'`,
      ),
    ]) {
      const { content } = await conversation.executeTool("terminal", { command });
      if (!content[0].text.includes(hidden)) left.push(`${command} of ${value}: ${content[0].text}`);
    }
    await conversation.close();
  }
  assert.deepEqual(left, []);
});

function agentOf(...tools) {
  return new Agent({ llm: new LLM({ model: "openai/m", baseUrl: "https://model.invalid" }), tools });
}
