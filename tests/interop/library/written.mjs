// Every kind of conversation that the library writes: the SDK takes each of its files, asks the model for what the library asks it, and carries on.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { Conversation, memoryStore } from "../../../dist/index.js";
import { violationsOf } from "../../support/model/script.mjs";
import { anthropic } from "./scenarios/anthropic.mjs";
import { calls } from "./scenarios/calls.mjs";
import { condensing } from "./scenarios/condensing.mjs";
import { control } from "./scenarios/control.mjs";
import { endings } from "./scenarios/endings.mjs";
import { hooked } from "./scenarios/hooks.mjs";
import { leftovers } from "./scenarios/leftovers.mjs";
import { messages } from "./scenarios/messages.mjs";
import { responses } from "./scenarios/responses.mjs";
import { skills } from "./scenarios/skills.mjs";
import { textTools } from "./scenarios/text-tools.mjs";
import { tree } from "./scenarios/tree.mjs";
import { eventsOf, open, question, say, scripted } from "../../support/chat.mjs";
import { exported } from "../../support/files.mjs";
import { taken } from "./requests.mjs";
import { withBareSummaries } from "./summaries.mjs";

/**
 * A test for each scenario. A scenario has `replies`, `kinds` (of all events, without "Event") and `play(stage)`, which gets
 * `conversation`, `model`, `store`, `t` and `open(options)`, and may return another conversation to go on with. By default one
 * message is sent and run. `tools`, `llm`, `agent` and `options` are what the conversation is opened with. `pending` calls wait at
 * the end, and `answered` is the kind of event with which the SDK answers one; `breaks` says that not every reply is asked for; `forgiven` is what the SDK sends though some providers refuse it;
 * `goesOn` are the options of the model at the end, where they are others; `compared` what of the messages is the same in both; `lost` are fields of the base state
 * that the SDK drops.
 */
export function writtenConversations(sdk, place) {
  for (const [name, scenario] of Object.entries({
    ...calls,
    ...control,
    ...messages,
    ...endings,
    ...leftovers,
    ...condensing,
    ...hooked,
    ...anthropic,
    ...responses,
    ...skills,
    ...textTools,
    ...tree,
  })) {
    test(`written here: ${name}`, (t) => isTakenByTheSdk(t, scenario, sdk, place));
  }
}

async function isTakenByTheSdk(t, scenario, sdk, place) {
  const {
    replies,
    kinds,
    tools,
    llm,
    agent,
    options,
    goesOn = llm,
    compared = (messages) => messages,
    lost = [],
    play = ({ conversation }) => say(conversation, "Please do it."),
  } = scenario;
  const model = await scripted(t, [...replies]);
  const store = memoryStore();
  const again = (more = {}) => open(t, { model, store, tools, llm, agent, ...options, ...more });
  const first = await again();
  const played = await play({ conversation: first, model, store, t, open: again });
  const conversation = played instanceof Conversation ? played : first;
  const events = await eventsOf(conversation);
  assert.deepEqual(
    events.map(({ kind }) => kind.replace("Event", "")),
    kinds,
  );
  if (!scenario.breaks) model.check();

  const target = path.join(place, `${conversation.id}.zip`);
  writeFileSync(target, await exported(conversation));
  const pending = await conversation.pendingActions();
  assert.equal(pending.length, scenario.pending ?? 0);
  if (!sdk()) return t.diagnostic("no SDK to show it to");

  const answer = await sdk().check(target);
  assert.deepEqual(answer.refused, []);
  assert.deepEqual(
    answer.kinds,
    events.map(({ kind }) => kind),
  );
  assert.deepEqual(
    answer.unmatched_actions,
    pending.map(({ id }) => id),
  );
  assert.deepEqual(answer.base_state_lost, lost);
  const apiMode = goesOn?.apiMode ?? "chat";
  const resumed = await sdk().resume(target, "Done.", { text: question, api_mode: apiMode });
  assert.ok(resumed.ok, resumed.error);
  if (scenario.answered) assert.deepEqual(resumed.new_kinds.slice(0, 2), ["MessageEvent", scenario.answered]);
  if (pending.length > 0) return;
  const prompt = events.length === 0 ? ["SystemPromptEvent"] : [];
  assert.deepEqual(resumed.new_kinds, [...prompt, "MessageEvent", "MessageEvent"]);
  assert.deepEqual(
    violationsOf(resumed.request).filter((violation) => !scenario.forgiven?.test(violation)),
    [],
  );

  model.add({ text: "Done." });
  await say(conversation, question);
  const body = withBareSummaries(model.requests.at(-1).body);
  if (apiMode === "responses") assert.deepEqual(compared(saidIn(body.input)), compared(saidIn(taken(resumed.request).input)));
  else if (apiMode === "anthropic") assert.deepEqual(withoutTools(body), withoutTools(resumed.request));
  else if (!scenario.forgiven) assert.deepEqual(compared(body.messages), compared(resumed.request.messages));
}

/** The input without reasoning, and without what only its server knows: Python sends nothing of that (tests/llm/sent_back.rs). */
function saidIn(input) {
  return input
    .filter(({ type }) => type !== "reasoning")
    .map(({ id, status, content, ...item }) => ({
      ...item,
      ...(content && { content: content.map(({ annotations, ...part }) => part) }),
    }));
}

/** Tools are the host's own, and described in our words; Python's program does not stream. */
function withoutTools({ tools, stream, ...body }) {
  return body;
}
