// Tools and replies that several topics of the suite use.

/** The result of a promise, or its error as the host sees it. */
export async function outcome(promise) {
  try {
    return { value: await promise };
  } catch (error) {
    const { name, code, message, retryable, status } = error;
    return { name, code, message, retryable, status, hasCause: error.cause !== undefined };
  }
}

/** Throws unless both are the same as JSON. */
export function same(actual, expected, subject = "the result") {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw new Error(`${subject} is ${one} instead of ${other}`);
}

/** A call of the tool `note`. */
export const noting = (text, id) => ({ name: "note", arguments: { text }, ...(id && { id }) });

export const done = { text: "Done." };

/** A tool that returns its text in capitals. */
export const note = ({ library }, more = {}) =>
  library.tool({
    name: "note",
    description: "Notes a text.",
    parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: ({ text }) => text.toUpperCase(),
    ...more,
  });

/** A tool that opens the gate "began", and waits for "go on" or its signal. */
export const slow = ({ library, gate }, more = {}) =>
  library.tool({
    name: "slow",
    description: "Takes its time.",
    parameters: { type: "object", properties: {} },
    async execute(_, { signal, progress }) {
      progress("under way");
      gate.open("began");
      const stopped = new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
      await Promise.race([gate.passed("go on"), stopped]);
      return "slept";
    },
    ...more,
  });

export const sleeping = { calls: [{ name: "slow", arguments: {} }] };

export const confirming = { confirmationPolicy: { kind: "AlwaysConfirm" } };

export const idsOf = (events) => events.map(({ id }) => id);

/** The texts of the messages of the log. */
export const textsIn = async (conversation) =>
  (await conversation.events.slice())
    .filter(({ kind }) => kind === "MessageEvent")
    .map(({ llm_message }) => llm_message.content.map(({ text }) => text).join(""));
