// A model that keeps an agent busy: some text, some thought, up to three calls at once, now and then one that is not
// valid, and an end after a few rounds. What it does is chance, repeatable by its seed.

const words = ["mountain", "river", "größer", "🎉", "seven", "with care", "and then", "日本", "done", "perhaps"];
const tools = ["act_safe", "act_ask", "act_never"];
const mostRounds = 3;

/** The script of a model for `live` of pages/kills.mjs. */
export function busyScript(random) {
  return ({ messages, tools: offered }) => {
    const sinceUser = messages.length - 1 - messages.findLastIndex(({ role }) => role === "user");
    const rounds = messages.slice(messages.length - sinceUser).filter(({ role }) => role === "assistant").length;
    const text = Array.from({ length: random.between(1, 20) }, () => random.of(words)).join(" ");
    const reply = { text, pieces: random.between(2, 20), pace: random.between(0, 4) };
    if (random.chance(0.3)) reply.reasoning = `I think of ${random.of(words)}.`;
    if (!offered || rounds >= mostRounds || random.chance(0.2)) return reply;
    if (random.chance(0.1)) return { ...reply, calls: [{ name: "finish", arguments: { message: text } }] };
    return { ...reply, calls: Array.from({ length: random.between(1, 3) }, () => call(random)) };
  };
}

function call(random) {
  const name = random.of(tools);
  if (random.chance(0.05)) return { name, arguments: random.of(['{"what":', { what: 7 }, {}]) };
  return { name, arguments: { what: random.of(words) } };
}
