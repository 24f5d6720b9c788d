// The surroundings in which the rows of the table are tried: the library, a fake model, and a check that everything still works.
import { ScriptedModel } from "../model/script.mjs";

/** Nothing that the library does may take longer; it is a limit on waiting, not on speed. */
const patience = 20_000;

/** After so many rows is tried whether everything still works. */
const together = 25;

export class World {
  /** The faults of requests, a list for each model. */
  violations = [];

  constructor(library) {
    this.library = library;
  }

  /** A model that gives these replies, then says "Done." */
  llm(replies = [], options = {}) {
    const { LLM } = this.library;
    return new LLM({
      model: "scripted",
      baseUrl: "http://model.test/v1",
      stream: false,
      numRetries: 1,
      fetch: this.model(replies),
      ...options,
    });
  }

  /** A `fetch` that gives these replies as a model. */
  model(replies) {
    const model = new ScriptedModel((_, index) => replies[index] ?? { text: "Done." });
    this.violations.push(model.violations);
    return model.fetch;
  }

  agent(replies, { llm, ...options } = {}) {
    return new this.library.Agent({ llm: llm ?? this.llm(replies), ...options });
  }

  /** A conversation in memory. */
  open(replies, { agent, ...options } = {}) {
    const { Conversation, memoryStore } = this.library;
    return Conversation.open({ agent: agent ?? this.agent(replies), store: memoryStore(), ...options });
  }

  /** Runs a conversation that calls this tool, which must be called and may fail. */
  async callTool(options, args = {}) {
    const conversation = await this.open(undefined, { agent: this.#agentWith(options, args) });
    await conversation.sendMessage("Please.");
    const { status, finalResponse } = await conversation.run();
    if (status !== "finished" || finalResponse !== "Done.") throw new Error(`the run ended ${status} with ${finalResponse}`);
    const answered = (await conversation.events.slice()).filter(({ kind }) => kind === "ObservationEvent" || kind === "AgentErrorEvent");
    if (answered.length !== 1) throw new Error(`${answered.length} answers to one call`);
    await conversation.close();
    return answered[0];
  }

  #agentWith(options, args) {
    const odd = this.library.tool({ name: "odd", description: "Is odd.", parameters: { type: "object" }, ...options });
    return this.agent([{ calls: [{ name: "odd", arguments: args }] }], { tools: [odd] });
  }

  /** A conversation as it should be, from beginning to end. Throws if it is not. */
  async works() {
    const answer = await this.callTool({ execute: ({ n }) => ({ twice: 2 * n }) }, { n: 21 });
    const text = answer.observation?.content[0].text;
    if (text !== '{"twice":42}') throw new Error(`the tool's result became ${JSON.stringify(answer)}`);
  }

  /** The outcome of `attempt`: "ok", the code of a ThreadkeepError, or a text for anything else. */
  async outcome(attempt) {
    const { ThreadkeepError } = this.library;
    let timer;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, patience, "still unsettled")));
    const settled = Promise.resolve()
      .then(attempt)
      .then(
        () => "ok",
        (error) => (error instanceof ThreadkeepError ? error.code : `an error of another kind: ${describe(error)}`),
      );
    const outcome = await Promise.race([settled, late]);
    clearTimeout(timer);
    return outcome;
  }
}

function describe(error) {
  try {
    return error?.stack ?? String(error);
  } catch {
    return "one that cannot be described";
  }
}

/** Tries every row, and after some of them whether everything still works. Returns sentences on the differences from the table. */
export async function tryAll(world, rows) {
  const found = [];
  for (const [index, { name, expected, attempt }] of rows.entries()) {
    const outcome = await world.outcome(() => attempt(world));
    if (!expected.includes(outcome)) found.push(`${name}: ${outcome}, instead of ${expected.join(" or ")}`);
    // What a trap leaves behind never works again.
    if ((index + 1) % together !== 0 && index + 1 < rows.length) continue;
    const after = await world.outcome(() => world.works());
    if (after !== "ok") {
      found.push(`one of the ${together} up to ${name}: nothing works afterwards: ${after}`);
      break;
    }
  }
  found.push(...world.violations.flat().map((violation) => `a request was wrong: ${violation}`));
  return found;
}
