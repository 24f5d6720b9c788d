// LibreChat's exports: messages in a list, each naming the one before it, or each with those that follow it.
import { Collecting, type Converted, type Fields, idOf, objects, text } from "./session.js";

export const isLibreChat = (value: Fields): boolean => {
  const messages = objects(value["messages"]);
  return (
    messages.length > 0 && messages.every((message) => "messageId" in message && ("isCreatedByUser" in message || "sender" in message))
  );
};

export function readLibreChat(conversation: Fields): Converted {
  const collecting = new Collecting();
  const open: Array<[Fields, string | null]> = objects(conversation["messages"])
    .map((message): [Fields, null] => [message, null])
    .reverse();
  const ids = new Set<string>();
  const all: Array<[Fields, string | null]> = [];
  for (let next = open.pop(); next; next = open.pop()) {
    const [message] = next;
    const id = idOf(message["messageId"]);
    if (id === "" || ids.has(id)) continue;
    ids.add(id);
    all.push(next);
    open.push(
      ...objects(message["children"])
        .map((child): [Fields, string] => [child, id])
        .reverse(),
    );
  }
  for (const [message, above] of all) {
    const named = idOf(message["parentMessageId"]);
    const isOfUser = message["isCreatedByUser"] === true || text(message["sender"]) === "User";
    const files = objects(message["files"]).map((file) => ({ name: text(file["filename"]) || "a file" }));
    if (message["error"] === true) collecting.leaveOut("a failure");
    collecting.add({
      id: idOf(message["messageId"]),
      parent: above ?? (ids.has(named) ? named : null),
      role: isOfUser ? "user" : "assistant",
      ...(message["error"] === true ? { text: "" } : contentOf(message, collecting)),
      timestamp: message["createdAt"],
      files,
    });
  }
  return collecting.converted({
    title: conversation["title"],
    model: objects([conversation["options"]])[0]?.["model"] ?? all.map(([message]) => text(message["model"])).find((model) => model !== ""),
    createdAt: conversation["createdAt"] ?? all[0]?.[0]["createdAt"],
  });
}

function contentOf(message: Fields, collecting: Collecting): { text: string; reasoning: string } {
  const parts = objects(message["content"]);
  if (parts.length === 0) return { text: text(message["text"]), reasoning: "" };
  const [said, thoughts]: [string[], string[]] = [[], []];
  for (const part of parts) {
    const kind = text(part["type"]);
    // Both are a text, or an object with one as `value`.
    const content = (value: unknown) =>
      text(value) ||
      objects([value])
        .map((inner) => text(inner["value"]))
        .join("");
    if (kind === "text") said.push(content(part["text"]));
    else if (kind === "think") thoughts.push(content(part["think"]));
    else if (kind === "tool_call")
      collecting.leaveOut(
        `a call of ${
          objects([part["tool_call"]])
            .map((call) => text(call["name"]))
            .join("") || "a tool"
        }`,
      );
    else collecting.leaveOut(`a part of the type ${kind || "unknown"}`);
  }
  return { text: said.join("\n\n"), reasoning: thoughts.join("\n\n") };
}
