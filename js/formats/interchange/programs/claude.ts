// Claude's `conversations.json`: a list of conversations with their messages in order, of which newer exports name the one before.
import { Collecting, type Converted, type Fields, idOf, objects, text } from "./session.js";

export const isClaude = (value: Fields): boolean => Array.isArray(value["chat_messages"]);

export function readClaude(conversation: Fields): Converted {
  const collecting = new Collecting();
  const messages = objects(conversation["chat_messages"]);
  const ids = new Set(messages.map(({ uuid }) => idOf(uuid)));
  // The tree begins with a message that is not in the file.
  const isTree = messages.some((message) => ids.has(idOf(message["parent_message_uuid"])));
  let before: string | null = null;
  for (const [place, message] of messages.entries()) {
    const id = idOf(message["uuid"]) || `message ${place}`;
    const named = idOf(message["parent_message_uuid"]);
    const sender = text(message["sender"]);
    if (sender !== "human" && sender !== "assistant") collecting.leaveOut(`a message of ${sender || "nobody"}`);
    else {
      const files = [
        ...objects(message["attachments"]).map((file) => ({
          name: text(file["file_name"]) || "a file",
          text: text(file["extracted_content"]),
        })),
        ...objects(message["files"]).map((file) => ({ name: text(file["file_name"]) || "a file" })),
      ];
      collecting.add({
        id,
        parent: isTree ? (ids.has(named) ? named : null) : before,
        role: sender === "human" ? "user" : "assistant",
        ...contentOf(message, collecting),
        timestamp: message["created_at"],
        files,
      });
      before = id;
    }
  }
  return collecting.converted({
    title: conversation["name"],
    model: conversation["model"],
    createdAt: conversation["created_at"],
    leaf: idOf(conversation["current_leaf_message_uuid"]),
  });
}

function contentOf(message: Fields, collecting: Collecting): { text: string; reasoning: string } {
  const parts = objects(message["content"]);
  if (parts.length === 0) return { text: text(message["text"]), reasoning: "" };
  const [said, thoughts]: [string[], string[]] = [[], []];
  for (const part of parts) {
    const kind = text(part["type"]);
    if (kind === "text") said.push(text(part["text"]));
    else if (kind === "thinking") thoughts.push(text(part["thinking"]));
    else if (kind === "tool_use") collecting.leaveOut(`a call of ${text(part["name"]) || "a tool"}`);
    else if (kind === "tool_result") collecting.leaveOut(`a result of ${text(part["name"]) || "a tool"}`);
    else if (kind !== "token_budget") collecting.leaveOut(`a part of the type ${kind || "unknown"}`);
  }
  return { text: said.join("\n\n"), reasoning: thoughts.join("\n\n") };
}
