// Models under names: what is saved here is the same model in Python, and what Python saved is the same here.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { LLM, LLMProfileStore } from "../../../dist/index.js";

/** Every option that a profile holds, and the SDK's fields of the same model. */
const options = {
  model: "openai/gpt-5",
  baseUrl: "https://model.invalid/v1",
  apiMode: "responses",
  usageId: "mine",
  stream: false,
  temperature: 0.5,
  topP: 0.25,
  maxOutputTokens: 1000,
  reasoningEffort: "low",
  reasoningSummary: "concise",
  enableEncryptedReasoning: false,
  promptCacheRetention: "in_memory",
  numRetries: 3,
  timeout: 20,
  nativeToolCalling: false,
  capabilityOverrides: { supports_vision: true, supports_responses_api: false },
  inputCostPerToken: 1e-6,
  outputCostPerToken: 2.5e-7,
};
const fields = {
  model: "openai/gpt-5",
  base_url: "https://model.invalid/v1",
  api_mode: "responses",
  usage_id: "mine",
  stream: false,
  temperature: 0.5,
  top_p: 0.25,
  max_output_tokens: 1000,
  reasoning_effort: "low",
  reasoning_summary: "concise",
  enable_encrypted_reasoning: false,
  prompt_cache_retention: "in_memory",
  num_retries: 3,
  timeout: 20,
  native_tool_calling: false,
  capability_overrides: { supports_vision: true, supports_responses_api: false },
  input_cost_per_token: 1e-6,
  output_cost_per_token: 2.5e-7,
};

export function profilesBothWays(sdk, place) {
  const check = (name, body) =>
    test(name, async (t) => {
      if (!sdk()) return t.skip("no SDK");
      const directory = path.join(place, name.replaceAll(" ", "-"));
      const inPython = async (name, llm) => {
        const answer = await sdk().ask({ command: "profile", path: directory, name, llm });
        assert.ok(answer.ok, answer.error);
        return answer.llm;
      };
      await body(new LLMProfileStore(inFiles(directory)), inPython);
    });
  check("profiles that are saved here", savedHere);
  check("profiles that Python saves", savedInPython);
}

/** As the SDK keeps them: a file each. */
function inFiles(directory) {
  mkdirSync(directory, { recursive: true });
  const file = (name) => path.join(directory, `${name}.json`);
  return {
    read: async (name) => (existsSync(file(name)) ? readFileSync(file(name), "utf8") : undefined),
    write: async (name, json) => (json === undefined ? rmSync(file(name), { force: true }) : writeFileSync(file(name), json)),
    names: async () =>
      readdirSync(directory)
        .filter((name) => name.endsWith(".json"))
        .map((name) => name.slice(0, -5)),
  };
}

const those = (names, all) => Object.fromEntries(Object.keys(names).map((name) => [name, all[name]]));

async function savedHere(profiles, inPython) {
  await profiles.save("all", new LLM({ ...options, apiKey: "sk-not-written", background: true }));
  assert.deepEqual(those(fields, await inPython("all")), fields);
  await profiles.save("left-to-it", new LLM({ model: "openai/gpt-5", promptCacheRetention: "" }));
  assert.equal((await inPython("left-to-it")).prompt_cache_retention, null);
  await profiles.save("claude", new LLM({ model: "openai/relayed-claude", baseUrl: "https://model.invalid/v1", apiMode: "anthropic" }));
  assert.equal((await inPython("claude")).api_mode, "auto");
  assert.equal((await profiles.load("claude")).options.apiMode, "anthropic");
  await profiles.save("least", new LLM({ model: "openai/gpt-5" }));
  const { prompt_cache_retention, enable_encrypted_reasoning, capability_overrides } = await inPython("least");
  assert.deepEqual([prompt_cache_retention, enable_encrypted_reasoning, capability_overrides], ["24h", true, {}]);
}

async function savedInPython(profiles, inPython) {
  await inPython("all", fields);
  assert.deepEqual((await profiles.load("all")).options, options);
  // A word is nothing that an LLM takes here.
  await inPython("thinking", { ...fields, capability_overrides: { supports_vision: true, thinking_mode: "adaptive" } });
  assert.deepEqual((await profiles.load("thinking")).options.capabilityOverrides, { supports_vision: true });
  // The SDK leaves out what has no value, and reads its default then; so do we.
  assert.equal((await inPython("left-to-it", { ...fields, prompt_cache_retention: null })).prompt_cache_retention, "24h");
  assert.equal((await profiles.load("left-to-it")).options.promptCacheRetention, undefined);
}
