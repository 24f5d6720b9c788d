// The texts of an event that can be found: what user and agent have written, calls and their results, failures and summaries. Not the
// instructions of the agent, what skills add to messages, and the model's reasoning.

/** A text, and where it is in the event. */
export interface EventText {
  path: Array<string | number>;
  text: string;
}

/** The longest part of a text that is looked at, in UTF-16 units: a tool may have returned a whole file. */
export const longestText = 1 << 18;

/** Kinds of events that have one text, and its field. */
const onlyTexts = new Map<unknown, string>([
  ["AgentErrorEvent", "error"],
  ["UserRejectObservation", "rejection_reason"],
  ["ConversationErrorEvent", "detail"],
  ["Condensation", "summary"],
]);

/** The texts of an event, which may come from an import and have fields of any type. */
export function textsOf(event: unknown): EventText[] {
  const texts: EventText[] = [];
  const add = (path: EventText["path"], text: unknown) => {
    if (typeof text === "string" && text !== "") texts.push({ path, text: text.slice(0, longestText) });
  };
  const addParts = (path: EventText["path"], parts: unknown) => {
    if (Array.isArray(parts)) for (const [i, part] of parts.entries()) add([...path, i, "text"], fieldOf(part, "text"));
  };
  const addAll = (path: EventText["path"], value: unknown, depth: number) => {
    if (typeof value === "string") add(path, value);
    else if (typeof value === "object" && value !== null && depth > 0)
      for (const [name, inner] of Object.entries(value))
        if (name !== "kind") addAll([...path, Array.isArray(value) ? Number(name) : name], inner, depth - 1);
  };
  const kind = fieldOf(event, "kind");
  const only = onlyTexts.get(kind);
  if (only !== undefined) add([only], fieldOf(event, only));
  switch (kind) {
    case "MessageEvent":
      addParts(["llm_message", "content"], fieldOf(fieldOf(event, "llm_message"), "content"));
      break;
    case "ActionEvent":
      addParts(["thought"], fieldOf(event, "thought"));
      add(["summary"], fieldOf(event, "summary"));
      addAll(["action"], fieldOf(event, "action"), 4);
      break;
    case "ObservationEvent":
      // The results of these repeat their calls.
      if (!["finish", "think"].includes(String(fieldOf(event, "tool_name"))))
        addParts(["observation", "content"], fieldOf(fieldOf(event, "observation"), "content"));
      break;
    case "ACPToolCallEvent":
      add(["title"], fieldOf(event, "title"));
      addAll(["raw_input"], fieldOf(event, "raw_input"), 4);
      break;
  }
  return texts;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as { [name: string]: unknown })[name] : undefined;
}

/** The texts in the JSON of an event; none if it is damaged. */
export function textsIn(json: string): EventText[] {
  try {
    return textsOf(JSON.parse(json));
  } catch {
    return [];
  }
}
