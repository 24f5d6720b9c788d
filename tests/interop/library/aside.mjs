// Critics, questions and titles here and in Python: ratings, the number of attempts and costs go both ways.
import assert from "node:assert/strict";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { fixtures } from "../conversations.mjs";
import { eventsOf, open, say, scripted } from "../../support/chat.mjs";
import { exported, filesOf, packed, unpacked, write } from "../../support/files.mjs";
import { conversations } from "./imported.mjs";
import { sdkVersion, sdkVersions } from "../setup.mjs";

const finish = { calls: [{ name: "finish", arguments: { message: "Done here." } }] };

export function critics(sdk, place) {
  const tests = {
    "a critic that is stored here rates in Python, which also counts on attempts and costs": ratedInPython,
    "Python reads the ratings and attempts of a critic of the host": ratedByTheHost,
    "the attempts that a critic demanded in Python count here": ratedThere,
  };
  for (const [name, play] of Object.entries(tests)) {
    test(name, (t) => (sdk() ? play(t, sdk(), place) : t.skip("no SDK")));
  }
}

const ratingsOf = async (conversation) => (await eventsOf(conversation)).flatMap(({ critic_result }) => critic_result ?? []);

async function ratedInPython(t, sdk, place) {
  const model = await scripted(t, [finish, { text: "🌍 A greeting" }, { text: "I finished." }, finish]);
  const store = memoryStore();
  const critic = { kind: "AgentFinishedCritic", iterativeRefinement: { maxIterations: 2 } };
  const first = await open(t, { model, store, agent: { critic } });
  await say(first, "Please do it.");
  assert.deepEqual(
    (await ratingsOf(first)).map(({ score }) => score),
    [1],
  );
  await first.setTags({ title: await first.generateTitle() });
  await first.askAgent("What did you do?");
  const directory = path.join(place, "critics", first.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(first)));
  await first.close();

  const answer = await sdk.ask({ command: "aside", path: directory, in_place: true });
  assert.ok(answer.ok, answer.error);
  assert.deepEqual([answer.answer, answer.title, answer.appended, answer.execution_status], ["An answer.", "A title", 0, "finished"]);
  assert.deepEqual(answer.asked.slice(0, -1), model.requests.at(-1).body.messages.slice(0, -1), "both ask about the same history");
  assert.deepEqual(answer.critic, {
    mode: "finish_and_message",
    iterative_refinement: { success_threshold: 0.6, max_iterations: 2 },
    kind: "AgentFinishedCritic",
  });
  // Its critic misses a patch in every result.
  assert.deepEqual(
    answer.ratings.map(({ score }) => score),
    [1, 0, 0, 0],
  );
  assert.equal(answer.attempts, 2);
  // After a question 1.58.0 counts the agent's calls as the question's: the copied model shares its telemetry.
  const { agent, "ask-agent-llm": asked } = answer.usage;
  assert.equal(agent + asked, 8, "every call is counted once");
  if (sdkVersion === sdkVersions[0]) assert.deepEqual([agent, asked], [6, 2]);

  const [{ id, outcome, warnings }] = await Conversation.importZip(packed(first.id, filesOf(directory)), { store });
  assert.deepEqual([outcome, warnings], ["continued", []]);
  const strict = { evaluate: () => ({ score: 0 }), iterativeRefinement: { maxIterations: 2 } };
  const second = await open(t, { model, store, conversationId: id, agent: { critic: strict } });
  assert.equal((await say(second, "Once more.")).status, "finished");
  assert.deepEqual(
    (await ratingsOf(second)).map(({ score }) => score),
    [1, 0, 0, 0, 0],
  );
  assert.equal((await Conversation.list({ store }))[0].title, "🌍 A greeting");
  model.check();
}

async function ratedByTheHost(t, sdk, place) {
  const model = await scripted(t, [finish, finish]);
  let score = 0.25;
  const critic = {
    evaluate: () => ({ score: (score += 0.25) - 0.25, message: "Half of it.", metadata: { words: [2] } }),
    iterativeRefinement: { successThreshold: 0.5 },
  };
  const conversation = await open(t, { model, store: memoryStore(), agent: { critic } });
  await say(conversation, "Please do it.");
  const directory = path.join(place, "critics", conversation.id.replaceAll("-", ""));
  write(directory, unpacked(await exported(conversation)));
  const checked = await sdk.check(directory);
  assert.deepEqual([checked.refused, checked.base_state_lost], [[], []]);
  const answer = await sdk.ask({ command: "aside", path: directory });
  assert.ok(answer.ok, answer.error);
  const rating = { message: "Half of it.", metadata: { words: [2] } };
  assert.deepEqual(answer.ratings, [
    { score: 0.25, ...rating },
    { score: 0.5, ...rating },
  ]);
  assert.deepEqual([answer.critic, answer.attempts, answer.execution_status], [null, 1, "finished"]);
}

async function ratedThere(t, sdk, place) {
  const entry = conversations.find(({ scenario }) => scenario === "critic-refines");
  const store = memoryStore();
  const [{ id }] = await Conversation.importZip(packed(entry.id, filesOf(path.join(fixtures, entry.directory))), { store });
  const model = await scripted(t, [finish, finish]);
  const critic = { evaluate: () => ({ score: 0 }), iterativeRefinement: { maxIterations: 2 } };
  const conversation = await open(t, { model, store, conversationId: id, agent: { critic } });
  assert.equal(conversation.state.agent_state.iterative_refinement_iteration, 1);
  const before = (await ratingsOf(conversation)).length;
  assert.ok(before > 0);
  await say(conversation, "Once more.");
  assert.equal(conversation.state.agent_state.iterative_refinement_iteration, 2, "one more attempt is allowed");
  assert.equal((await ratingsOf(conversation)).length, before + 2);
  model.check();
  const directory = path.join(place, "critics", entry.id);
  write(directory, unpacked(await exported(conversation)));
  const checked = await sdk.check(directory);
  assert.deepEqual(checked.refused, []);
}
